/* Replies about images by a model, computed where the model is: in a worker. The replies are those of
   vitviz/webapp/routes/explanations.py. */

import { base64Of } from '../lib/base64';
import { type Direction, roundLimit } from '../lib/numbers';
import { RefusedError } from '../lib/refused';
import type * as api from '../lib/routes';
import { Context, inputOf, probabilitiesOf, type Target } from './context';
import { pcaOf, readLens, similarityOf } from './features';
import type { Heap } from './heap';
import { type Begun, headVectors, lessonOf, patchEmbedding, randomOrders, rankPatches } from './lesson';
import { METHODS, mapOf, methodsOf, pixelMapOf, queryWeights } from './maps';
import { Network } from './network';
import { Generator } from './random';
import { ModelFile } from './safetensors';
import { RANDOM_ORDERS } from './scores';
import { swapClassToken } from './swap';
import { hasSigmoid } from './vitConfig';

/** An image with ablations. */
export interface Given {
  key: string; // of the image
  pixels: Float32Array; // normalized, (3, H, W)
  ablations: api.Ablation[];
}

/** A request about it. */
type Of<R extends api.SubjectRequest> = Omit<R, 'subject'>;

/** Contexts in memory: those of an image with and without ablations, and of the images before. */
const CONTEXTS = 4;
const ON_DEMAND = 2 ** 24; // attention weights, above which rows are requested one by one
const QUANTILE = 0.98; // as in vitviz/plots/scales.py
const LIMIT_QUERIES = 8; // likewise

export class Explainer {
  readonly #network: Network;
  readonly #contexts = new Map<string, Context>();
  readonly #knownLimits = new WeakMap<Context, api.Explained['limits']>();

  constructor(file: ArrayBuffer, heap: Heap) {
    this.#network = new Network(new ModelFile(file), heap);
  }

  #context({ key, pixels, ablations }: Given): Context {
    const name = JSON.stringify([key, ablations]);
    const found = this.#contexts.get(name) ?? new Context(this.#network, inputOf(this.#network, pixels, ablations));
    this.#contexts.delete(name); // the last one is the most recent
    this.#contexts.set(name, found);
    if (this.#contexts.size > CONTEXTS) this.#contexts.delete(this.#contexts.keys().next().value!);
    return found;
  }

  /** All of an explanation but its image. */
  explain(given: Given): Omit<api.Explained, 'model' | 'image'> {
    const context = this.#context(given);
    const { sizes, config, file } = this.#network;
    const { L, A, T, K, gh, gw, prefix } = sizes;
    const { labels, credit } = file.metadata;
    const methods = methodsOf({ K, hasClassToken: config.class_token });
    const instant = methods.filter((key) => METHODS[key].isInstant);
    const { pool } = context.output;
    return {
      classes: labels,
      probabilities: [...context.probabilities],
      shape: {
        layers: L,
        heads: A,
        rows: gh,
        columns: gw,
        aspect: config.img_size[1] / config.img_size[0],
        prefix,
        class_token: config.class_token,
        distilled: config.distilled,
        layer_heads: Array(L).fill(A),
        captured: false,
      },
      methods,
      cls: encode(this.rows(given, {})),
      pool: pool && encode(context.expand(pool)),
      on_demand: L * A * T * T > ON_DEMAND,
      limits: this.#limits({ ...given, ablations: [] }),
      credit,
      maps: this.maps(given, [], instant),
      notes: {},
    };
  }

  /** Attention between all tokens, (L, A, T, T) as multiples of 1 / 65535; 0 for ablated heads. */
  attention(given: Given): Uint16Array {
    const context = this.#context(given);
    const { L, A, T } = this.#network.sizes;
    const out = new Uint16Array(L * A * T * T);
    context.output.attention.forEach((layer, l) => {
      const values = context.expand(layer, 2);
      for (let h = 0; h < A; h++) {
        if (context.isAblated(l, h)) continue;
        const start = (l * A + h) * T * T;
        for (let i = 0; i < T * T; i++) out[start + i] = Math.round(65535 * values[h * T * T + i]);
      }
    });
    return out;
  }

