import { describe, expect, test } from 'vitest';
import { compareToRandom, methodLine, scoreNote, scoreSentence, scoreText } from './faithfulness';
import type { Shape } from './numbers';
import { ticksOf, unitOf } from './ticks';
import { type Line, type Method, methodHeadline, methodNumber, textOf } from './words';

/** Text with ordinary spaces. */
const plain = (text: string) => text.replaceAll('\u00a0', ' ');
const shown = (line: Line) => plain(textOf(line));

/** Two rows of two patches after the class token. */
const shape: Shape = { layers: 6, heads: 3, rows: 2, columns: 2, aspect: 1, prefix: 1, class_token: true };

describe('sentences of a method', () => {
  const method: Method = { key: 'relevance', name: 'Relevance', unit: 'relative', forClass: true };
  const random: Method = { key: 'random', name: 'Random', unit: 'relative', forClass: false };
  const scale = { kind: 'linear', limit: 2, isWeight: false } as const;
  const values = [0, 0.5, 2, 1];
  const line = (score: number | null, baseline = [0.3, 0.1], about = method) =>
    shown(
      methodLine(about, values, -1, scale, { scores: { [about.key]: score }, random_baseline: baseline }, 'cat', shape),
    );

  test('name the patch that ranks highest', () => {
    expect(methodHeadline(method, ['cat', 'dog'], values, shape)).toBe(
      'Relevance for cat, not dog: row 2, column 1 ranks highest',
    );
    expect(methodHeadline(random, ['cat'], values, shape)).toBe(
      'Random: row 2, column 1 comes first in this order, which explains nothing',
    );
    expect(methodHeadline(method, ['cat'], [1, 1, 1, 1], shape)).toBe(
      'Relevance for cat: all patches have the same value',
    );
  });

  test('read the value under the pointer', () => {
    expect(shown(methodLine(method, values, 1, scale, null, 'cat', shape))).toBe(
      'Row 1, column 2 has 0.25 of the maximum.',
    );
    const signedScale = { kind: 'signed', limit: 2 } as const;
    expect(shown(methodLine({ ...method, unit: 'logits' }, [-1, 0, 0, 0], 0, signedScale, null, 'cat', shape))).toBe(
      'Row 1, column 1 has −1.00 of the logit.',
    );
  });

  test('compare the deletion score with random orders', () => {
    const start = 'Masking the highest-ranked patches first';
    expect(line(0.62)).toBe(
      `${start} lowers the probability of cat by 62 % on average, a random order by 30 %: better than random.`,
    );
    expect(line(0.05)).toBe(
      `${start} lowers the probability of cat by 5 % on average, a random order by 30 %: worse than random.`,
    );
    expect(line(0.1, [0.3, 0.01], random)).toContain('a difference by chance');
    expect(line(0.32)).toContain('by 30 %: no clear difference.');
    expect(line(0.62, [-0.3, 0.1])).toContain('by 62 % on average, a random order raises it by 30 %: ');
    expect(line(-20)).toContain(
      'raises the probability of cat by over 1,000 % on average, a random order lowers it by',
    );
  });

  test('have no score for a flat map or while it is computed', () => {
    expect(shown(methodLine(method, [1, 1], -1, scale, null, 'cat', shape))).toContain('has no ranking to score');
    expect(shown(methodLine(method, values, -1, scale, null, 'cat', shape))).toBe('Computing the deletion score…');
    expect(line(null)).toContain('by 0 %');
  });

  test('a score within two standard deviations of random orders is neither better nor worse', () => {
    const scores = { scores: { a: 0.36, b: 0.6, c: 0.8, d: null, random: 0.9 }, random_baseline: [0.64, 0.07] };
    const at = (key: string) => scoreSentence({ key, name: 'It' }, scores);
    expect([0.49, 0.51, 0.77, 0.79].map((score) => compareToRandom(score, scores, 'x'))).toEqual([
      'below',
      'near',
      'near',
      'above',
    ]);
    expect(at('a')).toBe('It: deletion score 0.36, below random (0.64 ± 0.07).');
    expect(at('b')).toBe('It: deletion score 0.60, no better or worse than random (0.64 ± 0.07).');
    expect(at('c')).toContain('above random');
    expect(at('random')).toContain('one order');
    expect(at('d')).toContain('has no deletion score');
    expect(scoreSentence({ key: 'a', name: 'It' }, null)).toContain('is being computed');
  });

  test('the note about scores', () => {
    expect(scoreNote(null, 'cat')).toMatch(/are masked\.$/);
    expect(scoreNote({ scores: {}, random_baseline: [0.3, 0.05] }, 'cat')).toMatch(
      /the probability of cat .* Mark: 20 random orders, 0\.30 ± 0\.05 \(SD\); ≈ is within 2 SD\.$/,
    );
    expect([-11, -0.123, 0.5].map(scoreText)).toEqual(['< −10', '−0.12', '0.50']);
  });

  test('values and remarks at the pointer', () => {
    const weights = { kind: 'linear', limit: 1, isWeight: true } as const;
    expect(methodNumber(0.4, weights, shape).map(plain)).toEqual(['40.0 %', '2.0 × uniform']);
    expect(methodNumber(-0.002, { kind: 'signed', limit: 0.01 }, shape)).toEqual(['−0.0020', 'against the class']);
    expect(methodNumber(3, { kind: 'signed', limit: 40 }, shape)).toEqual(['+3.00', 'for the class']);
    expect(methodNumber(1, scale, shape)).toEqual(['0.50', 'of the maximum']);
  });
});

