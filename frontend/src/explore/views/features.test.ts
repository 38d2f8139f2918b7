import { expect, test } from 'vitest';
import { MEAN } from '../../lib/numbers';
import { textOf } from '../../lib/words';
import {
  colorReading,
  colorsHeadline,
  colorsLine,
  featuresNote,
  layerShown,
  lensHeadline,
  lensLine,
  lensNote,
  nearestNote,
  ofLayer,
  similarityHeadline,
  similarityLine,
  similarityNote,
  similarityScale,
  similarityText,
} from './features';

const SHAPE = { layers: 2, heads: 2, rows: 1, columns: 3, aspect: 3, prefix: 1, class_token: true };

test('the mean over layers has no features: the last layer is shown', () => {
  expect(layerShown(MEAN, 6)).toBe(5);
  expect(layerShown(2, 6)).toBe(2);
  expect([...ofLayer(new Float32Array([1, 2, 3, 4, 5, 6]), 1, SHAPE)]).toEqual([4, 5, 6]);
});

test('the explained variance is printed, and why there is none', () => {
  expect(colorsHeadline(4, [0.25, 0.125, 0.125], false)).toBe(
    'Layer 5: three components explain 50\u00a0% of the variance of the patch features',
  );
  expect(colorsHeadline(0, null, true)).toBe('Layer 1: fewer than 3 patches are left without the background');
  expect(colorsHeadline(0, null, false)).toBe('Layer 1: fewer than 3 patches are left');
  expect(textOf(colorsLine([0.25, 0.12, 0.08], false))).toContain('25\u00a0%, 12\u00a0% and 8\u00a0%');
  expect(textOf(colorsLine(null, true))).toContain('Include the background');
  expect(textOf(colorsLine(null, false))).toBe('Restore removed patches.');
  expect(featuresNote(true)).toContain('without the background');
  expect(featuresNote(false)).not.toContain('without the background');
});

test('a color is read as coordinates, and a transparent one as background', () => {
  expect(colorReading(0xff_00_80_ff)).toEqual(['1.00\u00a00.50\u00a00.00', 'red, green, blue']);
  expect(colorReading(0)).toEqual(['background', '']);
});

test('the most similar patch is another one', () => {
  const values = new Float32Array([0.5, 1, 0.75]);
  expect(similarityHeadline(1, 1, values, SHAPE)).toBe('Layer 2: row 1, column 2 is most similar to row 1, column 3');
  expect(textOf(similarityLine(1, values, -1, SHAPE))).toContain('row 1, column 3 is 0.75');
  expect(textOf(similarityLine(1, values, 0, SHAPE))).toContain('row 1, column 1 is 0.50');
  const opposite = new Float32Array([-0.5, 1, -0.75]);
  expect(textOf(similarityLine(1, opposite, -1, SHAPE))).toContain('row 1, column 1 is −0.50');
  expect(similarityNote(1, SHAPE)).toContain('Cosine of the features of row 1, column 2 and of each patch');
});

test('one scale ends at 1 and begins below the least cosine', () => {
  expect(similarityScale(new Float32Array([1, 0.25]), SHAPE)).toMatchObject({ low: 0.2, limit: 1 });
  expect(similarityScale(new Float32Array([1, -0.21]), SHAPE).kind).toBe('linear');
  expect(similarityScale(new Float32Array([1, 1]), SHAPE)).toMatchObject({ low: 0.9 });
});

test('removed patches have no similarity', () => {
  const values = new Float32Array([0, -0.5, 1]);
  const shape = { ...SHAPE, removed: [0] };
  expect(similarityHeadline(1, 2, values, shape)).toBe('Layer 2: row 1, column 3 is most similar to row 1, column 2');
  expect(similarityText(2, values, shape)).toBe('max −0.50');
  expect(textOf(similarityLine(2, values, 0, shape))).toBe('Row 1, column 1 is removed.');
  expect(similarityScale(new Float32Array([0, 0.75, 1, 0, 1, 0.5]), shape)).toMatchObject({ low: 0.5 });
  expect(similarityHeadline(1, 0, values, shape)).toBe('Row 1, column 1 is removed');
  expect(similarityText(0, values, shape)).toBe('');
  expect(textOf(similarityLine(0, values, -1, shape))).toBe('Row 1, column 1 is removed.');
  const alone = { ...SHAPE, removed: [0, 1] };
  expect(similarityHeadline(1, 2, values, alone)).toBe('Layer 2: row 1, column 3 is the only patch left');
  expect(similarityText(2, values, alone)).toBe('');
});

test('the nearest images are counted and their features named', () => {
  expect(nearestNote(8, 50_000, true)).toBe(
    '8 images most similar of 50,000 training images, by the cosine of the final class tokens.',
  );
  expect(nearestNote(1, 10, false)).toContain('mean final patch tokens');
});

test('what a lens reads is stated with what was measured, and is no localization', () => {
  const lens = { values: '', accuracy: [0.2, 0.5, 0.8], localization: [0.7, 0.9, 0.6], plain_localization: null };
  const found = { ...lens, images: 2000, held_out: 500, dataset: 'CIFAR-10' };
  const values = new Float32Array([0.25, 0.75, 0]);
  const shape = { ...SHAPE, removed: [2] };
  expect(lensHeadline(0, values, 'cat', shape)).toBe(
    'Layer 1: the patches give cat 50\u00a0% on average, one up to 75\u00a0%',
  );
  expect(lensHeadline(0, null, '', null)).toBe('What does each patch already know?');
  expect(textOf(lensLine(found, 1))).toBe(
    'The lens reads the predicted class from 80\u00a0% of the patches of 500 other images; it finds the half of a mosaic that shows a class with an AUROC of 0.60. Accuracy is not localization: late patches know of the whole image.',
  );
  expect(textOf(lensLine({ ...found, localization: null }, 1))).not.toContain('AUROC');
  expect(lensNote(found, 'cat')).toContain('fit on 2,000 images of CIFAR-10 to the predictions');
  expect(lensNote({ ...found, dataset: '' }, 'cat')).toContain('2,000 images to');
});
