import { describe, expect, it } from 'vitest';
import { MEAN, POOL } from '../lib/numbers';
import { addressOf, type Catalog, outside, readAddress } from './address';
import { ATTENTION, EMPTY, KINDS, type Kind, SIMILARITY } from './sides';

const sample = (name: string) => ({ name, src: '' });
const CATALOG = {
  checkpoints: [{ name: 'ti4' }, { name: 'ti9' }],
  cifar: { available: true, classes: [], message: '' },
  samples: [sample('cat'), sample('dog')],
  photos: [],
  methods: [
    { key: 'average', onRequest: false },
    { key: 'relevance', onRequest: false },
    { key: 'greedy', onRequest: true },
  ],
} as unknown as Catalog;
const SHAPE = { layers: 6, heads: 3, rows: 5, columns: 7, aspect: 1.4, prefix: 1, classToken: true };
const MODES = { mode: 'zero', patchMode: 'drop' };
const UPLOAD = { kind: 'upload' as const, path: '/tmp/a', name: 'a.png' };
const read = (query: string) => readAddress(new URLSearchParams(query), CATALOG);
const A = { ...EMPTY, checkpoint: 'ti4', image: { kind: 'sample' as const, name: 'cat' }, layer: 4, head: 1 };
const B: Record<Kind, Partial<typeof EMPTY>> = {
  image: { image: { kind: 'cifar', index: 17 } },
  model: { checkpoint: 'ti9' },
  snapshot: { snapshot: 59 },
  method: { map: 'relevance' },
  class: { target: 0 },
  head: { layer: POOL, head: MEAN },
  ablation: { ablated: [4, 13], removed: [8] },
};

describe('the address', () => {
  it.each(KINDS.map(([kind]) => kind))('of %s gives the same comparison back', (kind) => {
    const a = { ...A, map: kind === 'method' ? 'average' : ATTENTION, snapshot: kind === 'snapshot' ? 3 : null };
    const own = { ...EMPTY, ...B[kind] };
    const values = addressOf(kind, a, own, [9], SHAPE, MODES);
    const params = new URLSearchParams(
      Object.entries(values).flatMap(([name, value]) => (value ? [[name, String(value)]] : [])),
    );
    const linked = readAddress(params, CATALOG);
    expect(linked.missing).toEqual([]);
    expect(linked.kind).toBe(kind);
    expect(linked.a).toEqual(a);
    expect(linked.b).toEqual(kind === 'ablation' ? EMPTY : own);
    expect(linked.patch).toBe('2-3');
    if (kind === 'ablation') expect([linked.ablated, linked.removed]).toEqual(['2-2_5-2', '2-2']);
    expect(outside(linked, SHAPE, 10, 60)).toEqual([]);
  });

  it('counts from 1 and has the names of Explore', () => {
    expect(
      addressOf('head', { ...A, map: SIMILARITY }, { ...EMPTY, layer: 2, head: 0 }, [], SHAPE, MODES),
    ).toMatchObject({
      compare: 'head',
      layer: '5',
      head: '2',
      method: 'similarity',
      b: '3-1',
      ablated: null,
    });
    expect(read('layer=mean&head=mean').a).toMatchObject({ layer: MEAN, head: MEAN });
  });

  it('of another kind leaves out what is ablated', () => {
    const own = { ...EMPTY, ablated: [1], removed: [2] };
    expect(addressOf('image', A, own, [], SHAPE, MODES)).toMatchObject({ ablated: null, removed: null, mode: null });
  });
});

describe('what is not here', () => {
  it('is named: model, image, method and kind', () => {
    const { missing, a, b, kind } = read('compare=pairs&checkpoint=gone&image=nothing&method=greedy&b=lost');
    expect(kind).toBe('image');
    expect([a.checkpoint, a.image, a.map, b.image]).toEqual(['', null, ATTENTION, null]);
    for (const part of ['comparison of this link, pairs', 'model of this link, gone', 'image of this link, nothing'])
      expect(missing.join(' ')).toContain(part);
    expect(missing.join(' ')).toContain('method of this link, greedy');
    expect(missing.join(' ')).toContain('image of this link, lost');
    expect(read('compare=model&b=gone').missing.join()).toContain('model of this link, gone');
    expect(read('compare=method&b=magic').missing.join()).toContain('method of this link, magic');
  });

  it('includes uploads, unless the history has them', () => {
    const params = new URLSearchParams('image=upload&b=upload');
    expect(readAddress(params, CATALOG).missing).toHaveLength(2);
    const { missing, a, b } = readAddress(params, CATALOG, [UPLOAD, { ...UPLOAD, name: 'b.png' }]);
    expect(missing).toEqual([]);
    expect([a.image, b.image]).toEqual([UPLOAD, { ...UPLOAD, name: 'b.png' }]);
  });

  it('includes layers, heads, snapshots, classes and patches outside of the model', () => {
    const found = outside(read('layer=9&head=5&class=12&patch=9-9'), SHAPE, 10, 1).join(' ');
    for (const part of ['layer of this link, 9', 'head of this link, 5', 'class of this link, 12', 'Patches or heads'])
      expect(found).toContain(part);
    expect(outside(read('compare=snapshot&snapshot=70'), SHAPE, 10, 60).join()).toContain('snapshot of this link, 70');
    expect(outside(read('compare=ablation&ablated=9-1'), SHAPE, 10, 1).join()).toContain('left out');
    expect(outside(read('compare=head&b=3-9'), SHAPE, 10, 1).join()).toContain('head of this link, 9');
  });
});
