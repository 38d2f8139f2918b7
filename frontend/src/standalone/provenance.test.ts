import { expect, test } from 'vitest';
import type { Provenance, ShownView } from '../lib/api';
import { provenanceOf } from './data';

const SHOWN: ShownView = {
  method: null,
  layer: 4,
  head: null,
  patches: [3],
  direction: 'to',
  target: [3],
  scale: 'map',
  smooth: true,
  outlines: 0.6,
  truth: 3,
  pixels: false,
  foreground: false,
  other: null,
};
const STORED = {
  code: 'import vitviz\n',
  view: {
    content: 'attention',
    method: null,
    layer: 4,
    head: 'mean',
    query: [3],
    direction: 'to',
    target: [3],
    pixels: false,
  },
} as unknown as Provenance;

test('the view has the names of Python, and the code is that of the stored view', () => {
  const { view, code } = provenanceOf(STORED, SHOWN);
  expect(view).toMatchObject({ ...STORED.view, scale: 'map', smooth: true, truth: 3 });
  expect(view).not.toHaveProperty('patches');
  expect(code).toBe(STORED.code);
});

test('another map has another code, which only Python writes', () => {
  const changes: Partial<ShownView>[] = [
    { layer: null },
    { head: 1 },
    { patches: [] },
    { direction: 'from' },
    { method: 'rollout' },
  ];
  for (const change of changes) {
    const { view, code } = provenanceOf(STORED, { ...SHOWN, ...change });
    expect(code).toBeNull();
    expect(view.content).toBe('method' in change ? 'method' : 'attention');
  }
});
