import { expect, test } from 'vitest';
import type { Classes } from './classes.svelte';
import { barsOf, confusionOf, evidenceOf, headlineOf, lastAttention, testedOf, validationNote } from './results';

const base64 = (values: number[]) => btoa(String.fromCharCode(...new Uint8Array(new Float32Array(values).buffer)));
const CLASSES: Classes = ['cat', 'dog'].map((name, id) => ({
  id,
  name,
  examples: [0, 1].map((k) => ({ image: { kind: 'test', index: 2 * id + k }, source: '', title: '', src: '' })),
}));
const VALIDATION = {
  probabilities: base64([0.9, 0.1, 0.25, 0.75, NaN, NaN, 0.125, 0.875]),
  groups: [0, 1, 2, 3],
  untestable: [1],
  correct: 2,
  total: 3,
  interval: [0.2, 0.94] as [number, number],
  is_optimistic: false,
};
const SHAPE = { layers: 2, heads: 2, rows: 1, columns: 2, aspect: 1, prefix: 1, class_token: true };

test('of more than five classes the four most probable ones are listed, and the others together', () => {
  const names = [...'abcdefg'];
  const bars = barsOf(names, [0.05, 0.3, 0.1, 0.2, 0.15, 0.15, 0.05], [0.5, 0, 0, 0, 0.25, 0, 0.25]);
  expect(bars.map(({ name }) => name)).toEqual(['b', 'd', 'e', 'f', '3 other classes together']);
  expect(bars[4].probability).toBeCloseTo(0.2);
  expect(bars[4].heldOut).toBe(0.75);
  expect(barsOf(['b', 'a'], [0.1, 0.9], null).map(({ name, heldOut }) => [name, heldOut])).toEqual([
    ['b', null],
    ['a', null],
  ]);
});

test('held-out predictions are counted, those that were not held out are not', () => {
  const tested = testedOf(CLASSES, VALIDATION);
  expect(tested.map(({ label, predicted }) => [label, predicted])).toEqual([
    [0, 0],
    [0, 1],
    [1, -1],
    [1, 1],
  ]);
  expect(tested[1].probabilities).toEqual([0.25, 0.75]);
  expect(confusionOf(tested, 2)).toEqual([
    [1, 1],
    [0, 1],
  ]);
});

test('what could not be held out is named', () => {
  expect(validationNote(VALIDATION, CLASSES)).toContain('Not tested: “dog”');
  expect(validationNote({ ...VALIDATION, is_optimistic: true }, CLASSES)).toMatch(/^Optimistic/);
});

test.each([
  ['Teach your own classes', CLASSES.map((one) => ({ ...one, examples: [] })), null],
  ['“cat” has 2 images. Add images to a second class', CLASSES.slice(0, 1), null],
  ['2 classes, 4 images', CLASSES, null],
  ['2 classes, 4 images: 2 of 3 right when held out', CLASSES, VALIDATION],
])('the headline %j', (headline, classes, validation) => {
  expect(headlineOf(classes, validation)).toBe(headline);
});

test('the parts of a logit add up, and the first is the sum of the map', () => {
  const heads = base64([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]); // (L, A, T)
  const reply = { embedding: 0.5, heads, attention_bias: [0.25, 0.25], mlp: [1, -3], bias: 2, logit: 79 };
  const { patches, parts, logit } = evidenceOf(reply, SHAPE);
  expect(patches).toEqual([2 + 5 + 8 + 11, 3 + 6 + 9 + 12]);
  expect(parts.map(({ value }) => value)).toEqual([56, 22.5, -2, 2.5]);
  expect(parts.reduce((sum, { value }) => sum + value, 0)).toBe(logit);
});

test('the attention is the mean over the heads of the last layer', () => {
  expect(lastAttention(new Float32Array([0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 3, 6]), SHAPE)).toEqual([2, 4]);
});
