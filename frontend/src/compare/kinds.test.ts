import { describe, expect, it } from 'vitest';
import { MEAN, POOL } from '../lib/numbers';
import type { MethodInfo } from '../lib/routes';
import { DEFAULT_VIEW, NOTHING_ABLATED, type View } from '../lib/view';
import {
  ATTENTION,
  classInB,
  defaultsOf,
  FEATURES,
  fieldsOf,
  fitOwn,
  type Kind,
  keptOf,
  mapFor,
  mapOf,
  mapsOf,
  SIMILARITY,
  viewsOf,
} from './kinds';

const METHODS = [
  { key: 'average', name: 'Average', forClass: false, onRequest: false },
  { key: 'relevance', name: 'Relevance', forClass: true, onRequest: false },
  { key: 'balanced_gradients', name: 'Balanced gradients', forClass: true, onRequest: false },
  { key: 'greedy', name: 'Greedy', forClass: true, onRequest: true },
] as MethodInfo[];
const SHAPE = { layers: 6, heads: 3, rows: 5, columns: 7, aspect: 1.4, prefix: 1, class_token: true };
const methods = METHODS.map(({ key }) => key);
const WHOLE = { explanation: { shape: SHAPE, reply: { classes: ['cat'], methods } } } as never;
const HEADLESS = { explanation: { shape: SHAPE, reply: { classes: [], methods } } } as never;
const CAPTURED = {
  explanation: { shape: { ...SHAPE, captured: true }, reply: { classes: ['cat'], methods: ['average'] } },
} as never;
const sample = (name: string) => ({ kind: 'sample' as const, name });
const SUBJECT = { model: 'ti4', snapshot: null, image: sample('cat'), ablations: [] };
const known = (classes = ['cat', 'dog', 'ship'], shape: typeof SHAPE & { pooled?: boolean } = SHAPE) => ({
  subject: SUBJECT,
  shape,
  defaultRows: new Float32Array(6 * 3 * 36).map((_, k) => (Math.floor(k / 36) === 13 && k % 36 === 5 ? 1 : 0)), // layer 5, head 2
  reply: { classes, methods, probabilities: [0.2, 0.7, 0.1] } as never,
  predictedClass: 1,
});
const VIEW: View = { ...DEFAULT_VIEW, layer: 4, head: 1 };
const keys = (offered: readonly [string, string][]) => offered.map(([key]) => key);

describe('the maps of a kind', () => {
  it('leave out those on request, and those of a class without a head', () => {
    const all = [ATTENTION, SIMILARITY, 'average', 'relevance', 'balanced_gradients'];
    expect(keys(mapsOf('image', METHODS, [WHOLE]))).toEqual(all);
    expect(keys(mapsOf('image', METHODS, [HEADLESS]))).toEqual(all.slice(0, 3));
  });

  it('are those that the kind can compare', () => {
    expect(keys(mapsOf('snapshot', METHODS, [WHOLE]))).toEqual([ATTENTION]);
    expect(keys(mapsOf('class', METHODS, [WHOLE]))).toEqual(['relevance', 'balanced_gradients']);
    expect(keys(mapsOf('head', METHODS, [WHOLE]))).toEqual([ATTENTION, SIMILARITY, FEATURES]);
    for (const kind of ['image', 'method', 'class', 'snapshot'] as const) // colors are aligned by the places of one image
      expect(keys(mapsOf(kind, METHODS, [WHOLE]))).not.toContain(FEATURES);
    expect(keys(mapsOf('model', METHODS, [WHOLE]))).not.toContain(SIMILARITY); // tokens of other models differ
  });

  it('are those that both models have', () => {
    expect(keys(mapsOf('model', METHODS, [WHOLE, CAPTURED]))).toEqual([ATTENTION, 'average']);
    expect(keys(mapsOf('head', METHODS, [CAPTURED]))).toEqual([ATTENTION]);
  });

  it('open with a default where the one on screen is not among them', () => {
    const offered = (kind: Kind) => mapsOf(kind, METHODS, [WHOLE]);
    expect(mapFor('class', ATTENTION, offered('class'))).toBe('balanced_gradients');
    expect(mapFor('class', 'relevance', offered('class'))).toBe('relevance');
    expect(mapFor('method', ATTENTION, offered('method'))).toBe('average');
    expect(mapFor('head', 'relevance', offered('head'))).toBe(ATTENTION);
  });

  it.each([ATTENTION, SIMILARITY, 'relevance'])('%s is a view', (map) => {
    expect(mapOf(fieldsOf(map))).toBe(map);
  });
});

