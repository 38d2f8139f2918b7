import { expect, test } from 'vitest';
import { accuracyLine, accuracyNumber, accuracyText, wilsonInterval } from './accuracy';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');
const MODEL = { is_classifier: true, accuracy: 0.9325, eval_samples: 10000, measured_on: 'test' };

test('an accuracy has the number of images and an interval', () => {
  expect(plain(accuracyText(0.9325, 10000))).toBe('93.3 % (10,000 test images, 95 % interval 92.7 to 93.7)');
  expect(plain(accuracyText(0.61, 200, 'held-out'))).toBe('61 % (200 held-out images, 95 % interval 54 to 67)');
  expect(plain(accuracyText(0.5))).toBe('50.0 % of the test images');
});

test('of a few images the counts are stated', () => {
  expect(accuracyText(1, 16)).toBe('16 of 16 test images');
  expect(accuracyText(0.9375, 16, 'held-out')).toBe('15 of 16 held-out images');
});

test('a number has no more digits than the images allow', () => {
  expect(
    [
      [0.9325, 10000],
      [0.9325, 400],
      [0.75, 4],
      [0.9325, null],
    ].map(([accuracy, images]) => plain(accuracyNumber(accuracy as number, images))),
  ).toEqual(['93.3 %', '93 %', '3 of 4', '93.3 %']);
});

test('the interval of Wilson stays within 0 and 1', () => {
  const [low, high] = wilsonInterval(1, 16);
  expect(low).toBeCloseTo(0.806, 3);
  expect(high).toBeCloseTo(1, 10);
  expect(wilsonInterval(0.5, 100).map((end) => Number(end.toFixed(4)))).toEqual([0.4038, 0.5962]);
});

test('what is recorded with a model', () => {
  expect(plain(accuracyLine(MODEL))).toBe(
    'Accuracy 93.3 % (10,000 test images, 95 % interval 92.7 to 93.7), stored in the model file.',
  );
  expect(accuracyLine({ ...MODEL, accuracy: null })).toBe(
    'No accuracy is recorded with this model: it may be untrained.',
  );
  expect(accuracyLine({ ...MODEL, accuracy: null, pretrained: 'timm/vit_small_patch16_224 at 1a2b3c4d' })).toBe(
    'Weights: timm/vit_small_patch16_224 at 1a2b3c4d. No accuracy is recorded with them.',
  );
  expect(accuracyLine({ ...MODEL, is_classifier: false })).toContain('predict masked patches');
  expect(accuracyLine({ ...MODEL, is_classifier: false, classes: 0 })).toContain('no classification head');
  expect(accuracyLine({ ...MODEL, is_classifier: false, classes: 0, family: 'CLIP' })).toContain(
    'makes texts its classes',
  );
  expect(accuracyLine({ ...MODEL, accuracy: null, linear_probe: 'linear probe on dinov2, 20 images' })).toBe(
    'Linear probe on dinov2, 20 images.',
  );
  expect(accuracyLine(undefined)).toBe('');
});
