import { expect, test } from 'vitest';
import type { Catalog } from '../lib/api';
import { MEAN } from '../lib/numbers';
import {
  addressOf,
  DEFAULTS,
  imageParam,
  parseImage,
  readAddress,
  readShapeParams,
  unavailableSentences,
  uploadOf,
} from './address';
import type { Choices } from './state.svelte';

const MODEL = { dataset: null, accuracy: 0.9, measured_on: 'test', is_classifier: true };
const CATALOG = {
  checkpoints: [
    { ...MODEL, name: 'cifar10-ti4', layers: 6, heads: 6 },
    { ...MODEL, name: 'runs/first', layers: 2, heads: 3 },
    { ...MODEL, name: 'runs/pets', layers: 2, heads: 3, dataset: 'pets' },
  ],
  cifar: { available: true, classes: [], message: '' },
  samples: [
    { name: 'airplane', src: '' },
    { name: 'cat', src: '' },
  ],
  photos: [{ name: 'rocket', title: 'Launch of a rocket', src: '' }],
  methods: [{ key: 'rollout' }, { key: 'relevance' }, { key: 'shapley', name: 'Shapley values', onRequest: true }],
} as unknown as Catalog;
const SHAPE = { layers: 6, heads: 6, rows: 8, columns: 8, aspect: 1, prefix: 1, classToken: true };
const CHOICES: Choices = {
  checkpoint: 'cifar10-ti4',
  image: { kind: 'sample', name: 'cat' },
  layer: 5,
  head: MEAN,
  pins: [],
  isMultiPatchQuery: false,
  view: 'attention',
  other: null,
  direction: 'from',
  scale: 'shared',
  smooth: false,
  pixels: false,
  outlines: 60,
  method: null,
  ablated: [],
  removed: [],
  mode: 'zero',
  patch_mode: 'drop',
  target: [],
  hover: -1,
  readoutPatch: -1,
};

const OPENING = { layer: 4, head: 1 };
const read = (search: string, catalog = CATALOG) => readAddress(new URLSearchParams(search), catalog);
const sentences = (search: string, shown = CHOICES) =>
  unavailableSentences(new URLSearchParams(search), CATALOG, shown);
const withoutCifar = { ...CATALOG, cifar: { available: false, classes: [], message: '' } };

test('an empty address shows the cat with the first model', () => {
  const [choices, shapeParams] = read('');
  const {
    layer: _1,
    head: _2,
    pins,
    isMultiPatchQuery,
    ablated,
    removed,
    hover,
    readoutPatch: _,
    outlines: _3,
    ...rest
  } = CHOICES;
  expect(choices).toEqual(rest);
  expect(shapeParams).toEqual({ layer: null, head: null, patch: null, ablated: null, removed: null });
});

test('without a cat the first sample is shown, and without samples none', () => {
  expect(read('', { ...CATALOG, samples: [{ name: 'dog', src: '' }] })[0].image).toEqual({
    kind: 'sample',
    name: 'dog',
  });
  expect(read('', { ...CATALOG, samples: [] })[0].image).toBeNull();
});

test('an address is read back', () => {
  const choices: Choices = {
    ...CHOICES,
    checkpoint: 'runs/first',
    image: { kind: 'cifar', index: 17 },
    layer: 1,
    head: 2,
    view: 'patching',
    other: { kind: 'cifar', index: 8 },
    pins: [0, 27],
    direction: 'to',
    scale: 'map',
    smooth: true,
    pixels: true,
    method: 'relevance',
    ablated: [4],
    removed: [9],
    mode: 'mean',
    patch_mode: 'gray',
    target: [3, 5],
  };
  const shape = { ...SHAPE, layers: 2, heads: 3 };
  const values = addressOf(choices, { kind: 'cifar', index: 17 }, shape);
  expect(values).toEqual({
    checkpoint: 'runs/first',
    image: 'cifar:17',
    layer: '2',
    head: '3',
    view: 'patching',
    other: 'cifar:8',
    patch: '1-1_4-4',
    direction: 'to',
    scale: 'map',
    display: 'smooth',
    method: 'relevance',
    resolution: 'pixels',
    class: '3-5',
    ablated: '2-2',
    removed: '2-2',
    mode: 'mean',
    patch_mode: 'gray',
  });
  const [found, shapeParams] = read(new URLSearchParams(values as Record<string, string>).toString());
  expect({ ...CHOICES, ...found, ...readShapeParams(shapeParams, shape, OPENING) }).toEqual(choices);
});

test('the second image is written only where it is shown', () => {
  const choices: Choices = { ...CHOICES, other: { kind: 'sample', name: 'cat' } };
  expect(addressOf(choices, { kind: 'sample', name: 'cat' }, SHAPE).other).toBeNull();
});

test('replacements are written only while something is replaced', () => {
  const values = addressOf({ ...CHOICES, mode: 'mean', patch_mode: 'gray' }, { kind: 'sample', name: 'cat' }, SHAPE);
  expect(values).toMatchObject({ mode: '', patch_mode: '', patch: '', class: '', method: null, head: 'mean' });
});

