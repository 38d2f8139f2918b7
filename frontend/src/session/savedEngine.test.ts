import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { RefusedError } from '../lib/refused';
import { DEFAULT_VIEW, type Subject, type View } from '../lib/view';
import { NEVER } from './engine';
import { SavedEngine, type SavedFile, weightsOf } from './savedEngine';

const packed = (array: Uint8Array | Uint16Array) => deflateSync(new Uint8Array(array.buffer)).toString('base64');
const base64 = (array: Float32Array | Uint16Array) => Buffer.from(array.buffer).toString('base64');
const SUBJECT: Subject = { model: 'm', snapshot: null, image: { kind: 'sample', name: '' }, ablations: [] };

test('weights of 16 bits are taken as they are', async () => {
  const weights = Uint16Array.of(0, 1, 65535, 300);
  expect([...(await weightsOf({ weights: packed(weights), largest: null }))]).toEqual([...weights]);
});

test('weights of 8 bits are relative to the largest of their row', async () => {
  const full = { weights: packed(Uint8Array.of(255, 51, 0, 255)), largest: base64(Float32Array.of(1, 0.5)) };
  expect([...(await weightsOf(full))]).toEqual([65535, 13107, 0, 32768]);
});

test('of a large model the stored rows are served, and for others it is said what is stored', async () => {
  const rows = { 'from 3,5': base64(Uint16Array.of(65535, 0)) };
  const engine = new SavedEngine({ data: { attention: null, rows } } as unknown as SavedFile);
  expect([
    ...(await engine.request('explanations/rows', { subject: SUBJECT, query: [3, 5], direction: 'from' }, NEVER)),
  ]).toEqual([1, 0]);
  await expect(
    engine.request('explanations/rows', { subject: SUBJECT, query: [4], direction: 'to' }, NEVER),
  ).rejects.toThrow('not of this one');
  await expect(engine.request('explanations/features', { subject: SUBJECT }, NEVER)).rejects.toBeInstanceOf(
    RefusedError,
  );
});

test('a figure has the provenance of the file with the view on screen, and code only of the stored view', async () => {
  const view: View = { ...DEFAULT_VIEW, layer: 4, query: [3], direction: 'to', target: [3] };
  const engine = new SavedEngine({ provenance: { code: 'import vitviz\n', view }, data: {} } as unknown as SavedFile);
  const shown = { ...view, scale: 'map' as const, smooth: true };
  expect(await engine.request('explanations/provenance', { subject: SUBJECT, view: shown }, NEVER)).toMatchObject({
    view: shown,
    code: 'import vitviz\n',
  });
  const changes: Partial<View>[] = [
    { layer: 'mean' },
    { head: 1 },
    { query: [] },
    { direction: 'from' },
    { method: 'rollout' },
  ];
  for (const change of changes) {
    const other = { ...view, ...change };
    expect(await engine.request('explanations/provenance', { subject: SUBJECT, view: other }, NEVER)).toMatchObject({
      view: other,
      code: null,
    });
  }
});
