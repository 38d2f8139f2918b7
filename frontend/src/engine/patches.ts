/* Images as patches. */

import { type Sizes, sizesOf, type ViTConfig } from './vitConfig';

export class Patches {
  readonly sizes: Sizes;
  readonly #order: Int32Array; // the place of each value of each patch among the pixels (3, H, W)

  constructor(config: ViTConfig) {
    this.sizes = sizesOf(config);
    const [H, W] = config.img_size;
    const { gw, cell } = this.sizes;
    const [h, w] = cell;
    const colorsLast = config.architecture === 'tutorial-scratch';
    this.#order = Int32Array.from({ length: 3 * H * W }, (_, at) => {
      const [patch, i] = [Math.floor(at / (3 * h * w)), at % (3 * h * w)];
      const [color, place] = colorsLast ? [i % 3, Math.floor(i / 3)] : [Math.floor(i / (h * w)), i % (h * w)];
      const y = Math.floor(patch / gw) * h + Math.floor(place / w);
      return (color * H + y) * W + (patch % gw) * w + (place % w);
    });
  }

  get all() {
    return [...Array(this.sizes.N).keys()];
  }

  /** The places of a patch's values. */
  #places(patch: number) {
    const count = this.#order.length / this.sizes.N;
    return this.#order.subarray(patch * count, (patch + 1) * count);
  }

  /** The pixels (3, H, W) of some patches, (n, 3 P P). */
  cut(pixels: Float32Array, patches = this.all): Float32Array {
    const out = new Float32Array((pixels.length / this.sizes.N) * patches.length);
    let to = 0;
    for (const patch of patches) for (const at of this.#places(patch)) out[to++] = pixels[at];
    return out;
  }

  /** The values of one patch, or of a filter, by color, row and column (3, h, w). */
  toImage(values: Float32Array): Float32Array {
    const places = this.#places(0);
    const sorted = [...places.keys()].sort((i, j) => places[i] - places[j]);
    return Float32Array.from(sorted, (i) => values[i]);
  }

  /** The image of the values of patches, 0 elsewhere. */
  join(values: Float32Array, patches = this.all): Float32Array {
    const pixels = new Float32Array(this.#order.length);
    let from = 0;
    for (const patch of patches) for (const at of this.#places(patch)) pixels[at] = values[from++];
    return pixels;
  }

  /** The image with patches in the mean color, which is 0. */
  gray(pixels: Float32Array, patches: readonly number[]): Float32Array {
    const out = pixels.slice();
    for (const patch of patches) for (const at of this.#places(patch)) out[at] = 0;
    return out;
  }

  /** Sums of pixels (3, H, W) over each patch. */
  sums(pixels: Float32Array): Float32Array {
    return Float32Array.from(this.all, (patch) => this.#places(patch).reduce((sum, at) => sum + pixels[at], 0));
  }
}