test('invalid values give the defaults', () => {
  const [choices, shapeParams] = read(
    'checkpoint=../etc&layer=99&head=-4&direction=up&scale=huge&display=x&method=magic',
  );
  expect(choices).toMatchObject({ checkpoint: 'cifar10-ti4', direction: 'from', scale: 'shared' });
  expect(choices).toMatchObject({ smooth: false, method: null });
  expect(readShapeParams({ ...shapeParams, patch: '9-9_x_4-5_4-5', ablated: '7-1_6-6' }, SHAPE, OPENING)).toEqual({
    layer: 5,
    head: 0,
    pins: [28],
    ablated: [35],
    removed: [],
  });
});

test('at most two different classes are explained', () => {
  expect(read('class=4-4')[0].target).toEqual([4]);
  expect(read('class=4-x-2-7')[0].target).toEqual([4, 2]);
});

test('what belongs to another image or model is not adopted', () => {
  const [choices, shapeParams] = read('image=upload&patch=2-2&class=4&removed=1-1&ablated=1-1');
  expect(choices).toMatchObject({ image: { kind: 'sample', name: 'cat' }, target: [] });
  expect(shapeParams).toMatchObject({ patch: null, ablated: '1-1', removed: null });
  expect(read('checkpoint=lost&class=4')[0].target).toEqual([]);
  expect(read('image=cifar:3&patch=2-2', withoutCifar)[1].patch).toBeNull();
});

test('an image is named in the address', () => {
  for (const name of ['cat', 'rocket', 'cifar:9999', 'runs/pets:12']) {
    const image = parseImage(name, CATALOG);
    expect(image && imageParam(image)).toBe(name);
  }
  expect(parseImage('cifar:10000', CATALOG)).toBeNull();
  expect(parseImage('runs/first:0', CATALOG)).toBeNull();
  expect(parseImage('runs/lost:0', CATALOG)).toBeNull();
  expect(parseImage(null, CATALOG)).toBeNull();
  expect(imageParam({ kind: 'upload', path: '/tmp/x.png', name: 'x.png' })).toBe('upload');
});

test('unavailable parts of the address are named', () => {
  expect(sentences('')).toBe('');
  expect(sentences('checkpoint=cifar10-ti4&image=cat')).toBe('');
  expect(sentences('checkpoint=lost&image=bird')).toBe(
    'The model of this link, lost, is not available: showing cifar10-ti4. ' +
      'The image of this link, bird, is not available: showing cat.',
  );
  expect(sentences('image=upload')).toBe(
    'A link does not contain an uploaded image: showing cat. Upload the file again.',
  );
  const ofClass = (text: string, target: number[]) => sentences(`class=${text}`, { ...CHOICES, target });
  expect(ofClass('99', [])).toBe('The class of this link, 99, is not available: showing the predicted class.');
  expect(ofClass('3-3', [3])).toBe('The class of this link, 3-3, is not available: showing 3.');
  expect(ofClass('3-5', [3, 5])).toBe('');
  expect(sentences('image=lost&class=3')).not.toContain('class');
  expect(sentences('method=lost')).toBe('The method of this link, lost, is not available.');
  expect(sentences('method=rollout', { ...CHOICES, method: 'rollout' })).toBe('');
  expect(sentences('method=shapley')).toBe(
    'The map of this link, Shapley values, is computed on request: choose it under “On request”.',
  );
  expect(sentences('other=lost', { ...CHOICES, view: 'patching' })).toBe(
    'The image B of this link, lost, is not available.',
  );
});

test('without a layer and head the opening ones are shown; one of them alone has the defaults of old links', () => {
  const chosen = (search: string) => readShapeParams(read(search)[1], SHAPE, OPENING);
  expect(chosen('')).toMatchObject(OPENING);
  expect(chosen('layer=2')).toMatchObject({ layer: 1, head: MEAN });
  expect(chosen('head=3')).toMatchObject({ layer: 5, head: 2 });
  expect(chosen('layer=mean&head=mean')).toMatchObject({ layer: MEAN, head: MEAN });
});

test('a model with a dataset of its own opens on its first test image', () => {
  expect(read('checkpoint=runs/pets')[0].image).toEqual({ kind: 'dataset', run: 'runs/pets', index: 0 });
  expect(read('checkpoint=runs/pets&image=cat')[0].image).toEqual({ kind: 'sample', name: 'cat' });
});

test('attention pooling is a layer of models that have it', () => {
  const layerOf = (pooled: boolean) =>
    readShapeParams({ ...read('?layer=pool&head=2')[1] }, { ...SHAPE, pooled }, OPENING).layer;
  expect([layerOf(true), layerOf(false)]).toEqual([-2, SHAPE.layers - 1]);
});

test('the entry of the history restores an uploaded image', () => {
  const upload = { kind: 'upload', path: '/tmp/x.png', name: 'x.png', crop: 0.2 } as const;
  expect(uploadOf({ upload })).toEqual(upload);
  for (const state of [null, {}, { upload: null }, { upload: { ...upload, path: 3 } }, { upload: { kind: 'cifar' } }]) {
    expect(uploadOf(state)).toBeNull();
  }
  const [choices, shapeParams] = readAddress(new URLSearchParams('image=upload&patch=2-2'), CATALOG, { upload });
  expect([choices.image, shapeParams.patch]).toEqual([upload, '2-2']);
  expect(sentences('image=upload', { ...CHOICES, image: upload })).toBe('');
});

test('an unknown view is the attention, which the address omits', () => {
  expect(read('?view=nonsense')[0].view).toBe(DEFAULTS.view);
});
