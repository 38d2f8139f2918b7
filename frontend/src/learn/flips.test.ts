import { expect, test } from 'vitest';
import { flipLines, flipped, tryLine } from './flips';

const REPLY = { classes: ['cat', 'dog'], probabilities: [0.75, 0.25] };

test('the answer is changed by another largest probability', () => {
  expect(flipped([0.75, 0.25], null)).toBe(false);
  expect(flipped([0.75, 0.25], [0.6, 0.4])).toBe(false);
  expect(flipped([0.75, 0.25], [0.4, 0.6])).toBe(true);
});

test('a try is described while it is computed, lost and won', () => {
  expect(tryLine(REPLY, 0, null)).toBe('Click patches to remove them. How few change the prediction?');
  expect(tryLine(REPLY, 2, null)).toBe('2 patches removed.');
  expect(tryLine(REPLY, 1, [0.6, 0.4])).toBe('1 patch removed: still cat, 60.0\u00a0%.');
  expect(tryLine(REPLY, 3, [0.1, 0.9])).toBe('Changed with 3 patches: cat becomes dog.');
});

test('the best known set is compared with random orders and with the reader', () => {
  const reply = { best: [3, 1], random: [9, null, 4, 6] }; // the median of an even number is the mean of the middle two
  const [known, chance, own] = flipLines(reply, 0);
  expect(known).toBe('Best known: 2 patches. A smaller set may exist.');
  expect(chance).toBe('3 of 4 random orders change it, with 6 patches (median).');
  expect(own).toBe('You have not changed it yet.');
  expect(flipLines(reply, 2)[2]).toBe('You needed as few as the best known set.');
  expect(flipLines(reply, 5)[2]).toBe('You needed 5 patches, 3 more.');
  expect(flipLines(reply, 6)[2]).toBe('You needed 6 patches, 4 more: no better than random.');
  expect(flipLines(reply, 1)[2]).toBe('You needed 1 patch: better than the best known set!');
  expect(flipLines({ best: [1], random: [null] }, 0)[1]).toBe('None of 1 random orders changes it.');
  expect(flipLines({ best: null, random: [null] }, 0)).toEqual([
    'No order changes the prediction as long as a patch is left.',
  ]);
});
