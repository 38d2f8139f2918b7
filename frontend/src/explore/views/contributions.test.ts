import { expect, test } from 'vitest';
import { MEAN } from '../../lib/numbers';
import { textOf } from '../../lib/words';
import {
  caution,
  cellsNote,
  contributionOf,
  contributionsOf,
  headLabel,
  headLine,
  headline,
  headsName,
  nextPlace,
  patchLine,
  prefixNote,
  stepLine,
  stepName,
  sumLine,
  tokenValues,
} from './contributions';

// two layers, two heads; class token, a register and two patches
const SHAPE = { layers: 2, heads: 2, rows: 1, columns: 2, aspect: 2, prefix: 2, class_token: true };
const HEADS = new Float32Array([1, 0, 2, -1, 0, 0, 0.5, 0, -0.5, 0, 0, -2, 0, 0.25, 0, 0]);
const base64 = (array: Float32Array) => Buffer.from(array.buffer).toString('base64');
const REPLY = {
  embedding: 0.5,
  heads: base64(HEADS),
  attention_bias: [0.25, 0],
  mlp: [-1, 4],
  bias: 0.25,
  logit: 4.25,
};
const DATA = contributionsOf(REPLY, SHAPE);

test('the steps sum to the logit, in the order of the forward pass', () => {
  expect(DATA.steps.map(({ part, layer, value }) => [part, layer, value])).toEqual([
    ['embedding', MEAN, 0.5],
    ['attention', 0, 2.75],
    ['mlp', 0, -1],
    ['attention', 1, -2.25],
    ['mlp', 1, 4],
    ['bias', MEAN, 0.25],
  ]);
  expect(DATA.steps.map(({ start }) => start)).toEqual([0, 0.5, 3.25, 2.25, 0, 4]);
  expect(DATA.steps.at(-1)?.end).toBe(REPLY.logit);
  expect([DATA.low, DATA.high, DATA.headLimit]).toEqual([0, 4.25, 2.5]);
});

test('heads are summed over layers, heads and tokens, or read at some patches', () => {
  expect([...tokenValues(HEADS, SHAPE, 0, 0)]).toEqual([1, 0, 2, -1]);
  expect([...tokenValues(HEADS, SHAPE, MEAN, 0)]).toEqual([0.5, 0, 2, -3]);
  expect([...tokenValues(HEADS, SHAPE, MEAN, MEAN)]).toEqual([0.5, 0.25, 2.5, -3]);
  expect(contributionOf(HEADS, SHAPE, 0, 0)).toBe(2);
  expect(contributionOf(HEADS, SHAPE, 0, 0, [1])).toBe(-1);
  expect(contributionOf(HEADS, SHAPE, 0, MEAN, [0, 1])).toBe(1.5);
});

test('a headline names the head, the sign and the patch behind it', () => {
  expect(headline(tokenValues(HEADS, SHAPE, 0, 0), 0, 0, ['cat'], SHAPE)).toBe(
    'Layer 1, head 1 adds 2.00 to the logit of cat, more via row 1, column 1 than via other patches',
  );
  expect(headline(tokenValues(HEADS, SHAPE, 1, MEAN), 1, MEAN, ['cat', 'dog'], SHAPE)).toBe(
    'Layer 2, all heads take 2.25 from the logit of cat minus that of dog, more via row 1, column 2 than via other patches',
  );
  const tiny = tokenValues(HEADS, SHAPE, 1, MEAN).map((value) => value / 1000);
  expect(headline(tiny, 1, MEAN, ['cat'], SHAPE)).toBe('Layer 2, all heads add 0.00 to the logit of cat');
  expect(headsName(MEAN, 1)).toBe('Head 2 of all layers');
  expect(headsName(MEAN, MEAN)).toBe('All heads');
});

test('lines print the sum, a step, a head and a patch with signs', () => {
  expect(textOf(sumLine(DATA, ['cat']))).toBe(
    '+0.50 embedding, +0.50 attention, +3.00 MLPs, +0.25 biases make +4.25, the logit of cat.',
  );
  expect(textOf(stepLine(DATA.steps[1], DATA))).toBe(
    'Layer 1, attention: +2.75 (biases +0.25); the sum so far is +3.25.',
  );
  expect(textOf(stepLine(DATA.steps[2], DATA))).toBe('Layer 1, MLP: −1.00; the sum so far is +2.25.');
  expect(stepName(DATA.steps[5])).toBe('Biases of the classification head');
  expect(textOf(headLine(DATA, SHAPE, 1, 0, []))).toBe('Layer 2, head 1: −2.50.');
  expect(textOf(headLine(DATA, SHAPE, 1, 0, [1]))).toBe('Layer 2, head 1: −2.00 from row 1, column 2.');
  expect(textOf(patchLine(-2, 1, 1, 0, SHAPE))).toBe('Layer 2, head 1 contributes −2.00 via row 1, column 2.');
  expect(prefixNote(tokenValues(HEADS, SHAPE, 0, 0), SHAPE)).toBe('+1.00 from the class token, 0.00 from 1 register');
  expect(cellsNote([1], 0.5, SHAPE)).toBe(
    'Cells: what each head took from row 1, column 2, colors from −0.50 to +0.50.',
  );
  expect(caution(SHAPE)).toContain('class token');
  expect(caution({ ...SHAPE, class_token: false })).toContain('tokens that the classification head reads');
});

test('keys walk through the bars, and through the heads of the attention layers', () => {
  const next = (row: number, column: number, key: string) => Object.values(nextPlace({ row, column }, key, 2, 2));
  expect(next(0, 0, 'ArrowUp')).toEqual([0, 0]);
  expect(next(0, 0, 'ArrowRight')).toEqual([0, 0]); // the embedding has no heads
  expect(next(1, 0, 'ArrowDown')).toEqual([2, 0]);
  expect(next(2, 0, 'ArrowRight')).toEqual([1, 1]);
  expect(next(1, 1, 'ArrowLeft')).toEqual([1, 0]);
  expect(next(1, 2, 'ArrowRight')).toEqual([1, 2]);
  expect(next(1, 2, 'ArrowDown')).toEqual([3, 2]);
  expect(next(3, 2, 'ArrowDown')).toEqual([3, 2]);
  expect(next(3, 2, 'PageUp')).toEqual([1, 2]);
  expect(next(3, 2, 'Home')).toEqual([3, 0]);
  expect(next(3, 0, 'End')).toEqual([3, 2]);
  expect(next(3, 0, 'PageDown')).toEqual([6, 0]);
  expect(next(6, 0, 'ArrowDown')).toEqual([6, 0]);
});

test('columns are named by their head, every second one where they are narrow', () => {
  expect([0, 1].map((head) => headLabel(head, 6))).toEqual(['head 1', '2']);
  expect([0, 1].map((head) => headLabel(head, 12))).toEqual(['1', '2']);
  expect([0, 1, 22, 23].map((head) => headLabel(head, 24))).toEqual(['1', '', '23', '']);
});
