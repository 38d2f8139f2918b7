import { expect, test } from 'vitest';
import { textOf } from '../../lib/words';
import { isCheap, meaning, patchedOf, readLine, strongest, tokensHeadline, tokensLine, tokensNote } from './patching';

const SHAPE = { layers: 2, heads: 2, rows: 1, columns: 2, aspect: 2, prefix: 2, class_token: true };
const REPLY = {
  heads: [
    [0.1, -0.5],
    [0.25, 0],
  ],
  mlp: [0.2, 0.3],
  logit: 8,
  tokens: [],
  corrupted_logit: -2,
  target: [1, 0],
};
const NAMES = ['cat', 'dog'];

test('each layer has its heads and its MLP, on one scale', () => {
  const patched = patchedOf(REPLY, NAMES);
  expect(patched.rows).toEqual([
    [0.1, -0.5, 0.2],
    [0.25, 0, 0.3],
  ]);
  expect(patched.limits).toEqual({ heads: 0.5, mlp: 0.3 });
  expect(strongest(patched)).toEqual([1, 0]);
});

test('what 0 and 1 mean is said with the logits', () => {
  const sentence = meaning(patchedOf(REPLY, NAMES));
  expect(sentence).toContain('0: the logit of dog minus that of cat stays at −2.00, as in B.');
  expect(sentence).toContain('1: this activation alone raises it to +8.00, as in A.');
  expect(sentence).toMatch(/Heads have colors from −[\d.]+ to \+[\d.]+, MLPs colors from −[\d.]+ to \+[\d.]+\.$/);
  expect(meaning(patchedOf({ ...REPLY, logit: -3 }, NAMES))).toContain('lowers it to −3.00');
});

test('the head of the headline is read out in logits, others by what they recover', () => {
  const read = (layer: number, column: number) =>
    textOf(readLine(patchedOf({ ...REPLY, target: [0] }, NAMES), layer, column, SHAPE));
  expect(read(1, 0)).toBe('Patched, it changes the logit of cat from −2.00 in B to +0.50; A has +8.00.');
  expect(read(0, 0)).toBe('Layer 1, head 1 recovers 10\u00a0% of the difference between A and B.');
});

test('a token is named by its place or its kind', () => {
  expect(tokensHeadline(4, [0, 0, 0.1, 0.2], SHAPE)).toBe(
    'After layer 5, the token at row 1, column 2 recovers 20\u00a0% of the difference between A and B',
  );
  expect(tokensHeadline(0, [0.9, 0, 0.1, 0.2], SHAPE)).toContain('the class token recovers 90\u00a0%');
  expect(tokensNote([0.9, -0.1, 0, 0], SHAPE)).toBe('+0.90 by the class token, −0.10 by register 1');
  expect(tokensNote([0.9, -0.1, 0, 0], { ...SHAPE, class_token: false })).toContain(
    'by register 1, −0.10 by register 2',
  );
});

test('the strongest patch token is read out, unless none has an effect', () => {
  const read = (values: number[], patch: number) =>
    textOf(tokensLine(values, patch, SHAPE, patchedOf({ ...REPLY, target: [0] }, NAMES)));
  expect(read([1, 0, 0.1, 0.2], -1)).toBe(
    'Row 1, column 2: its token after this layer, taken from A, recovers 20\u00a0% of the difference.',
  );
  expect(read([1, 0, 0.1, 0.2], 0)).toContain('Row 1, column 1');
  expect(read([1, 0, 0, 0], -1)).toContain('No patch token recovers anything');
  expect(read([1, 0, 0, 0], 1)).toContain('recovers 0\u00a0%');
  expect(read([0, 0, 0.1, 0.25], -1), 'in the headline').toBe(
    'Patched, it changes the logit of cat from −2.00 in B to +0.50; A has +8.00.',
  );
});

test('a small model is patched at once, a large one on request', () => {
  const small = { layers: 9, heads: 6, rows: 8, columns: 8, aspect: 1, prefix: 1, class_token: true };
  expect(isCheap(small, 5e6)).toBe(true);
  expect(isCheap({ ...small, layers: 12, heads: 12, rows: 14, columns: 14 }, 86e6)).toBe(false);
});
