import type { Probes } from '../lib/routes';

const square = (size: number, value: (row: number, column: number) => number) =>
  Array.from({ length: size }, (_, row) => Array.from({ length: size }, (_, column) => value(row, column)));

/** Probes of a model with 2 layers, 2 heads, a grid of 2 x 2 patches and one register, for tests. */
export const EXAMPLE: Probes = {
  model: 'tiny',
  images: 'the 10 sample images',
  size: [8, 8],
  grid: [2, 2],
  prefix: 2,
  class_token: true,
  captured: false,
  classes: 10,
  position_start: 'sine-cosine',
  filters: [0.5, -0.25].map((value) => [0, 1, 2].map((channel) => square(4, () => value / (channel + 1)))),
  explained: [0.5, 0.25],
  position_similarity: square(2, () => 0).map((line, row) =>
    line.map((_, column) =>
      square(2, (other, across) => 1 - 0.3 * Math.abs(row - other) - 0.6 * Math.abs(column - across)),
    ),
  ),
  distance: [
    [1, 2],
    [3, 4],
  ],
  uniform_distance: 4,
  effective_tokens: [
    [1, 2.25],
    [3, 6],
  ],
  head_divergence: [
    square(2, (row, column) => 0.2 * Math.abs(row - column)),
    square(2, (row, column) => 0.5 * Math.abs(row - column)),
  ],
  norms: [
    [1, 1, 1, 2, 3, 4],
    [2, 2, 2, 3, 4, 5],
    [9, 3, 4, 5, 6, 7],
  ],
  longest: [5, 6, 8],
  outliers: [
    [0, 0, 0, 0, 0, 0],
    [1, 0, 0, 0.5, 0, 0.5],
    [0, 0, 0, 0.1, 0, 0],
  ],
  final_agreement: [0.1, 0.6, 1],
  final_probability: [0.1, 0.4, 0.9],
  class_token_cosine: [0.1, -0.4, 0.2].map((value) => square(2, (row, column) => value + 0.1 * row - 0.2 * column)),
  sink_share: [
    [0.2, 0.5],
    [0.8, 0.25],
  ],
  sink_norm: [
    [1, 0.9],
    [0.1, 2],
  ],
  head_shares: [
    [
      [0.5, 0.25, 0.125, 0.125],
      [0.1, 0.6, 0.2, 0.1],
    ],
    [
      [0.3, 0.3, 0.3, 0.1],
      [0.2, 0.2, 0.2, 0.4],
    ],
  ],
  image_specific: [
    [0, 0],
    [0.2, 0.4],
  ],
  follows_patches: [1, 0.7, 0],
  follows_class_token: [0, 0.2, 1],
  head_images: 200,
  pairs: 150,
  cka: square(3, (row, column) => 1 - 0.3 * Math.abs(row - column)),
  provenance: {
    vitviz: '1',
    code: null,
    panels: [],
    model: { name: 'tiny', repository: null, revision: null, sha256: null, files: [] },
    preprocessing: {
      img_size: [4, 4],
      mean: [0, 0, 0],
      std: [1, 1, 1],
      interpolation: 'bilinear',
      crop_pct: 1,
      crop_mode: 'center',
    },
    probed: { count: 10, sha256: '' },
  },
};
