import { describe, expect, it } from 'vitest';
import { MEAN, POOL } from '../lib/numbers';
import { NOTHING_ABLATED } from '../lib/view';
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
const ABLATION = { ...NOTHING_ABLATED, heads: [[1, 1] as [number, number]], patches: [8] };
const UPLOAD = { kind: 'upload' as const, id: 'a'.repeat(64), name: 'a.png', crop: 0.5 };
const read = (query: string) => readAddress(new URLSearchParams(query), CATALOG);
const A = { ...EMPTY, checkpoint: 'ti4', image: { kind: 'sample' as const, name: 'cat' }, layer: 4, head: 1 };
const B: Record<Kind, Partial<typeof EMPTY>> = {
  image: { image: { kind: 'test', index: 17 } },
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
    const values = addressOf(kind, a, own, [9], ABLATION);
    const params = new URLSearchParams(
      Object.entries(values).flatMap(([name, value]) => (value ? [[name, String(value)]] : [])),
    );
    const linked = readAddress(params, CATALOG);
    expect(linked.missing).toEqual([]);
    expect(linked.kind).toBe(kind);
    expect(linked.a).toEqual(a);
    expect(linked.b).toEqual(kind === 'ablation' ? EMPTY : own);
    expect(linked.query).toEqual([9]);
    expect(linked.ablation).toEqual(kind === 'ablation' ? ABLATION : NOTHING_ABLATED);
    expect(outside(linked, SHAPE, 10, 60)).toEqual([]);
  });

  it('counts from 0 and has the names of Explore', () => {
    expect(addressOf('head', { ...A, map: SIMILARITY }, { ...EMPTY, layer: 2, head: 0 }, [], ABLATION)).toMatchObject({
      compare: 'head',
      layer: '4',
      head: '1',
      method: 'similarity',
      b: '2-0',
      ablations: null,
    });
    expect(read('layer=mean&head=mean').a).toMatchObject({ layer: MEAN, head: MEAN });
  });

  it('of another kind leaves out what is ablated', () => {
    expect(addressOf('image', A, EMPTY, [], ABLATION)).toMatchObject({ ablations: null });
  });
});

describe('what is not here', () => {
  it('is named: model, image, method and kind', () => {
    const { missing, a, b, kind } = read('compare=pairs&model=gone&image=nothing&method=greedy&b=lost');
    expect(kind).toBe('image');
    expect([a.checkpoint, a.image, a.map, b.image]).toEqual(['', null, ATTENTION, null]);
    for (const part of ['comparison of this link, pairs', 'model of this link, gone', 'image of this link, nothing'])
      expect(missing.join(' ')).toContain(part);
    expect(missing.join(' ')).toContain('method of this link, greedy');
    expect(missing.join(' ')).toContain('image of this link, lost');
    expect(read('compare=model&b=gone').missing.join()).toContain('model of this link, gone');
    expect(read('compare=method&b=magic').missing.join()).toContain('method of this link, magic');
  });

  it('includes uploads without an id; the history has the name of others', () => {
    const params = new URLSearchParams({ image: `upload:${UPLOAD.id}`, b: 'upload:lost' });
    expect(readAddress(params, CATALOG).missing).toHaveLength(1);
    expect(readAddress(params, CATALOG, [UPLOAD, null]).a.image).toEqual(UPLOAD);
  });

  it('includes layers, heads, snapshots, classes and patches outside of the model', () => {
    const found = outside(read('layer=8&head=4&target=12&query=80'), SHAPE, 10, 1).join(' ');
    for (const part of ['layer of this link, 9', 'head of this link, 5', 'class of this link, 12', 'Patches or heads'])
      expect(found).toContain(part);
    expect(outside(read('compare=snapshot&snapshot=69'), SHAPE, 10, 60).join()).toContain('snapshot of this link, 70');
    expect(outside(read('compare=ablation&ablations=heads:8.0'), SHAPE, 10, 1).join()).toContain('left out');
    expect(outside(read('compare=head&b=2-8'), SHAPE, 10, 1).join()).toContain('head of this link, 9');
  });
});
