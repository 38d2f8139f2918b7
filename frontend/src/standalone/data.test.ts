import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { weightsOf } from './data';

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