  /** Attention from or to patches, by default the default query, (L, A, T). */
  rows(given: Given, { query = [], direction = 'from' }: Of<api.RowsRequest>): Float32Array {
    const context = this.#context(given);
    const { prefix } = this.#network.sizes;
    const weights = queryWeights(context);
    if (query.length) {
      weights.fill(0);
      const places = query.map((patch) => context.kept.indexOf(prefix + patch)).filter((place) => place >= 0);
      for (const place of places) weights[place] = 1 / places.length;
    }
    return context.expand(weightedRows(context, weights, direction));
  }

  /** Limits of the shared scales, as `limits_of` in vitviz/attribution/view_maps.py. */
  #limits(given: Given): api.Explained['limits'] {
    const context = this.#context(given);
    const known = this.#knownLimits.get(context);
    if (known) return known;
    const { N, prefix, L, A } = this.#network.sizes;
    const stride = Math.max(N / LIMIT_QUERIES, 1);
    const count = Math.min(LIMIT_QUERIES, N);
    const queries = Array.from({ length: count }, (_, k) => prefix + (Math.floor((k + 0.5) * stride) % N));
    const all = [queryWeights(context), ...queries.map((token) => oneHot(context.t, token))];
    const limits = (direction: Direction) => {
      const heads: number[] = [];
      const means: number[] = [];
      for (const weights of all) {
        const rows = weightedRows(context, weights, direction);
        const at = (l: number, h: number, j: number) => rows[(l * A + h) * context.t + j];
        for (let j = prefix; j < context.t; j++) {
          const ofHeads = new Float64Array(A);
          let corner = 0;
          for (let l = 0; l < L; l++) {
            let ofLayer = 0;
            for (let h = 0; h < A; h++) {
              heads.push(at(l, h, j));
              ofLayer += at(l, h, j) / A;
              ofHeads[h] += at(l, h, j) / L;
            }
            means.push(ofLayer);
            corner += ofLayer / L;
          }
          means.push(...ofHeads, corner);
        }
      }
      return { heads: clipLimit(heads), means: clipLimit(means) };
    };
    const found = { from: limits('from'), to: limits('to') };
    this.#knownLimits.set(context, found);
    return found;
  }

  /** Maps of methods that are not slow. */
  maps(given: Given, target: Target, keys: readonly string[]): Record<string, number[]> {
    const context = this.#context(given);
    const chosen = this.#network.sizes.K ? context.targetOf(target) : [];
    return Object.fromEntries(keys.map((key) => [key, [...mapOf(context, key, chosen)]]));
  }

  pixels(given: Given, { target = [], method }: Of<api.MapRequest>): api.PixelMap {
    const context = this.#context(given);
    const [rows, columns] = this.#network.config.img_size;
    return { values: encode(pixelMapOf(context, method, context.targetOf(target))), rows, columns };
  }

  contributions(given: Given, { target = [] }: Of<api.TargetRequest>): api.Contributions {
    const context = this.#context(given);
    const found = context.contributions(context.targetOf(target));
    return { ...found, heads: encode(context.expand(found.heads)) };
  }

  /** What the patches know of a class, by the tuned lens in the file; null if it has none. */
  lens(given: Given, { target = [] }: Of<api.LensRequest>): api.Lens {
    const { file } = this.#network;
    if (!file.metadata.lens) return { lens: null };
    const [weight, bias] = ['weight', 'bias'].map((name) => file.tensor(`training.lens.${name}`).data);
    return { lens: { ...file.metadata.lens, values: encode(readLens(this.#context(given), target, weight, bias)) } };
  }

  features(given: Given, { foreground = false }: Of<api.FeaturesRequest>): api.Features {
    const context = this.#context(given);
    const { L, N } = this.#network.sizes;
    const found = Array.from({ length: L }, (_, l) => pcaOf(context, l, foreground));
    const scores = new Float32Array(3 * L * N);
    found.forEach((one, l) => {
      scores.set(one.scores, 3 * l * N);
    });
    return { scores: encode(scores), explained: found.map(({ explained }) => explained) };
  }

  /** @param other the image whose patches are compared */
  similarity(given: Given, { patch }: Pick<api.SimilarityRequest, 'patch'>, other = given): api.Similarity {
    const [context, compared] = [given, other].map((one) => this.#context(one));
    const { L, N } = this.#network.sizes;
    const values = new Float32Array(L * N);
    for (let l = 0; l < L; l++) values.set(similarityOf(context, l, patch, compared), l * N);
    return { values: encode(values) };
  }

  lesson(given: Given): Begun {
    return lessonOf(this.#context(given));
  }

  head(given: Given, { layer, head, token = 0 }: Of<api.HeadRequest>): api.HeadVectors {
    return headVectors(this.#context(given), layer, head, token);
  }

  patch(given: Given, { patch, dimension = 0 }: Of<api.PatchRequest>): api.PatchEmbedding {
    return patchEmbedding(this.#context(given), patch, dimension);
  }

  /** The predicted class, and orders of the patches: by methods, and random ones. */
  flipOrders(given: Given, methods: readonly string[]) {
    const context = this.#context(given);
    const rankings = methods.map((method) => rankPatches(context, method));
    return { predicted: context.targetOf([])[0], rankings, random: randomOrders(context) };
  }

  /** The forward pass in which the class token uses its mean query, as `mean_query` in vitviz/attribution/lesson.py.
      @throws RefusedError if the file has none */
  question(given: Given): api.MeanQuery {
    const { config, file, sizes } = this.#network;
    const { name, question } = file.metadata;
    if (!question) throw new RefusedError(`The file of ${name} has no mean query of the class token.`);
    const asked = file.tensor('training.question.class_query').data;
    const input = { ...inputOf(this.#network, given.pixels, []), asked };
    const { logits, attention } = this.#network.forward(input);
    const { A, T } = sizes;
    const rows = attention.flatMap((layer) =>
      Array.from({ length: T }, (_, j) => {
        let sum = 0;
        for (let h = 0; h < A; h++) sum += layer[h * T * T + j];
        return sum / A;
      }),
    );
    const probabilities = [...probabilitiesOf(logits, hasSigmoid(config))];
    return { ...question, rows: encode(Float32Array.from(rows)), probabilities };
  }

  swap(given: Given, _: unknown, other: Given): api.Swap {
    return swapClassToken(this.#context(given), this.#context(other));
  }

  /** Logits of the image with patches in the mean color, one result for each list of patches. */
  logits(given: Given, masks: readonly (readonly number[])[]): Float32Array[] {
    const input = inputOf(this.#network, given.pixels, given.ablations);
    return masks.map((mask) =>
      this.#network.logits({ ...input, pixels: this.#network.patches.gray(input.pixels, mask) }),
    );
  }

  /** What scores need: the predicted class, the order of ties and the random orders. */
  orders(given: Given): { predicted: number; orders: number[][] } {
    const context = this.#context(given);
    const generator = new Generator(context.seed);
    const orders = Array.from({ length: 1 + RANDOM_ORDERS }, () => generator.permutation(this.#network.sizes.N));
    return { predicted: context.targetOf([])[0], orders };
  }
}

const encode = (values: Float32Array) => base64Of(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));

const oneHot = (length: number, at: number) => Float32Array.from({ length }, (_, i) => Number(i === at));

/** Attention from tokens by their weights (t,), or to them, (L, A, t); 0 for ablated heads. */
function weightedRows(context: Context, weights: Float32Array, direction: Direction): Float32Array {
  const { L, A } = context.network.sizes;
  const { t } = context;
  const out = new Float32Array(L * A * t);
  const tokens = [...weights.keys()].filter((token) => weights[token]);
  context.output.attention.forEach((layer, l) => {
    for (let h = 0; h < A; h++) {
      if (context.isAblated(l, h)) continue;
      for (let j = 0; j < t; j++) {
        let sum = 0;
        for (const i of tokens)
          sum += weights[i] * layer[direction === 'from' ? (h * t + i) * t + j : (h * t + j) * t + i];
        out[(l * A + h) * t + j] = sum;
      }
    }
  });
  return out;
}

/** Limit of a scale that clips the largest 2 % of the values. */
function clipLimit(values: number[]) {
  const sorted = Float64Array.from(values).sort();
  return roundLimit(sorted[Math.floor(sorted.length * QUANTILE)]);
}
