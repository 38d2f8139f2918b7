import { expect, test } from 'vitest';
import type { Explorer } from './explorer.svelte';
import { nextPresentation, PRESENTATIONS, present } from './present';

test('F shows image and map, the map, the matrix, and again image and map', () => {
  expect(nextPresentation(null)).toBe('pair');
  expect(PRESENTATIONS.map(([name]) => nextPresentation(name))).toEqual(['map', 'matrix', 'pair']);
});

test('nothing is presented before the first image', () => {
  const explorer = { session: { explanation: null }, presented: null } as unknown as Explorer;
  present(explorer, 'map');
  expect(explorer.presented).toBeNull();
});
