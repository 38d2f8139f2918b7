import { describe, expect, it } from 'vitest';
import { effectSentence, phrasesOf, pointsBetween } from './changes';

describe('pointsBetween', () => {
  it('is the difference of the printed percentages', () => {
    expect(pointsBetween(0.97349, 0.5)).toBeCloseTo(50 - 97.3, 10);
    expect(pointsBetween(0.5, 0.50049)).toBe(0);
  });
});

describe('effectSentence', () => {
  const classes = ['cat', 'dog'];

  it('gives the earlier probability', () => {
    expect(effectSentence(0, classes, [0.9, 0.1], [0.8, 0.2])).toBe('for cat, from 90.0\u00a0%');
  });

  it('names another class that wins', () => {
    expect(effectSentence(0, classes, [0.9, 0.1], [0.2, 0.8])).toBe(
      'for cat, from 90.0\u00a0%. The model now predicts dog, 80.0\u00a0%.',
    );
  });
});

it('commas and lines separate phrases, each of which counts once', () => {
  expect(phrasesOf('a cat, a dog\n\n a cat ,\nthe sea')).toEqual(['a cat', 'a dog', 'the sea']);
  expect(phrasesOf(' ,\n')).toEqual([]);
});
