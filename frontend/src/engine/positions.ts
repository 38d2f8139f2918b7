/* Rotary positions and relative positions, as in vitviz/models/layers.py. */

import type { Sizes, ViTConfig } from './vitConfig';

/** Row and column of each patch. */
const placesOf = ({ gw, N }: Sizes) => Array.from({ length: N }, (_, n) => [Math.floor(n / gw), n % gw]);

/** The angles of the rotary embedding: of each layer by learned frequencies (2, L, A, d / 2), (A, N, d) each; or one
    (N, d) for all layers; or none. */
export function ropeAngles(config: ViTConfig, sizes: Sizes, freqs: Float32Array | null): Float32Array[] {
  const { N, d, A, L, gh, gw } = sizes;
  if (config.rope_type === 'none') return [];
  const isSwapped = config.rope_grid_indexing === 'xy';
  const places = placesOf(sizes);
  if (freqs) {
    const half = d / 2;
    return Array.from({ length: L }, (_, l) =>
      Float32Array.from({ length: A * N * d }, (_, at) => {
        const [h, n, k] = [Math.floor(at / (N * d)), Math.floor(at / d) % N, (at % d) >> 1];
        const [first, second] = isSwapped ? places[n].toReversed() : places[n];
        const frequency = (axis: number) => freqs[((axis * L + l) * A + h) * half + k];
        return Math.fround(first * frequency(0)) + Math.fround(second * frequency(1));
      }),
    );
  }
  const quarter = d / 4;
  const sides = [gh, gw];
  const coordinates = places.map((place) => {
    const found = place.map((at, axis) => {
      if (config.rope_type === 'dinov3') return 2 * ((at + 0.5) / sides[axis]) - 1;
      return ((at + config.rope_grid_offset) / sides[axis]) * (config.ref_feat_shape ?? sides)[axis];
    });
    return isSwapped ? found.toReversed() : found;
  });
  const turn = config.rope_type === 'dinov3' ? 2 * Math.PI : 1;
  const angles = Float32Array.from({ length: N * d }, (_, at) => {
    const j = at % d;
    const k = config.rope_rotate_half ? j % (d / 2) : j >> 1; // of d / 2 angles: of one axis, then of the other
    const [axis, exponent] = [Math.floor(k / quarter), (k % quarter) / quarter];
    return (turn * coordinates[Math.floor(at / d)][axis]) / config.rope_temperature ** exponent;
  });
  return [angles];
}

/** The row of BEiT's table of biases for each query and key, (T, T). */
export function relativePositions(sizes: Sizes): Int32Array {
  const { gh, gw, T } = sizes;
  const places = placesOf(sizes);
  const count = (2 * gh - 1) * (2 * gw - 1);
  return Int32Array.from({ length: T * T }, (_, at) => {
    const [i, j] = [Math.floor(at / T), at % T];
    if (!i || !j) return count + (i ? 1 : j ? 0 : 2);
    const [row, column] = places[i - 1].map((place, axis) => place - places[j - 1][axis]);
    return (row + gh - 1) * (2 * gw - 1) + column + gw - 1;
  });
}
