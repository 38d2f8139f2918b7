import { expect, test } from 'vitest';
import { type Choices, paramsOf, readChoices } from './choices';

const SHAPE = { layers: 6, heads: 3, rows: 4, columns: 8, aspect: 2, prefix: 1, class_token: true };
const CHOICES: Choices = { layer: 4, head: 1, patch: 9, dimension: 6, removed: [3, 0] };
const read = (query: string, step = 'attention') => readChoices(new URLSearchParams(query), step, SHAPE, 192);

test('a link carries what the figure of its step shows, and reading it gives the same choices', () => {
  expect(paramsOf('attention', CHOICES)).toEqual({
    ...{ layer: '4', head: '1', query: '9', dimension: null, removed: null },
  });
  expect(paramsOf('removal', CHOICES)).toMatchObject({ layer: null, removed: '3,0' });
  expect(Object.values(paramsOf('softmax', CHOICES))).toEqual([null, null, null, null, null]);
  for (const step of ['overview', 'attention', 'embedding', 'removal', 'heads']) {
    const params = Object.entries(paramsOf(step, CHOICES)).filter(([, value]) => value);
    const { choices, missing } = read(new URLSearchParams(params as [string, string][]).toString(), step);
    expect(missing).toEqual([]);
    expect(CHOICES).toMatchObject(choices);
    expect(Object.keys(choices)).toHaveLength(params.length);
  }
});

test('the nearest layer, head, patch and dimension replace those that the model lacks', () => {
  const { choices, missing } = read('layer=9&head=-1&query=41&dimension=200');
  expect(choices).toEqual({ layer: 5, head: 0, patch: 31, dimension: 191 });
  expect(missing).toEqual([
    'The layer of this link, 9, is not available: showing layer 6.',
    'The head of this link, -1, is not available: showing head 1.',
    'The dimension of this link, 200, is not available: showing dimension 192.',
    'The patch of this link, 41, is not available: showing row 4, column 8.',
  ]);
  expect(read('layer=x&query=a').choices).toEqual({ layer: 0, patch: 0 });
  expect(read('removed=0,32', 'removal')).toEqual({
    choices: { removed: [0] },
    missing: ['Some removed patches of this link are not in the grid of this model: they are left out.'],
  });
});

test('choices of Explore that Learn has no figure for are left alone', () => {
  expect(read('layer=mean&head=pool&query=0,9&removed=0')).toEqual({ choices: {}, missing: [] });
});
