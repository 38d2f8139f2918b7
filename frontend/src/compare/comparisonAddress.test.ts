import { expect, test } from 'vitest';
import { MEAN, POOL } from '../lib/numbers';
import { DEFAULT_VIEW, NOTHING_ABLATED } from '../lib/view';
import type { Lists } from '../session/viewAddress';
import { addressOfComparison, parseComparison } from './comparisonAddress';
import { ATTENTION, fieldsOf, KINDS, type Kind, type Own, SIMILARITY } from './kinds';

const LISTS = {
  models: [{ name: 'ti4' }, { name: 'ti9' }],
  cifar: { available: true, classes: [], message: '' },
  samples: ['cat', 'dog'].map((name) => ({ name, src: '' })),
  photos: [],
  methods: ['average', 'relevance'].map((key) => ({ key, name: key, onRequest: false })),
} as unknown as Lists;
const SUBJECT = { model: 'ti4', snapshot: null, image: { kind: 'sample' as const, name: 'cat' }, ablations: [] };
const VIEW = { ...DEFAULT_VIEW, layer: 4, head: 1, query: [9] };
const UPLOAD = { kind: 'upload' as const, id: 'a'.repeat(64), name: 'a.png', crop: 0.5 };
const parse = (query: string) => parseComparison(new URLSearchParams(query), LISTS);
const OWN: Record<Kind, Own> = {
  image: { image: { kind: 'test', index: 17 } },
  model: { model: 'ti9' },
  snapshot: { snapshot: 59 },
  method: fieldsOf(ATTENTION),
  class: { target: [0] },
  head: { layer: POOL, head: MEAN },
  ablation: { ablations: [{ ...NOTHING_ABLATED, heads: [[1, 1]], patches: [8] }] },
};

test.each(KINDS.map(([kind]) => kind))('the address of %s gives the same comparison back', (kind) => {
  const subject = { ...SUBJECT, snapshot: kind === 'snapshot' ? 3 : null };
  const view = { ...VIEW, ...fieldsOf(kind === 'method' ? 'average' : kind === 'image' ? SIMILARITY : ATTENTION) };
  const values = addressOfComparison(kind, subject, view, OWN[kind]);
  const text = Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== null);
  const found = parseComparison(new URLSearchParams(text), LISTS);
  expect(found.linked.missing).toEqual([]);
  expect([found.kind, found.subject, found.own]).toEqual([kind, subject, OWN[kind]]);
  expect({ ...DEFAULT_VIEW, ...found.linked.view }).toEqual(view);
});

test('A has the parameters of Explore, and B those of the values that differ', () => {
  const values = addressOfComparison('head', SUBJECT, VIEW, { layer: 2, head: 0 });
  expect(Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]))).toEqual([
    'compare=head',
    'model=ti4',
    'image=cat',
    'layer=4',
    'head=1',
    'query=9',
    'b.layer=2',
    'b.head=0',
  ]);
  expect(parse('content=contributions&direction=to&b.image=dog&compare=class').linked.view).toMatchObject(
    fieldsOf(ATTENTION),
  );
});

test('what is not available is named: model, image, method and kind', () => {
  const { kind, subject, own, linked } = parse('compare=pairs&model=gone&image=nothing&method=greedy&b.image=lost');
  expect([kind, subject, own]).toEqual(['image', SUBJECT, {}]);
  for (const part of ['comparison of this link, pairs', 'model of this link, gone', 'image of this link, nothing'])
    expect(linked.missing.join(' ')).toContain(part);
  expect(linked.missing.join(' ')).toContain('method of this link, greedy');
  expect(linked.missing.join(' ')).toContain('image B of this link, lost, is not available.');
  expect(parse('compare=model&b.model=gone').linked.missing.join()).toContain('model B of this link, gone');
  expect(parse('compare=method&b.method=magic').linked.missing.join()).toContain('method B of this link, magic');
});

test('the history has name and crop of the uploads of both sides', () => {
  const params = new URLSearchParams({ image: 'cat', 'b.image': `upload:${UPLOAD.id}` });
  expect(parseComparison(params, LISTS, [null, UPLOAD]).own).toEqual({ image: UPLOAD });
});
