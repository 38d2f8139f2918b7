import { expect, test } from 'vitest';
import { MEAN } from '../lib/numbers';
import type { MethodInfo, Progress } from '../lib/routes';
import { NOTHING_ABLATED } from '../lib/view';
import type { Drawing } from './drawing.svelte';
import { readingOf } from './reading';
import { mapScale, methodScale, scaleNote, tableKind } from './scales';
import { headlineOf, lineOf, pendingLine } from './viewSentences';

const SHAPE = {
  layers: 2,
  heads: 2,
  rows: 2,
  columns: 2,
  aspect: 1,
  prefix: 1,
  class_token: true,
  removed: [],
};
const ROW = Float32Array.of(0.0625, 0.25, 0.5, 0.125, 0.125);
const SCALE = { kind: 'linear', limit: 0.5, clips: false, isWeight: true } as const;

const view = (changes: object) =>
  ({
    shape: SHAPE,
    map: { values: ROW, first: 1, scale: SCALE },
    query: [],
    direction: 'from',
    layer: 0,
    head: 1,
    read: -1,
    ablation: NOTHING_ABLATED,
    whyEmpty: '',
    classes: ['cat'],
    ...changes,
  }) as unknown as Drawing;
const textOf = (changes: object) =>
  lineOf(view(changes), null)
    .map((part) => (typeof part === 'string' ? part : part.strong))
    .join('');

test('before the first image the headline is general', () => {
  expect(headlineOf(view({ map: null }))).toBe('What the model attends to');
  expect(textOf({ map: null })).toBe('');
});

test('a head is described by its strongest patch', () => {
  expect(headlineOf(view({}))).toBe('Layer 1, head 2: the class token attends most to row 1, column 2');
  expect(textOf({})).toContain('Row 1, column 2 gets 50.0');
});

test('an ablated head is described by what replaces its output', () => {
  expect(headlineOf(view({ whyEmpty: 'ablated' }))).toBe('Layer 1, head 2 is ablated');
  expect(textOf({ whyEmpty: 'ablated' })).toBe('Its output is replaced by zero. Prediction shows the effect.');
  expect(lineOf(view({ whyEmpty: 'ablated' }), null, false)).toEqual([
    'Its output is replaced by zero. The later layers show the effect.',
  ]);
  expect(textOf({ whyEmpty: 'ablated', head: MEAN, ablation: { ...NOTHING_ABLATED, mode: 'mean' } })).toContain(
    'by their means over the sample images.',
  );
});

test('removed patches are described so', () => {
  const shape = { ...SHAPE, removed: [1, 2] };
  expect(headlineOf(view({ shape, query: [1] }))).toBe('Row 1, column 2 is removed');
  expect(headlineOf(view({ shape, query: [1, 2] }))).toBe('2 patches are removed');
  expect(textOf({ shape, query: [1] })).toContain('Choose another patch');
  expect(textOf({ shape, read: 2 })).toBe('Row 2, column 1 is removed: it neither attends nor is attended to.');
});

test('the value under the pointer is placed on the map and on the bar', () => {
  expect(readingOf(view({}))).toBeNull();
  expect(readingOf(view({ read: 0 }))).toMatchObject({ left: '25%', top: '50%', isBelow: true, place: '50%' });
  expect(readingOf(view({ read: 3 }))).toMatchObject({ left: '75%', top: '50%', isBelow: false, place: '25%' });
  expect(readingOf(view({ read: 3, shape: { ...SHAPE, removed: [3] } }))).toMatchObject({
    number: 'removed',
    remark: '',
  });
});

test('a map is scaled from its minimum to its maximum, a signed one symmetrically', () => {
  expect(mapScale(ROW, SHAPE)).toEqual({ kind: 'linear', low: 0.125, limit: 0.5, clips: false, isWeight: true });
  const withoutSome = { ...SHAPE, removed: [2, 3] };
  expect(mapScale(ROW, withoutSome)).toMatchObject({ low: 0.25, limit: 0.5 });
  expect(mapScale(Float32Array.of(0.5, 0.125, 0.125), SHAPE)).toMatchObject({ low: 0, limit: 0.25 }); // in the middle
  const unit = (name: string) => ({ unit: name }) as MethodInfo;
  expect(methodScale(unit('logits'), [-3, 2])).toEqual({ kind: 'signed', limit: 3, isWeight: false });
  expect(methodScale(unit('cosine'), [-0.3, 0.2])).toMatchObject({ kind: 'signed', limit: 1, isCosine: true });
  expect(methodScale(unit('cosine'), [-1.3, 0.2])).toMatchObject({ limit: 2 });
  expect(methodScale(unit('weights'), [0, 2])).toMatchObject({ kind: 'linear', limit: 2, isWeight: true });
  expect(methodScale(unit('relative'), [0, 0])).toMatchObject({ low: 0, limit: 1, isWeight: false });
  expect(methodScale(unit('relative'), [3, 4])).toMatchObject({ low: 3, limit: 4, isWeight: false });
  expect(tableKind({ kind: 'uniform', uniform: 1 })).toBe('div');
});

test('the matrix names the ends of the scales of heads and means', () => {
  const limits = { heads: 0.1, means: 0.06 };
  expect(scaleNote('shared', limits).replaceAll('\u00a0', ' ')).toBe('heads to 10 %, means to 6 %');
  expect(scaleNote('map', limits)).toBe('one scale per map');
  expect(scaleNote('uniform', limits)).toBe('one scale');
});

test('pending maps and scores state their progress, or what they wait for', () => {
  const line = (progress: Partial<Progress>, seconds: number) =>
    pendingLine(
      { what: 'scores', progress: { done: 0, total: 0, waiting: '', ...progress }, since: 0 },
      1000 * seconds,
    );
  expect(line({ waiting: '2 requests before yours' }, 7)).toBe('Scores: waiting for 2 requests before yours, for 7 s.');
  expect(line({ done: 50, total: 200 }, 10)).toBe('Scores: 50 of 200 forward passes, about 30 s left.');
  expect(line({ done: 1, total: 200 }, 10)).toBe('Scores: 1 of 200 forward passes, about 33 min left.');
  expect(line({ done: 0, total: 200 }, 10)).toBe('Scores: 0 of 200 forward passes.');
});
