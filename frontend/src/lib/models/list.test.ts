import { expect, test } from 'vitest';
import type { ModelInfo } from '../routes';
import { detailOf, entriesOf, megabytes, optionAfter, quantity, search, suggestionDetail } from './list';

const model = (name: string, more: Partial<ModelInfo> = {}): ModelInfo => ({
  name,
  origin: 'shipped',
  family: 'ViT',
  parameters: 2_700_000,
  classes: 10,
  dataset: null,
  layers: 6,
  heads: 3,
  accuracy: null,
  eval_samples: null,
  measured_on: 'test',
  is_classifier: true,
  compares_texts: false,
  pretrained: '',
  linear_probe: '',
  captured: false,
  ...more,
});
const CACHED = [
  { name: 'timm:vit_small', family: 'DINOv2', bytes: 88_200_000, classes: 0 },
  { name: 'hf:a/b', family: 'ViT', bytes: 1_000_000, classes: null },
];
const SUGGESTION = {
  name: 'hf:c/d',
  title: 'DINOv2-S/14',
  use: 'parts',
  parameters: 22_056_576,
  img_size: 224,
  license: 'Apache-2.0',
  bytes: 88_226_304,
  memory: 688_226_304,
  is_cached: false,
};
const HUB = { models: CACHED, suggested: [], free_memory: null };
const ENTRIES = entriesOf(
  [model('mine', { origin: 'opened' }), model('runs/first', { origin: 'run' }), model('cifar10-ti4')],
  HUB,
);

test('sizes are written with few digits', () => {
  expect([quantity(2_712_345), quantity(86_000_000), quantity(1_100_000_000), quantity(12_000)]).toEqual([
    '2.7 M',
    '86 M',
    '1.1 B',
    '12 K',
  ]);
  expect([megabytes(346_000_000), megabytes(1_234_000)]).toEqual(['346 MB', '1.2 MB']);
});

test('a model is described by family, parameters, classes and layers', () => {
  expect(detailOf(model('x', { classes: 1000 }))).toBe('ViT · 2.7 M parameters · 1,000 classes · 6 layers, 3 heads');
  expect(detailOf(model('x', { classes: 0, layers: 1 }))).toContain('no head · 1 layer, 3 heads');
});

test('models are grouped, those of the cache that are open only once', () => {
  expect(ENTRIES.map(({ name, group }) => [name, group])).toEqual([
    ['cifar10-ti4', 'Shipped'],
    ['runs/first', 'Runs'],
    ['mine', 'Opened'],
    ['timm:vit_small', 'Hugging Face cache'],
    ['hf:a/b', 'Hugging Face cache'],
  ]);
  expect(ENTRIES.map(({ detail }) => detail).slice(3)).toEqual(['DINOv2 · 88 MB · no head', 'ViT · 1.0 MB']);
  expect(entriesOf([model('hf:a/b')], HUB).map(({ name }) => name)).toEqual(['hf:a/b', 'timm:vit_small']);
});

test('a suggestion says what it takes, and is listed once', () => {
  const groupOf = (models: ModelInfo[], cached: typeof CACHED) =>
    entriesOf(models, { ...HUB, models: cached, suggested: [SUGGESTION] }).map(({ group }) => group);
  const size = '22 M parameters · 224 px · Apache-2.0';
  expect(suggestionDetail(SUGGESTION, 8e9)).toBe(`${size} · 88 MB download · 0.7 GB memory`);
  expect(suggestionDetail({ ...SUGGESTION, is_cached: true }, 5e8)).toBe(
    `${size} · downloaded · 0.7 GB memory, 0.5 GB free`,
  );
  expect(groupOf([], [{ ...CACHED[1], name: 'hf:c/d' }])).toEqual(['Suggested']);
  expect(groupOf([model('hf:c/d', { origin: 'opened' })], [])).toEqual(['Opened']);
});

test('a search finds all words in names and descriptions', () => {
  const names = (text: string) => search(ENTRIES, text, false).map(({ name }) => name);
  expect(names('')).toHaveLength(5);
  expect(names('DINOv2 no')).toEqual(['timm:vit_small']);
  expect(names('cache vit b')).toEqual(['timm:vit_small', 'hf:a/b']);
  expect(names('nothing')).toEqual([]);
});

test('a name or path can be opened: first if it looks like one, last if it may be a search', () => {
  const found = (text: string) => search(ENTRIES, text, true).map(({ group, name }) => `${group} ${name}`);
  expect(found(' timm:vit ')).toEqual(['Hugging Face cache timm:vit_small', 'Open timm:vit']);
  expect(found('timm:small')).toEqual(['Open timm:small']);
  expect(found('models/x')[0]).toBe('Open models/x');
  expect(found('x.safetensors')).toEqual(['Open x.safetensors']);
  expect(found('mine')).toEqual(['Opened mine']);
  expect(found('first')).toEqual(['Runs runs/first', 'Open first']);
  for (const name of ['hf:x/y', 'hf_hub:x/y', 'https://huggingface.co/x/y'])
    expect(search(ENTRIES, name, true)[0].detail).toBe('from the Hugging Face Hub');
  expect(search(ENTRIES, '~/x', true)[0].detail).toBe('path on this computer, or name on the Hub');
});

test('arrow keys walk around the list', () => {
  expect(optionAfter('ArrowDown', 2, 3)).toBe(0);
  expect(optionAfter('ArrowUp', 0, 3)).toBe(2);
  expect(optionAfter('PageDown', 1, 3)).toBe(2);
  expect(optionAfter('PageUp', 4, 9)).toBe(0);
  expect(optionAfter('a', 0, 3)).toBeUndefined();
  expect(optionAfter('ArrowDown', 0, 0)).toBeUndefined();
});