describe('defaults of B', () => {
  const lists = {
    samples: ['bird', 'cat', 'dog'].map((name) => ({ name, src: '' })),
    models: [{ name: 'ti4' }, { name: 'ti9' }],
  };
  const of = (kind: Kind, view: Partial<View> = {}, subject = SUBJECT) =>
    defaultsOf(kind, { ...known(), subject }, { ...VIEW, ...view }, lists, 60);

  it('are another image, model or method', () => {
    expect(of('image')).toEqual({ image: sample('dog') });
    expect(of('image', {}, { ...SUBJECT, image: sample('dog') })).toEqual({ image: sample('bird') });
    expect(of('model')).toEqual({ model: 'ti9' });
    expect(of('method', fieldsOf('average')).method).toBe('relevance');
    expect(of('method', fieldsOf('relevance')).method).toBe('average');
  });

  it('are another head, class, snapshot and an ablated head', () => {
    expect(of('head')).toEqual({ layer: 4, head: 2 });
    expect(of('head', { head: MEAN })).toEqual({ layer: 3, head: MEAN });
    expect(of('class')).toEqual({ target: [0] }); // the second most probable
    expect(of('class', { target: [0] })).toEqual({ target: [1] });
    expect(of('snapshot')).toEqual({ snapshot: 59 });
    expect(of('ablation')).toEqual({ ablations: [{ ...NOTHING_ABLATED, heads: [[3, 1]] }] });
    expect(of('ablation', { head: MEAN })).toEqual({ ablations: [{ ...NOTHING_ABLATED, heads: [[4, 1]] }] });
  });
});

describe('the values of B', () => {
  it('are within the model', () => {
    const ablations = [{ ...NOTHING_ABLATED, heads: [[9, 0] as [number, number]], patches: [2, 99] }];
    expect(fitOwn({ target: [3], ablations }, known())).toEqual({ ablations: [{ ...NOTHING_ABLATED, patches: [2] }] });
  });

  it('that are of one model are dropped with it', () => {
    expect(keptOf({ image: sample('dog'), layer: 3, target: [1], ablations: [NOTHING_ABLATED] })).toEqual({
      image: sample('dog'),
    });
  });
});

describe('both views', () => {
  const isForClass = (map: string) => map === 'relevance';
  const views = (kind: Kind, view: Partial<View>, own = {}, b = known()) =>
    viewsOf(kind, { ...VIEW, ...view }, own, view.query ?? [], [known(), b], isForClass);

  it('differ in the fields of the kind only', () => {
    expect(views('head', { query: [9] }, { layer: 2, head: 0 })).toEqual([
      { ...VIEW, query: [9] },
      { ...VIEW, query: [9], layer: 2, head: 0 },
    ]);
    const [a, b] = views('method', { ...fieldsOf('average'), query: [9] }, fieldsOf(ATTENTION));
    expect([a.method, b.content, b.query]).toEqual(['average', 'attention', [9]]);
  });

  it('have a query where the patches are the same and known', () => {
    const coarse = known(['cat'], { ...SHAPE, rows: 2, columns: 2 });
    expect(views('model', { query: [9] }, {}, coarse).map(({ query }) => query)).toEqual([[], []]);
    expect(views('snapshot', { query: [9] }).map(({ query }) => query)).toEqual([[], []]);
  });

  it('are within the model of B', () => {
    const [, b] = views('model', {}, {}, known(['cat'], { ...SHAPE, layers: 2, heads: 1 }));
    expect([b.layer, b.head]).toEqual([1, 0]);
    expect(views('model', { layer: POOL })[1].layer).toBe(5);
    expect(views('model', { layer: POOL }, {}, known(['cat'], { ...SHAPE, pooled: true }))[1].layer).toBe(POOL);
  });

  it('explain the classes that each image predicts, or the same class by name', () => {
    const targets = (kind: Kind, view: Partial<View>, own = {}, b = known()) =>
      views(kind, { ...fieldsOf('relevance'), ...view }, own, b).map(({ target }) => target);
    const other = known(['ship', 'dog']);
    expect(targets('image', {})).toEqual([[], []]);
    expect(targets('image', { target: [0] })).toEqual([[0], [0]]);
    expect(targets('model', {}, {}, other)).toEqual([[1], [1]]);
    expect(targets('model', { target: [0] }, {}, other)).toEqual([[0], []]); // B has no cat
    expect(targets('class', {}, { target: [2] })).toEqual([[1], [2]]);
    expect(targets('method', { ...fieldsOf('average'), target: [0] }, fieldsOf('relevance'))).toEqual([[], [0]]);
    expect(classInB(2, ['cat', 'dog', 'ship'], ['ship', 'dog'])).toBe(0);
  });
});
