import { expect, test } from 'vitest';
import { DEFAULT_VIEW, type Subject, type View } from '../lib/view';
import { addressOf, type Lists, parseAddress } from './viewAddress';

const LISTS = {
  models: [{ name: 'ti4' }, { name: 'runs/pets', dataset: 'pets' }],
  cifar: { available: true, classes: [], message: '' },
  samples: [{ name: 'cat', src: '' }],
  photos: [{ name: 'rocket', title: 'Launch of a rocket', src: '' }],
  methods: [
    { key: 'relevance', name: 'Relevance', onRequest: false },
    { key: 'shapley', name: 'Shapley values', onRequest: true },
  ],
} as unknown as Lists;
const SUBJECT: Subject = { model: 'ti4', snapshot: null, image: { kind: 'sample', name: 'cat' }, ablations: [] };
const ID = '0123456789abcdef'.repeat(4);
const parse = (text: string) => parseAddress(new URLSearchParams(text), LISTS);
const textOf = (subject: Subject, view: View) =>
  String(
    new URLSearchParams(
      Object.entries(addressOf(subject, view)).filter((pair): pair is [string, string] => pair[1] !== null),
    ),
  );

test('defaults are left out', () => {
  const view: View = { ...DEFAULT_VIEW, layer: 4, head: 1 };
  expect(textOf(SUBJECT, view)).toBe('model=ti4&image=cat&layer=4&head=1');
});

test.each<[Partial<Subject>, Partial<View>]>([
  [
    {},
    { layer: 'pool', head: 'mean', query: [12, 13], direction: 'to', scale: 'uniform', smooth: true, outlines: 0.25 },
  ],
  [{ image: { kind: 'test', index: 17 } }, { content: 'method', method: 'relevance', target: [3, 5], pixels: true }],
  [
    { model: 'runs/pets', image: { kind: 'run', run: 'runs/pets', index: 5 } },
    { content: 'features', foreground: true },
  ],
  [{ image: { kind: 'upload', id: ID, name: '', crop: 0.5 } }, { content: 'contributions' }],
  [{}, { content: 'patching', other: { kind: 'sample', name: 'rocket' } }],
  [
    {
      ablations: [
        {
          heads: [
            [4, 0],
            [1, 2],
          ],
          patches: [28],
          mode: 'mean',
          patch_mode: 'gray',
        },
        { heads: [], patches: [3], mode: 'zero', patch_mode: 'drop' },
      ],
    },
    {},
  ],
])('a subject %j and a view %j are read as written', (subject, view) => {
  const whole: View = { ...DEFAULT_VIEW, ...view };
  const found = parse(textOf({ ...SUBJECT, ...subject }, whole));
  expect(found.missing).toEqual([]);
  expect(found.subject).toEqual({ ...SUBJECT, ...subject });
  expect({ ...DEFAULT_VIEW, ...found.view }).toEqual(whole);
});

test('links are read leniently', () => {
  const { subject, view, missing } = parse(
    '?__theme=dark&tab=train&layer=x&head=-4&query=a,3,-1&scale=huge&outlines=7',
  );
  expect(missing).toEqual([]);
  expect(subject).toEqual(SUBJECT);
  expect({ ...DEFAULT_VIEW, ...view }).toEqual({ ...DEFAULT_VIEW, query: [3] });
});

test('what is not available is named, and what belongs to it is left out', () => {
  const { subject, view, missing } = parse(
    'model=gone&image=test:10000&query=3&target=4&method=magic&ablations=patches:1',
  );
  expect(subject).toEqual(SUBJECT);
  expect(view).toMatchObject({ query: [], target: [], content: 'attention' });
  expect(missing.join(' ')).toBe(
    'The model of this link, gone, is not available: showing ti4. ' +
      'The image of this link, test:10000, is not available: showing cat. ' +
      'The method of this link, magic, is not available.',
  );
  expect(parse('method=shapley').missing.join()).toContain('is computed on request');
});

test('an old link opens the default view and says so', () => {
  const { subject, view, missing } = parse('checkpoint=ti4&image=rocket&layer=5&head=2&patch=3-3&class=4');
  expect(subject).toEqual(SUBJECT);
  expect({ ...DEFAULT_VIEW, ...view }).toEqual(DEFAULT_VIEW);
  expect(missing.join()).toContain('earlier version');
});

test('the history has name and crop of an upload', () => {
  const upload = { kind: 'upload' as const, id: ID, name: 'a.png', crop: 0.25 };
  const params = new URLSearchParams({ image: `upload:${ID}` });
  expect(parseAddress(params, LISTS, upload).subject.image).toEqual(upload);
});
