import { expect, test } from 'vitest';
import { greedySentence } from './faithfulness';

test('a score is set between random and the greedy order', () => {
  const known = { scores: { rollout: 0.7, greedy: 0.9, random: 0.4 }, random_baseline: [0.5, 0.1] };
  expect(greedySentence('rollout', 0.7, known)).toBe(' That is 50\u00a0% of the way from random to the greedy order.');
  expect(greedySentence('greedy', 0.9, known)).toBe(''); // itself
  expect(greedySentence('random', 0.4, known)).toBe(''); // below the baseline
  expect(greedySentence('rollout', 0.7, { ...known, scores: {} })).toBe('');
  expect(greedySentence('rollout', 0.7, { ...known, scores: { greedy: 0.5 } })).toBe('');
});
