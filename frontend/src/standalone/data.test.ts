import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { ExplorerData } from '../lib/api';
import { replier, weightsOf } from './data';

const base64 = (array: Uint8Array | Uint16Array | Float32Array) => Buffer.from(array.buffer).toString('base64');
const compressed = (array: Uint8Array | Uint16Array) => deflateSync(new Uint8Array(array.buffer)).toString('base64');

test('weights of 16 bits are taken as they are', async () => {
  const weights = new Uint16Array([0, 1, 40000, 65535]);
  expect([...(await weightsOf({ weights: compressed(weights), largest: null }))]).toEqual([0, 1, 40000, 65535]);
});

test('weights of 8 bits are relative to the largest of their row', async () => {
  const steps = new Uint8Array([255, 0, 51, 255]);
  const largest = new Float32Array([1, 0.5]);
  expect([...(await weightsOf({ weights: compressed(steps), largest: base64(largest) }))]).toEqual([
    65535, 0, 6554, 32768,
  ]);
});

test('of a large model the stored rows are served, and for others it is said what is stored', async () => {
  const request = replier({ reply: {}, rows: { 'from 1,2': 'AAA=' } } as unknown as ExplorerData, async () => '');
  expect(await request('rows', { key: 'saved', patches: [1, 2], direction: 'from' })).toBe('AAA=');
  const refusal = await request('rows', { key: 'saved', patches: [1], direction: 'from' });
  expect(refusal).toMatchObject({ error: expect.stringContaining('stores the maps of the class token') });
});
