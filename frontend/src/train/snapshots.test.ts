import { expect, test } from 'vitest';
import type { TimelineReply } from '../lib/routes';
import { addSnapshots, layerPoints, type Past, rankedClasses, shownLayers, snapshotPoints } from './snapshots';

const SHAPE = {
  layers: 2,
  heads: 1,
  rows: 1,
  columns: 2,
  aspect: 2,
  prefix: 1,
  class_token: true,
  distilled: false,
  layer_heads: [1, 1],
  captured: false,
};
const NOTHING = { image: null, masked: null, shape: null, classes: null, images: null };
const ROWS = [0, 65535, 0, 32768, 16384, 16383]; // two layers of three tokens

/** Snapshots at these epochs, all with the same rows. */
function reply(first: number, ...epoch: number[]): TimelineReply {
  const bytes = new Uint8Array(new Uint16Array(epoch.flatMap(() => ROWS)).buffer);
  const start = { image: 1, masked: null, shape: SHAPE, classes: ['cat', 'dog'], images: [{ name: 'cat', src: '' }] };
  return {
    first,
    count: first + epoch.length,
    epoch,
    seconds: epoch.map((at) => 60 * at),
    probabilities: epoch.map((at) => [at, 1 - at]),
    rows: btoa(String.fromCharCode(...bytes)),
    entropy: null,
    distance: epoch.map(() => [[4], [6]]),
    probe_loss: epoch.map((at) => 2 - at),
    probe_accuracy: null,
    reconstructions: null,
    ...(first ? NOTHING : start),
  };
}

test('snapshots are decoded with the effective number of tokens of each head', () => {
  const past = addSnapshots(null, reply(0, 0.25)) as Past;
  expect(past).toMatchObject({ shape: SHAPE, classes: ['cat', 'dog'], images: [{ name: 'cat' }] });
  const [first] = past.snapshots;
  expect(first).toMatchObject({ epoch: 0.25, seconds: 15, probabilities: [0.25, 0.75], distance: [[4], [6]] });
  expect(first.entropy).toBeNull();
  expect([...first.defaultRows].map((weight) => weight.toFixed(2))).toEqual([
    '0.00',
    '1.00',
    '0.00',
    '0.50',
    '0.25',
    '0.25',
  ]);
  expect(first.effective[0]).toBeCloseTo(1);
  expect(first.effective[1]).toBeCloseTo(2 ** 1.5, 3);
  expect(first.limit).toBe(1);
});

test('new snapshots are appended, those of a restart replace all, and a gap is refused', () => {
  const epochs = (past: Past | null) => past?.snapshots.map(({ epoch }) => epoch);
  const past = addSnapshots(null, reply(0, 0, 1));
  expect(epochs(addSnapshots(past, reply(2, 2, 3)))).toEqual([0, 1, 2, 3]);
  expect(epochs(addSnapshots(past, reply(1, 1.5)))).toEqual([0, 1.5]);
  expect(epochs(addSnapshots(past, reply(0, 7)))).toEqual([7]);
  expect(epochs(past)).toEqual([0, 1]);
  expect(addSnapshots(null, reply(2, 2))).toBeNull();
});

test('classes are ranked by the last snapshot, and the true class is among them', () => {
  const classes = [...'abcdefgh'];
  const last = { probabilities: [0.1, 0.3, 0.05, 0.2, 0.15, 0.12, 0.06, 0.02] };
  const past = { classes, snapshots: [{}, last] } as Past;
  expect(rankedClasses(past, -1)).toEqual([1, 3, 4, 5, 0, 6]);
  expect(rankedClasses(past, 0)).toEqual([1, 3, 4, 5, 0, 6]);
  expect(rankedClasses(past, 7)).toEqual([1, 3, 4, 5, 0, 7]);
});

test('about six layers have a line', () => {
  expect(shownLayers(6)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(shownLayers(12)).toEqual([0, 2, 4, 6, 8, 10, 11]);
});

test('a line of a layer is the mean of its heads', () => {
  const values = [
    { epoch: 0, effective: [1, 3, 5, 7] },
    { epoch: 2, effective: [2, 2, 4, 8] },
  ];
  const past = { shape: { ...SHAPE, heads: 2 }, snapshots: values } as unknown as Past;
  expect(layerPoints(past, 1, (now) => now.effective)).toEqual([
    [0, 6],
    [2, 6],
  ]);
});

test('curves of the probe images have a point per snapshot, and none if their classes are not known', () => {
  const past = addSnapshots(null, reply(0, 0.25, 1)) as Past;
  expect(snapshotPoints(past, 'probeLoss')).toEqual([
    [0.25, 1.75],
    [1, 1],
  ]);
  expect(snapshotPoints(past, 'probeAccuracy')).toEqual([]);
  expect(snapshotPoints(null, 'probeLoss')).toEqual([]);
});

test('means have a scale of their own', () => {
  const [left, right] = [
    [0, 65535, 0],
    [0, 0, 65535],
  ];
  const rows = btoa(String.fromCharCode(...new Uint8Array(new Uint16Array([left, right, right, left].flat()).buffer)));
  const { snapshots } = addSnapshots(null, { ...reply(0, 1), rows, shape: { ...SHAPE, heads: 2 } }) as Past;
  expect(snapshots[0].limit).toBe(1);
  expect(snapshots[0].meanLimit).toBeCloseTo(0.4); // all means are 0.5
});
