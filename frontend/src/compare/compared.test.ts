import { describe, expect, it } from 'vitest';
import { compareSides, ranksOf, type Side } from './compared';

const A = [0.1, 0.2, 0.3, 0.1, 0.2, 0.05];

function side(values: number[], changes: Partial<Side> = {}): Side {
  return {
    ...{ rows: 2, columns: 3, aspect: 1.5, title: 'Layer 1, head 1', quantity: 'attention weight', unit: 'weights' },
    ...{ values: Float32Array.from(values), scores: null, kept: values.map(() => true), tokens: 7, layers: 4 },
    ...{ whyEmpty: '', labels: ['cat', 'dog', 'ship'], probabilities: [0.5, 0.3, 0.2] },
    names: { model: 'ti4', image: 'cat', snapshot: '', changes: '' },
    ...changes,
  };
}

describe('two maps', () => {
  it('have a difference in percentage points, and a rank correlation', () => {
    const found = compareSides(side(A), side([0.2, 0.2, 0.1, 0.1, 0.3, 0.05]));
    expect(found.difference?.map((value) => Math.round(value ?? 0))).toEqual([10, 0, -20, 0, 10, 0]);
    expect(found.mostChanged).toBe(2);
    expect(found.correlationSentence).toMatch(/^Rank correlation 0\.\d\d \(Spearman, 6 patches\)/);
  });

  it('of different grids are side by side, relative to uniform', () => {
    const found = compareSides(side(A), side([0.1, 0.2, 0.3, 0.4], { rows: 2, columns: 2, tokens: 5 }));
    expect([found.difference, found.correlation, found.mostChanged]).toEqual([null, null, null]);
    expect(found.scale).toMatchObject({ kind: 'uniform', uniform: 1 });
    expect(found.a.values[1]).toBeCloseTo(1.4);
    expect(found.correlationSentence).toContain('the grids differ');
    expect(found.notes).toEqual([
      'The grids differ, 2 × 3 and 2 × 2 patches: the maps are side by side, without difference and correlation.',
      'The models have 7 and 5 tokens: weights are given relative to uniform.',
    ]);
  });

  it('are not ranked if one is flat, or few patches are left', () => {
    const flat = compareSides(side(A), side(A.map(() => 0.1)));
    expect([flat.correlation, flat.difference !== null]).toEqual([null, true]);
    expect(flat.correlationSentence).toContain('ranks none');
    const kept = A.map((_, patch) => patch < 2);
    const few = compareSides(side(A, { kept }), side(A, { kept }));
    expect(few.correlationSentence).toBe('No rank correlation: it needs at least 3 patches.');
    expect(few.headline).toBe('Layer 1, head 1, A against B: the maps are equal');
  });
});

it('an ablated head has no map', () => {
  const kept = A.map(() => false);
  const found = compareSides(side(A), side(A, { kept, whyEmpty: 'ablated' }));
  expect(found.notes).toEqual(['Layer 1, head 1 is ablated in B: it has no map there.']);
  expect(found.correlationSentence).toContain('a head without output has no map');
});

describe('predictions', () => {
  it('are compared class by class', () => {
    const found = compareSides(side(A), side(A, { probabilities: [0.1, 0.1, 0.8] }));
    expect(found.classes.map(({ name, points }) => [name, points])).toEqual([
      ['ship', 60],
      ['cat', -40],
      ['dog', -20],
    ]);
    expect(found.totalVariation).toBeCloseTo(0.6);
    expect(found.predictionSentence).toBe('A predicts cat, 50.0\u00a0%; B predicts ship, 80.0\u00a0%.');
    expect(compareSides(side(A), side(A)).predictionSentence).toBe('Both predict cat: A 50.0\u00a0%, B 50.0\u00a0%.');
  });

  it('of other labels are compared where both name a class once', () => {
    const b = side(A, { labels: ['dog', 'moon', 'moon', 'cat'], probabilities: [0.4, 0.2, 0.2, 0.2] });
    const found = compareSides(side(A, { labels: ['cat', 'dog', 'moon'] }), b);
    expect(found.classes.map(({ name, a, b }) => [name, a, b])).toEqual([
      ['cat', 0.5, 0.2],
      ['dog', 0.3, 0.4],
    ]);
    expect(found.totalVariation).toBeNull();
    expect(found.notes.at(-1)).toBe('The models share 2 classes, which are compared; 1 of A and 2 of B are not.');
  });

  it('of no class are not compared', () => {
    const found = compareSides(side(A), side(A, { labels: [], probabilities: null }));
    expect(found.classes).toEqual([]);
    expect(found.notes).toEqual(['ti4 predicts no class: predictions are not compared.']);
  });
});

it('equal values have their mean rank', () => {
  expect(ranksOf(Float32Array.of(3, 1, 3, 2))).toEqual([2.5, 0, 2.5, 1]);
});
