import { expect, it } from 'vitest';
import { baselineLabel, placeOf, scoreLabel } from './scores';

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

it('names the random order unless its score is negative', () => {
  expect(baselineLabel(null)).toBe('');
  expect(baselineLabel(reply(0.4, 0.3))).toBe('random 0.30');
  expect(baselineLabel(reply(0.4, -2.84))).toBe('−2.84');
});

it('places a score on its track', () => {
  expect([-1, 0, 0.25, 3].map(placeOf)).toEqual(['0%', '0%', '25%', '100%']);
});
