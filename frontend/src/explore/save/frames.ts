/* Frames of animations: the large map layer by layer, or with each patch as the query. */

import type { Frame } from '../../lib/export/animation';
import type { Grid } from '../../lib/grid';
import { pause, RETRY_DELAY } from '../../lib/host';
import { hasQuery, MEAN, POOL } from '../../lib/numbers';
import { isRefused } from '../../lib/refused';
import { NEVER } from '../../session/engine';
import { isRemoved } from '../../session/selection';
import type { Session } from '../../session/session.svelte';
import type { Explorer } from '../explorer.svelte';
import { type Change, captionOf, layOutFigure, shownIn } from './figures';

const SECONDS_PER_LAYER = 1;
const SECONDS_PER_PATCH = 0.2;
const MAX_SLOW_FRAMES = 24; // an animation of more frames plays faster
const MAX_PATCHES = 256;

/** All frames of an animation. */
export async function* framesOf(
  explorer: Explorer,
  content: 'layers' | 'patches',
  address: string | null,
): AsyncGenerator<Frame> {
  const { explanation, view } = explorer.session;
  if (!explanation) return;
  const { shape } = explanation;
  const layer = view.layer === POOL ? MEAN : view.layer; // attention pooling has no query
  const changes: Change[] =
    content === 'layers'
      ? Array.from({ length: shape.layers }, (_, at) => ({ content: 'attention', layer: at }))
      : patchesShown(shape)
          .filter((patch) => !isRemoved(patch, shape))
          .map((patch) => ({ content: 'attention', layer, query: [patch] }));
  const seconds = changes.length > MAX_SLOW_FRAMES ? SECONDS_PER_PATCH : SECONDS_PER_LAYER;
  for (const change of changes) {
    if (change.query) await fetchQuery(explorer.session, change.query);
    const shown = shownIn(explorer, change);
    const sheet = await layOutFigure(shown, content, address);
    try {
      yield { image: await sheet.draw('', captionOf(shown, content)), seconds };
    } finally {
      sheet.close();
    }
  }
}

/** The patches of a grid, or those of every n-th row and column of a fine one. */
export function patchesShown({ rows, columns }: Grid): number[] {
  let step = 1;
  while (Math.ceil(rows / step) * Math.ceil(columns / step) > MAX_PATCHES) step++;
  const places = (count: number) => {
    const start = Math.min(Math.floor(step / 2), count - 1);
    return Array.from({ length: Math.ceil((count - start) / step) }, (_, i) => start + i * step);
  };
  return places(rows).flatMap((row) => places(columns).map((column) => row * columns + column));
}

/** Fetch the attention of a query, unless the page has it. */
async function fetchQuery({ direction, engine, explanation }: Session, query: number[]): Promise<void> {
  while (explanation && !hasQuery(explanation, query, direction)) {
    try {
      const rows = await engine.request('explanations/rows', { subject: explanation.subject, query, direction }, NEVER);
      explanation.keepRows(query, direction, rows);
    } catch (error) {
      if (!isRefused(error) || !error.isBusy) throw error;
      await pause(RETRY_DELAY);
    }
  }
}