describe('color bars', () => {
  const texts = (scale: Parameters<typeof ticksOf>[0]) => ticksOf(scale).map(([, text]) => plain(text));

  test('of weights', () => {
    expect(texts({ kind: 'linear', limit: 0.04, clips: true, isWeight: true })).toEqual([
      '0 %',
      '1 %',
      '2 %',
      '3 %',
      '≥ 4 %',
    ]);
    expect(texts({ kind: 'linear', limit: 0.1, clips: true, isWeight: true })).toEqual([
      '0 %',
      '2.5 %',
      '5.0 %',
      '7.5 %',
      '≥ 10.0 %',
    ]);
    expect(texts({ kind: 'linear', limit: 0.012, isWeight: true })).toEqual([
      '0 %',
      '0.30 %',
      '0.60 %',
      '0.90 %',
      '1.20 %',
    ]);
    expect(texts({ kind: 'linear', limit: 0.5, isWeight: true })).toEqual([
      '0 %',
      '12.5 %',
      '25.0 %',
      '37.5 %',
      '50.0 %',
    ]);
    expect(texts({ kind: 'linear', low: 0.0148, limit: 0.016, isWeight: true })).toEqual([
      '1.480 %',
      '1.510 %',
      '1.540 %',
      '1.570 %',
      '1.600 %',
    ]);
  });

  test('of other values', () => {
    expect(texts({ kind: 'linear', limit: 7 })).toEqual(['0', '0.25', '0.5', '0.75', '1']);
    expect(texts({ kind: 'linear', low: 6, limit: 8 })).toEqual(['0.75', '0.81', '0.88', '0.94', '1.00']);
    expect(texts({ kind: 'linear', low: -0.5, limit: 1 })).toEqual(['−0.50', '−0.13', '0.25', '0.63', '1.00']);
    expect(texts({ kind: 'signed', limit: 3 })).toEqual(['−3.00', '−1.50', '0.00', '+1.50', '+3.00']);
    expect(texts({ kind: 'signed', limit: 0.004 })).toEqual(['−0.0040', '−0.0020', '0.0000', '+0.0020', '+0.0040']);
    const uniform = ticksOf({ kind: 'uniform', uniform: 0.01 });
    expect(uniform.map(([, text]) => text)).toEqual(['≤ ⅛ ×', '¼', '½', '1 ×', '2', '4', '≥ 8 ×']);
    expect(uniform[3][0]).toBe(0.5);
  });

  test('name their quantity', () => {
    expect(unitOf({ kind: 'signed', limit: 1 })).toMatch(/^change of the logit/);
    expect(unitOf({ kind: 'uniform', uniform: 1 })).toMatch(/^attention weight \/ uniform/);
    expect(unitOf({ kind: 'linear', limit: 1 })).toBe('relative to the maximum of this map');
    expect(unitOf({ kind: 'linear', limit: 1, isWeight: true, clips: true })).toBe('attention weight, all heads');
    expect(unitOf({ kind: 'linear', limit: 1, isWeight: true, clips: true, isOfMeans: true })).toBe(
      'attention weight, all means',
    );
    expect(unitOf({ kind: 'linear', limit: 1, isWeight: true })).toBe('attention weight, range of this map');
  });
});
