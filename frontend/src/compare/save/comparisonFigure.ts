/* The comparison on screen drawn for a file, loaded on request. */

import { type FigureFormat, fileName, fileOf } from '../../lib/export/files';
import { drawingOf } from '../../lib/export/sheet';
import { overriding } from '../../lib/export/shown';
import type { Provenance } from '../../lib/routes';
import stage from '../../lib/stage.css?inline';
import css from '../compare.css?inline';
import type { Compared } from '../compared';
import type { Comparison, Shown } from '../comparison.svelte';
import { restingSentence, scaleSentence } from '../readings';
import type { Format } from '../saveComparison';
import SavedFigure from './ComparisonFigure.svelte';
import figure from './comparisonFigure.css?inline';

export async function drawFigure(
  page: Comparison,
  shown: Shown,
  format: FigureFormat,
  address: string | null,
  provenance: Provenance | null,
) {
  const { reply } = shown;
  const theme = page.theme.light();
  const models = [shown.a, shown.b].map(({ subject }) => subject.model);
  const model = models[0] === models[1] ? `Model: ${models[0]}.` : `Models: A ${models[0]}, B ${models[1]}.`;
  const caption = `${restingSentence(reply)} ${model} ${scaleSentence(reply)}`;
  const props = {
    page: overriding(page, { theme, readout: overriding(page.readout, { reading: null }), removes: false }),
    shown,
    caption,
    address,
  };
  return fileOf(await drawingOf(SavedFigure, props, [stage, css, figure], reply.headline, caption), format, provenance);
}

/** The name of a file: what the sides differ in, and what both show. */
export const nameOf = ({ a, b }: Compared, format: Format) =>
  fileName(['vitviz compare', a.name, b.name, a.title === b.title && a.title], format);
