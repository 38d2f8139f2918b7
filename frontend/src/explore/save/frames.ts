/* Frames of animations: the large map layer by layer, or with each patch as the query. */

import { isBusy, pause, RETRY_DELAY, reasonOf } from '../../lib/client';
import type { Frame } from '../../lib/export/animation';
import type { Grid } from '../../lib/grid';
import { type AttentionRows, hasQuery, queryKey, uint16Of } from '../../lib/numbers';
import { requestAblated } from '../requests';
import { isRemoved } from '../selection';
import type { Explorer } from '../state.svelte';
import { type Change, captionOf, layOutFigure, shownIn } from './figures';

const SECONDS_PER_LAYER = 1;
const SECONDS_PER_PATCH = 0.2;
const MAX_SLOW_FRAMES = 24; // an animation of more frames plays faster
const MAX_PATCHES = 256;

/** The server refused the attention of a frame. */
export class RefusedError extends Error {}

/** All frames of an animation. */
export async function* framesOf(
  explorer: Explorer,
  content: 'layers' | 'patches',
  address: string | null,
): AsyncGenerator<Frame> {
  const { shape } = explorer;
  const layer = Math.max(explorer.view.layer, -1); // not attention pooling, which has no query
  const changes: Change[] =
    content === 'layers'
      ? Array.from({ length: shape.layers }, (_, at) => ({ method: null, layer: at }))
      : patchesShown(shape)
          .filter((patch) => !isRemoved(patch, shape))
          .map((patch) => ({ method: null, layer, query: [patch] }));
  const seconds = changes.length > MAX_SLOW_FRAMES ? SECONDS_PER_PATCH : SECONDS_PER_LAYER;
  for (const change of changes) {
    if (change.query) change.attention = await attentionOf(explorer, change.query);
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

/** The attention of a query: what the page has, or rows that are fetched. */
async function attentionOf(explorer: Explorer, query: number[]): Promise<AttentionRows> {
  const { attention, choices } = explorer;
  if (!attention) throw new Error('there is no explanation');
  if (hasQuery(attention, query, choices.direction)) return attention;
  for (;;) {
    const reply = await requestAblated(explorer, 'rows', { patches: query, direction: choices.direction });
    if (typeof reply === 'string') {
      const rows = Float32Array.from(uint16Of(reply), (weight) => weight / 65535);
      return { ...attention, rows: new Map([[queryKey(query, choices.direction), rows]]) };
    }
    if (!isBusy(reply)) throw new RefusedError(reasonOf(reply));
    await pause(RETRY_DELAY);
  }
}
