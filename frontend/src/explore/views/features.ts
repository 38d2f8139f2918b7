/* Features of the patch tokens: words and numbers. Pure functions. */

import type { Grid } from '../../lib/grid';
import { meanOf, patchCount, remainingPatches, type Scale, type Shape } from '../../lib/numbers';
import type { TunedLens } from '../../lib/routes';
import type { Layer } from '../../lib/view';
import { capital, counted, type Line, patchName, percent, SPACE, written } from '../../lib/words';
import { isRemoved } from '../../session/selection';

const COLORS = ['red', 'green', 'blue'];
export const MIN_PATCHES = 3; // for principal components, as in Python

/** The layer shown large: features have no mean over layers. */
export const layerShown = (layer: Layer, layers: number) =>
  typeof layer === 'number' ? Math.min(layer, layers - 1) : layers - 1;

const total = (explained: readonly number[]) => explained.reduce((sum, ratio) => sum + ratio, 0);

/** "Layer 5: three components explain 52 % of the variance of the patch features" */
export function colorsHeadline(layer: number, explained: readonly number[] | null, foreground: boolean) {
  const what = foreground ? ' without the background' : '';
  if (!explained) return `Layer ${layer + 1}: fewer than ${MIN_PATCHES} patches are left${what}`;
  return `Layer ${layer + 1}: three components explain ${percent(total(explained), 0)} of the variance of the patch features`;
}

/** "Red, green and blue: 24 %, 14 % and 13 % of the variance." */
export function colorsLine(explained: readonly number[] | null, foreground: boolean): Line {
  if (!explained) return [foreground ? 'Include the background, or choose another layer.' : 'Restore removed patches.'];
  const [red, green, blue] = explained.map((ratio) => percent(ratio, 0));
  return [
    'Patches of similar color have similar features. Red, green and blue are the first three principal components: ',
    { strong: `${red}, ${green} and ${blue}` },
    ' of the variance.',
  ];
}

/** The colors of a patch, 0 .. 1 along each component; none outside of the foreground.
    @param pixel alpha, blue, green, red, as canvas memory holds them */
export function colorReading(pixel: number): [number: string, remark: string] {
  if (pixel >>> 24 === 0) return ['background', ''];
  const parts = [0, 8, 16].map((shift) => (((pixel >>> shift) & 255) / 255).toFixed(2));
  return [parts.join(SPACE), COLORS.join(', ')];
}

/** The remaining patch most similar to another one; null if that one is removed, or the only one left. */
function mostSimilar(values: ArrayLike<number>, patch: number, shape: Shape): number | null {
  const others = isRemoved(patch, shape) ? [] : remainingPatches(shape).filter((other) => other !== patch);
  return others.length ? others.reduce((best, other) => (values[other] > values[best] ? other : best)) : null;
}

const removedSentence = (patch: number, shape: Shape) => `${capital(patchName(patch, shape))} is removed`;

/** "Layer 5: row 3, column 3 is most similar to row 3, column 4" */
export function similarityHeadline(layer: number, patch: number, values: ArrayLike<number>, shape: Shape) {
  if (isRemoved(patch, shape)) return removedSentence(patch, shape);
  const other = mostSimilar(values, patch, shape);
  const what = other === null ? 'the only patch left' : `most similar to ${patchName(other, shape)}`;
  return `Layer ${layer + 1}: ${patchName(patch, shape)} is ${what}`;
}

/** "max 0.91", the similarity with the most similar patch */
export function similarityText(patch: number, values: ArrayLike<number>, shape: Shape) {
  const other = mostSimilar(values, patch, shape);
  return other === null ? '' : `max ${written(values[other], 2)}`;
}

export function similarityLine(patch: number, values: ArrayLike<number>, read: number, shape: Shape): Line {
  const other = read >= 0 ? read : (mostSimilar(values, patch, shape) ?? patch);
  const removed = [patch, other].find((one) => isRemoved(one, shape));
  if (removed !== undefined) return [`${removedSentence(removed, shape)}.`];
  return [
    'The cosine of the features of ',
    `${patchName(patch, shape)} and ${patchName(other, shape)} is `,
    { strong: written(values[other], 2) },
    '. It compares what the tokens contain, not what they attend to.',
  ];
}

/** One scale for all layers: from the least cosine of the remaining patches, rounded down to a tenth, to 1. */
export function similarityScale(values: Float32Array, shape: Shape): Scale {
  const patches = patchCount(shape);
  const least = values.reduce((low, value, i) => (isRemoved(i % patches, shape) ? low : Math.min(low, value)), 1);
  return { kind: 'linear', low: Math.min(0.9, Math.floor(10 * least) / 10), limit: 1, clips: false, isWeight: false };
}

/** "Layer 5: the patches give cat 41 % on average, one up to 93 %" */
export function lensHeadline(layer: number, values: Float32Array | null, name: string, shape: Shape | null) {
  if (!values || !shape) return 'What does each patch already know?';
  const kept = remainingPatches(shape).map((patch) => values[patch]);
  return `Layer ${layer + 1}: the patches give ${name} ${percent(meanOf(kept), 0)} on average, one up to ${percent(Math.max(...kept), 0)}`;
}

/** What was measured of a layer, and that accuracy is not localization. */
export function lensLine({ accuracy, localization, held_out: count }: TunedLens, layer: number): Line {
  const where = localization
    ? [
        `; it finds the half of a mosaic that shows a class with an AUROC of `,
        { strong: localization[layer + 1].toFixed(2) },
      ]
    : [];
  return [
    'The lens reads the predicted class from ',
    { strong: percent(accuracy[layer + 1], 0) },
    ` of the patches of ${counted(count, 'other image', 'other images')}`,
    ...where,
    '. Accuracy is not localization: late patches know of the whole image.',
  ];
}

/** What is read, and from where the lens is. */
export const lensNote = ({ images, dataset }: TunedLens, name: string) =>
  `Probability of ${name} by an affine map of each patch’s token, fit on ${images.toLocaleString('en')} images${dataset && ` of ${dataset}`} to the predictions of the model; percentages: its accuracy on others.`;

/** The features of a layer among those of all layers. */
export const ofLayer = <T extends Float32Array | Uint32Array>(all: T, layer: number, grid: Grid): T => {
  const patches = grid.rows * grid.columns;
  return all.subarray(layer * patches, (layer + 1) * patches) as T;
};

/** What is computed. */
export function featuresNote(foreground: boolean) {
  const over = foreground
    ? 'the patches of this image without the background, the side of the first component with most border patches'
    : 'the patches of this image';
  return `PCA over ${over}, for each layer separately: colors of different layers are not comparable.`;
}

/** What is compared. */
export const similarityNote = (patch: number, shape: Shape) =>
  `Cosine of the features of ${patchName(patch, shape)} and of each patch, after each layer; max: of another patch.`;

/** "8 most similar of 50,000 training images, by the cosine of the final class tokens" */
export const nearestNote = (shown: number, count: number, hasClassToken: boolean) =>
  `${counted(shown, 'image', 'images')} most similar of ${count.toLocaleString('en')} training images, by the cosine of ${hasClassToken ? 'the final class tokens' : 'the mean final patch tokens'}.`;
