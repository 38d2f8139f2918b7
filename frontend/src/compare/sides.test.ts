import { describe, expect, it } from 'vitest';
import type { MethodInfo, ModelInfo } from '../lib/api';
import { MEAN, POOL } from '../lib/numbers';
import {
  ATTENTION,
  classInB,
  completeA,
  completeB,
  EMPTY,
  firstOfB,
  type Known,
  mapFor,
  mapsOf,
  SIMILARITY,
  targetsOf,
  viewOfB,
} from './sides';

const METHODS = [
  { key: 'average', name: 'Average', forClass: false, onRequest: false },
  { key: 'relevance', name: 'Relevance', forClass: true, onRequest: false },
  { key: 'balanced_gradients', name: 'Balanced gradients', forClass: true, onRequest: false },
  { key: 'greedy', name: 'Greedy', forClass: true, onRequest: true },
] as MethodInfo[];
const SHAPE = { layers: 6, heads: 3, rows: 5, columns: 7, aspect: 1.4, prefix: 1, classToken: true };
const KNOWN: Known = {
  shape: SHAPE,
  classes: ['cat', 'dog', 'ship'],
  probabilities: [0.2, 0.7, 0.1],
  src: '',
  opening: { layer: 4, head: 1 },
};
const A = { ...EMPTY, checkpoint: 'ti4', image: { kind: 'sample' as const, name: 'cat' } };
const keys = (offered: readonly [string, string][]) => offered.map(([key]) => key);

describe('the view of B', () => {
  it('differs in the fields of the kind only', () => {
    const own = { ...EMPTY, image: { kind: 'sample' as const, name: 'dog' }, layer: 3, checkpoint: 's4' };
    expect(viewOfB('image', A, own)).toEqual({ ...A, image: own.image });
    expect(viewOfB('model', A, own)).toEqual({ ...A, checkpoint: 's4' });
    expect(viewOfB('head', { ...A, head: 2 }, own)).toEqual({ ...A, layer: 3, head: null });
  });
});

describe('the maps of a kind', () => {
  it('leave out those on request, and those of a class without a head', () => {
    expect(keys(mapsOf('image', METHODS, true))).toEqual([
      ATTENTION,
      SIMILARITY,
      'average',
      'relevance',
      'balanced_gradients',
    ]);
    expect(keys(mapsOf('image', METHODS, false))).toEqual([ATTENTION, SIMILARITY, 'average']);
  });

  it('are those that the kind can compare', () => {
    expect(keys(mapsOf('snapshot', METHODS, true))).toEqual([ATTENTION]);
    expect(keys(mapsOf('class', METHODS, true))).toEqual(['relevance', 'balanced_gradients']);
    expect(keys(mapsOf('head', METHODS, true))).toEqual([ATTENTION, SIMILARITY]);
    expect(keys(mapsOf('model', METHODS, true))).not.toContain(SIMILARITY); // tokens of other models differ
  });

  it('open with a default where the one on screen is not among them', () => {
    const offered = (kind: 'class' | 'method' | 'head') => mapsOf(kind, METHODS, true);
    expect(mapFor('class', ATTENTION, offered('class'))).toBe('balanced_gradients');
    expect(mapFor('class', 'relevance', offered('class'))).toBe('relevance');
    expect(mapFor('method', ATTENTION, offered('method'))).toBe('average');
    expect(mapFor('head', 'relevance', offered('head'))).toBe(ATTENTION);
  });
});

describe('defaults of B', () => {
  const samples = ['bird', 'cat', 'dog'].map((name) => ({ name, src: '' }));
  const models = [{ name: 'ti4' }, { name: 'ti9' }] as ModelInfo[];

  it('are another image, model or method', () => {
    expect(firstOfB('image', A, EMPTY, models, samples).image).toEqual({ kind: 'sample', name: 'dog' });
    const dog = { ...A, image: { kind: 'sample' as const, name: 'dog' } };
    expect(firstOfB('image', dog, EMPTY, models, samples).image).toEqual({ kind: 'sample', name: 'bird' });
    expect(firstOfB('model', A, EMPTY, models, samples).checkpoint).toBe('ti9');
    expect(firstOfB('model', A, EMPTY, models.slice(0, 1), samples).checkpoint).toBe('ti4');
    expect(firstOfB('method', { ...A, map: 'average' }, EMPTY, models, samples).map).toBe('relevance');
    expect(firstOfB('method', { ...A, map: 'relevance' }, EMPTY, models, samples).map).toBe('average');
  });

  it('keep the image that was chosen, even the same one', () => {
    expect(firstOfB('image', A, { ...EMPTY, image: A.image }, models, samples).image).toEqual(A.image);
  });

  it('are another head, class, snapshot and an ablated head', () => {
    const a = completeA('head', A, KNOWN, 1);
    expect(a).toMatchObject({ layer: 4, head: 1, target: null });
    expect(completeB('head', a, EMPTY, KNOWN, 1)).toMatchObject({ layer: 4, head: 2 });
    expect(completeB('head', { ...a, head: MEAN }, EMPTY, KNOWN, 1)).toMatchObject({ layer: 3, head: MEAN });
    expect(completeB('class', a, EMPTY, KNOWN, 1).target).toBe(0); // the second most probable
    expect(completeB('class', { ...a, target: 0 }, EMPTY, KNOWN, 1).target).toBe(1);
    expect(completeA('snapshot', A, KNOWN, 60).snapshot).toBe(0);
    expect(completeB('snapshot', a, EMPTY, KNOWN, 60).snapshot).toBe(59);
    expect(completeB('ablation', a, EMPTY, KNOWN, 1).ablated).toEqual([4 * 3 + 1]);
    expect(completeB('ablation', a, { ...EMPTY, removed: [2] }, KNOWN, 1).ablated).toEqual([]);
  });

  it('are within the model', () => {
    expect(completeA('image', { ...A, layer: 11, head: 11, target: 9 }, KNOWN, 1)).toMatchObject({
      layer: 5,
      head: 2,
      target: null,
    });
    expect(completeA('ablation', A, KNOWN, 1).head).toBe(MEAN);
    expect(completeA('image', { ...A, layer: POOL }, KNOWN, 1).layer).toBe(4);
    const pooled = { ...KNOWN, shape: { ...SHAPE, pooled: true } };
    expect(completeA('image', { ...A, layer: POOL }, pooled, 1).layer).toBe(POOL);
  });
});

describe('the explained classes', () => {
  it('are those that each image predicts, or the same class by name', () => {
    const other = { ...KNOWN, classes: ['ship', 'dog'] };
    expect(targetsOf('image', A, A, KNOWN, KNOWN)).toEqual([[], []]);
    expect(targetsOf('image', { ...A, target: 0 }, A, KNOWN, KNOWN)).toEqual([[0], [0]]);
    expect(targetsOf('model', A, A, KNOWN, other)).toEqual([[1], [1]]);
    expect(targetsOf('model', { ...A, target: 0 }, A, KNOWN, other)).toEqual([[0], []]); // B has no cat
    expect(targetsOf('class', A, { ...A, target: 2 }, KNOWN, KNOWN)).toEqual([[1], [2]]);
    expect(targetsOf('method', A, A, { ...KNOWN, classes: [] }, KNOWN)).toEqual([[], []]);
    expect(classInB(2, KNOWN.classes, other.classes)).toBe(0);
  });
});
