/* A figure drawn for a file, loaded on request. */

import { type FigureFormat, fileName, fileOf } from '../../lib/export/files';
import { drawingOf } from '../../lib/export/sheet';
import { overriding } from '../../lib/export/shown';
import type { Caption } from '../captions';
import css from '../internals.css?inline';
import type { InternalsPage } from '../internalsPage.svelte';
import SavedFigure from './SavedFigure.svelte';

export async function drawFigure(page: InternalsPage, caption: Caption, format: FigureFormat) {
  const { model, images } = page.drawing?.reply ?? page.choice;
  const provenance = page.drawing?.reply.provenance ?? null;
  const about = `Model: ${model}, over ${images}.`;
  const shown = overriding(page, { theme: page.theme.light() });
  const props = { page: shown, caption, about };
  const drawing = await drawingOf(SavedFigure, props, [css], caption.title, `${caption.caption} ${about}`);
  return { name: fileName(['vitviz', model, caption.probe], format), blob: await fileOf(drawing, format, provenance) };
}
