import { createHash } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import type { Scale } from '../numbers';
import type { Provenance } from '../routes';
import type { Drawing, Picture } from './drawing';
import { metadataOf, sidesOf } from './provenance';

const PROVENANCE: Provenance = {
  vitviz: '0.2.0',
  model: { name: '模型 "<é>"', repository: null, revision: null, sha256: '0'.repeat(64), files: [] },
  image: { sha256: '1'.repeat(64), width: 40, height: 30, crop: 0.5 },
  preprocessing: {
    img_size: [20, 28],
    mean: [0.5, 0.4, 0.3],
    std: [0.2, 0.25, 0.3],
    interpolation: 'lanczos',
    crop_pct: 1,
    crop_mode: 'center',
  },
  subject: { model: 'tiny', image: { kind: 'sample', name: 'cat' } },
  view: {},
  code: 'import vitviz\n',
};
const DATA = new Uint8ClampedArray([1, 2, 3, 255, 250, 251, 252, 255]);

function pictureOf(name: string, scale?: Scale, place: Partial<Picture> = {}): Picture {
  const panel = scale && { name, scale, values: [0, 1], table: new Uint32Array(256) };
  const box = { x: 20, y: 30, width: 50, height: 60, ...place };
  return {
    kind: 'image',
    ...box,
    pixels: { width: 2, height: 1, data: DATA },
    isPixelated: true,
    opacity: 1,
    name,
    ...(panel && { panel }),
  };
}

const drawingOf = (...primitives: Drawing['primitives']): Drawing => ({
  width: 200,
  height: 100,
  primitives,
  title: '',
  description: '',
});

const read = async (...pictures: Picture[]) =>
  JSON.parse(await metadataOf(PROVENANCE, drawingOf(...pictures), ({ pixels }) => pixels));

afterEach(() => vi.unstubAllGlobals());

test('the JSON is ASCII and holds the provenance with the panels', async () => {
  const text = await metadataOf(PROVENANCE, drawingOf(pictureOf('map')), ({ pixels }) => pixels);
  expect(text).toMatch(/^[ -~]*$/);
  expect(JSON.parse(text)).toMatchObject(PROVENANCE);
});

test('a panel has its rectangle as fractions, and the hash of its pixels', async () => {
  const { panels } = await read(pictureOf('map', { kind: 'linear', limit: 0.25 }));
  const sha256 = createHash('sha256').update(DATA).digest('hex');
  expect(panels).toEqual([
    { name: 'map', rectangle: [0.1, 0.3, 0.35, 0.9], colormap: 'seq', limits: [0, 0.25], sha256 },
  ]);
});

test('one changed value changes the hash', async () => {
  const [{ sha256 }] = (await read(pictureOf('map'))).panels;
  const data = DATA.slice();
  data[6] ^= 1;
  const changed = { ...pictureOf('map'), pixels: { width: 2, height: 1, data } };
  expect((await read(changed)).panels[0].sha256).not.toBe(sha256);
});

test('limits and color map are those of the scale, and images have none', async () => {
  const scales: [Scale | undefined, string | null, [number, number] | null][] = [
    [{ kind: 'linear', low: 0.5, limit: 2 }, 'seq', [0.5, 2]],
    [{ kind: 'signed', limit: 3 }, 'div', [-3, 3]],
    [{ kind: 'uniform', uniform: 0.5 }, 'div', [0.0625, 4]],
    [undefined, null, null],
  ];
  for (const [scale, colormap, limits] of scales) {
    expect((await read(pictureOf('map', scale))).panels[0]).toMatchObject({ colormap, limits });
  }
});

test('a panel that reaches out of the figure ends at its border, and images without a name are not panels', async () => {
  const { panels } = await read(pictureOf('map', undefined, { x: -1e-9, width: 201, y: 50 }), pictureOf(''));
  expect(panels.map(({ rectangle }: { rectangle: number[] }) => rectangle)).toEqual([[0, 0.5, 1, 1]]);
});

test('sides are rounded one by one, so that neighbors share them', () => {
  const left = sidesOf([0, 0, 1 / 3, 1], 100, 10);
  const right = sidesOf([1 / 3, 0, 1, 1], 100, 10);
  expect(left).toEqual({ left: 0, top: 0, width: 33, height: 10 });
  expect(right).toEqual({ left: 33, top: 0, width: 67, height: 10 });
});

test('without the cryptography of a secure page the hash is unknown', async () => {
  vi.stubGlobal('crypto', {});
  expect((await read(pictureOf('map'))).panels[0].sha256).toBeNull();
});
