/* A pass of a network of any size, by default 2 layers of 2 heads, 2 x 3 patches, tokens of 6 numbers. */

import type { Motion, Pass } from '../learnPage.svelte';
import type { Stage } from './scene';
import { storyOf } from './story';
import { layOut } from './world';

const [D, SIZE] = [6, 3];
const wave = (count: number, from = 0) => Float32Array.from({ length: count }, (_, i) => 2 * Math.sin(i + from));
const base64 = (values: Float32Array) => Buffer.from(values.buffer).toString('base64');

/** @param every of the patches of this spacing are drawn */
export function passOf({ layers = 2, heads = 2, rows = 2, columns = 3, prefix = 1, every = 1 } = {}) {
  const count = prefix + rows * columns;
  const shape = { layers, heads, rows, columns, aspect: columns / rows, prefix, class_token: true };
  const scores = count === 7 ? Float32Array.of(0.5, -1, 2, 0, 1, -2, 0.25) : wave(count);
  const powers = scores.map(Math.exp);
  const sum = powers.reduce((all, one) => all + one, 0);
  const weights = powers.map((power) => power / sum);
  const repeated = (times: number) => Float32Array.from({ length: times * count }, (_, i) => weights[i % count]);
  const drawn = [...Array(count).keys()].filter((token) => token < prefix || (token - prefix) % every === 0);
  const pass = {
    explanation: {
      shape,
      reply: { classes: ['cat', 'dog', 'ship'], probabilities: [0.2, 0.7, 0.1] },
      defaultRows: repeated(layers * heads),
      image: { width: 6, height: 4 },
      subject: { model: 'tiny', image: { kind: 'sample', name: 'cat' } },
    },
    lesson: {
      model: {
        ...{ img_size: [4, 6], patch: [2, 2], patch_size: 2, embed_dim: D, head_dim: SIZE, scaled_width: SIZE },
        ...{ mlp_dim: 12, positions: true, qkv_bias: true, patch_bias: true },
      },
      rows: drawn,
      tokens: base64(wave((layers + 1) * drawn.length * D)),
      lens: Array.from(
        { length: layers + 1 },
        (_, i) =>
          [
            [0.5, 0.3, 0.2],
            [0.3, 0.4, 0.3],
            [0.2, 0.7, 0.1],
          ][Math.min(i, 2)],
      ),
      norms: Array.from({ length: layers + 1 }, (_, i) => i + 1),
      logits: [0.25, 1.5, -0.44],
      patch_predictions: [],
    },
  } as unknown as Pass;
  const motion = {
    followed: 3,
    head: {
      ...{ layer: 1, head: 1, token: 0, size: SIZE, scores, weights, query: wave(SIZE), keys: wave(count * SIZE, 1) },
      ...{ values: wave(count * SIZE, 2), output: wave(SIZE, 3), head_outputs: wave(heads * SIZE, 4) },
      head_weights: repeated(heads),
      ...{ input: wave(D, 5), attention: wave(D, 6), mlp: wave(D, 7) },
    },
    patch: {
      ...{ pixels: wave(12), weights: wave(12, 1), product: 1.25, rest: 0.5, products: wave(D, 2), positions: [] },
      tokens: wave((layers + 1) * D, 9),
    },
  } as unknown as Motion;
  return { pass, motion };
}
export const { pass: PASS, motion: MOTION } = passOf();

/** A stage of a size. */
export function stageOf(width = 1140, height = 520, pass = PASS, motion = MOTION): Stage {
  const story = storyOf(pass, motion);
  const names = ['page', 'fill', 'line', 'control', 'text', 'quiet', 'accent', 'font'];
  const table = Uint32Array.from({ length: 256 }, (_, i) => 0xff000000 | (i * 0x10101));
  const ink = {
    ...Object.fromEntries(names.map((name) => [name, name])),
    seq: table,
    div: table,
  } as unknown as Stage['ink'];
  const picture = { width: 6, height: 4 };
  const pictures = {
    photo: picture,
    scores: picture,
    weights: picture,
    tables: Array(story.shape.layers + 1).fill(picture),
    tiles: Array(story.shape.layers).fill(picture),
  };
  const world = layOut(story.shape, story.layer, story.head, width, height);
  return { story, ink, width, height, world, pictures: pictures as unknown as Stage['pictures'] };
}

/** A context that records what is set and called. */
export function recorder() {
  const calls: string[] = [];
  const state: Record<string, unknown> = {};
  const g = new Proxy(state, {
    get: (_, name: string) =>
      state[name] ??
      ((...values: unknown[]) => {
        calls.push(`${name} ${values.map((value) => (typeof value === 'number' ? value.toFixed(6) : String(value)))}`);
        return { width: 40 };
      }),
    set: (_, name: string, value) => {
      state[name] = value;
      calls.push(`${name} = ${value}`);
      return true;
    },
  });
  return { g: g as unknown as CanvasRenderingContext2D, calls };
}
