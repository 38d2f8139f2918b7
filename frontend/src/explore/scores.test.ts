import { expect, it } from 'vitest';
import { comparisonOf, placeOf, scoreLabel } from './scores';

const reply = (score: number | null, mean: number) => ({
  scores: { rollout: score },
  random_baseline: [mean, 0.1] as [number, number],
});

it('prints a score once it is computed', () => {
  expect(scoreLabel(null, 'rollout')).toBe('…');
  expect(scoreLabel(reply(0.456, 0.3), 'rollout')).toBe('0.46');
  expect(scoreLabel(reply(-1.69, 0.3), 'rollout')).toBe('−1.69');
});

it('prints a dash for a flat map, which has no score', () => {
  expect(scoreLabel(reply(null, 0.3), 'rollout')).toBe('–');
});

it('compares a score with random orders', () => {
  expect(comparisonOf(null, 'rollout')).toBeNull();
  expect(comparisonOf(reply(null, 0.3), 'rollout')).toBeNull();
  expect(comparisonOf(reply(0.9, 0.3), 'rollout')).toBe('above');
  expect(comparisonOf(reply(0.096, 0.304), 'rollout')).toBe('near'); // printed: 0.10 and 0.30 ± 0.10
});

it('places a score on its track', () => {
  expect([-1, 0, 0.25, 3].map(placeOf)).toEqual(['0%', '0%', '25%', '100%']);
});
