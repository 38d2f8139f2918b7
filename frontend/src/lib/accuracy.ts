/* The accuracy of a model, with no more digits than the number of images allows; `accuracy_text` in Python. */

import { percent } from './words';

/** What is known of a model's accuracy. */
export interface Accuracy {
  is_classifier: boolean;
  /** Their number, 0 without a classification head. */
  classes?: number;
  accuracy?: number | null;
  /** The images that it was measured on. */
  eval_samples?: number | null;
  /** Their split, "test" or "held-out". */
  measured_on?: string | null;
  family?: string;
  /** Where a model that vitviz did not train is from. */
  pretrained?: string;
  /** What a taught head was fitted to. */
  linear_probe?: string;
}

const FEW = 100; // images: below, one image changes the accuracy by more than 1 %, and the counts are stated

const digitsFor = (images: number | null | undefined) => (images && images < 1000 ? 0 : 1);

/** "93.3 %", of a few images "15 of 16". */
export function accuracyNumber(accuracy: number, images?: number | null) {
  return images && images < FEW
    ? `${Math.round(accuracy * images)} of ${images}`
    : percent(accuracy, digitsFor(images));
}

/** "93.3 % (10,000 test images, 95 % interval 92.7 to 93.7)", of a few images "15 of 16 test images". */
export function accuracyText(accuracy: number, images?: number | null, split = 'test') {
  const number = accuracyNumber(accuracy, images);
  if (!images) return `${number} of the ${split} images`;
  if (images < FEW) return `${number} ${split} images`;
  const [low, high] = wilsonInterval(accuracy, images).map((end) => (100 * end).toFixed(digitsFor(images)));
  return `${number} (${images.toLocaleString('en-US')} ${split} images, 95\u00a0% interval ${low} to ${high})`;
}

/** The 95 % interval of a proportion (Wilson 1927). */
export function wilsonInterval(proportion: number, count: number): [number, number] {
  const z = 1.96;
  const scale = 1 + z ** 2 / count;
  const center = proportion + z ** 2 / (2 * count);
  const half = z * Math.sqrt((proportion * (1 - proportion)) / count + z ** 2 / (4 * count ** 2));
  return [(center - half) / scale, (center + half) / scale];
}

/** What the record of a model says of its accuracy. */
export function accuracyLine(model: Accuracy | undefined) {
  if (!model) return '';
  if (model.classes === 0 && ['CLIP', 'SigLIP'].includes(model.family ?? '')) {
    return 'This image encoder is compared with texts, and none are stored with it, so it predicts no class. `vitviz convert --classes "a cat,a dog"` makes texts its classes.';
  }
  if (model.classes === 0) {
    return 'This model has no classification head, so it predicts no class.';
  }
  if (!model.is_classifier) {
    return 'This model was trained to predict masked patches, not labels: its attention is meaningful, its prediction is not.';
  }
  if (model.linear_probe) return `${model.linear_probe.replace(/^l/, 'L')}.`;
  if (model.accuracy == null && model.pretrained)
    return `Weights: ${model.pretrained}. No accuracy is recorded with them.`;
  if (model.accuracy == null) return 'No accuracy is recorded with this model: it may be untrained.';
  return `Accuracy ${accuracyText(model.accuracy, model.eval_samples, model.measured_on ?? 'test')}, stored in the model file.`;
}
