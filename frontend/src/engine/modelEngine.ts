/* The engine of a model file: the model itself, in workers of the page. The first worker computes what is shown of an
   image; all of them share what takes many forward passes. */

import { RefusedError } from '../lib/refused';
import type * as api from '../lib/routes';
import { scrambled } from '../lib/scramble';
import type { Image, Subject } from '../lib/view';
import type { Engine, Report } from '../session/engine';
import { NO_SERVER, requestTo } from '../session/replies';
import { probabilitiesOf } from './context';
import type { Given } from './explainer';
import { findFlips } from './flips';
import InlineWorker from './inlineWorker?worker&inline';
import { check } from './lesson';
import { METHODS, methodsOf } from './maps';
import { ModelFile, type ModelMetadata } from './safetensors';
import { masksOf, rankingsOf, scoresOf } from './scores';
import { hasSigmoid, multiplications, sizesOf } from './vitConfig';
import { type Args, type Method, type Port, WorkerPool } from './workerPool';

/** An image for the engine. */
export interface EngineImage {
  pixels: Float32Array; // normalized, (3, H, W)
  shown: api.ExplainedImage;
}

export interface ModelEngineOptions {
  file: ArrayBuffer; // see ModelFile in safetensors.ts, whose metadata say how images are normalized
  image: (image: Image, signal: AbortSignal) => Promise<EngineImage>;
  workers?: number; // by default as many as the machine has cores and the model leaves memory for, at most 4
  start?: () => Port; // starts a worker
}

const MASKS = 4; // forward passes of one call of a worker, so that other calls wait shortly
const MAX_WORKERS = 4;
const MAX_FLOATS = 2 ** 27; // of the weights in all workers, 512 MB, each packed for both passes
const MAX_FLIPS = 5e12; // multiplications, as many as a server computes
const FLIP_PASSES = 10; // forward passes for a patch
const MAX_ATTENTION = 2 ** 27; // weights of the attention of an image

const startWorker = () => new InlineWorker() as Port;

export class ModelEngine implements Engine {
  readonly isLive = true;
  readonly metadata: ModelMetadata;
  readonly #workers: WorkerPool;
  readonly #image: ModelEngineOptions['image'];
  readonly #methods: string[];

  /** @throws RefusedError if the file is damaged, or the model too large */
  constructor({ file, image, workers, start = startWorker }: ModelEngineOptions) {
    const model = new ModelFile(file);
    this.metadata = model.metadata;
    const { config } = this.metadata;
    const { L, A, T, K } = sizesOf(config);
    if (2 * model.parameters > MAX_FLOATS || L * A * T * T > MAX_ATTENTION) throw new RefusedError(TOO_LARGE);
    const fit = Math.floor(MAX_FLOATS / (2 * model.parameters));
    const cores = globalThis.navigator?.hardwareConcurrency ?? 1;
    this.#workers = new WorkerPool(file, workers ?? Math.min(cores, fit, MAX_WORKERS), start);
    this.#image = image;
    this.#methods = methodsOf({ K, hasClassToken: config.class_token });
  }

  request = requestTo({
    explanations: (request, signal) => this.#explain(request, signal),
    'explanations/attention': this.#inWorker('attention'),
    'explanations/rows': this.#inWorker('rows'),
    'explanations/maps': (request, signal, report) => this.#maps(request, signal, report),
    'explanations/scores': (request, signal, report) => this.#scores(request, signal, report),
    'explanations/map': (request, signal, report) => this.#map(request, signal, report),
    'explanations/pixels': this.#inWorker('pixels'),
    'explanations/contributions': this.#inWorker('contributions'),
    'explanations/features': this.#inWorker('features'),
    'explanations/similarity': (request, signal) => this.#ofTwo('similarity', request, signal),
    'explanations/lesson': (request, signal) => this.#lesson(request, signal),
    'explanations/lesson/head': this.#inWorker('head'),
    'explanations/lesson/patch': this.#inWorker('patch'),
    'explanations/lesson/mean-query': this.#inWorker('question'),
    'explanations/lesson/removal': async ({ patches, ...request }, signal) => {
      for (const patch of patches) check('patches', patch, sizesOf(this.metadata.config).N);
      const [probabilities] = await this.#without(await this.#given(request, signal), [patches], signal);
      return { probabilities: [...probabilities] };
    },
    'explanations/lesson/flips': (request, signal) => this.#flips(request, signal),
    'explanations/class-token-swap': (request, signal) => this.#ofTwo('swap', request, signal),
    'explanations/lens': this.#inWorker('lens'),
  });

  openImage = async (): Promise<never> => {
    throw new RefusedError(NO_SERVER);
  };

  /** A reply of `Explainer`. */
  #inWorker<M extends Method>(method: M) {
    return async (request: api.SubjectRequest, signal: AbortSignal) =>
      this.#workers.call(method, [await this.#given(request, signal), request] as unknown as Args<M>, signal);
  }

  /** A reply of `Explainer` about two images; without another one, about the same. */
  async #ofTwo<M extends 'similarity' | 'swap'>(
    method: M,
    request: api.SubjectRequest & { other?: api.Subject | null },
    signal: AbortSignal,
  ) {
    const { subject, other } = request;
    const given = [subject, other ?? subject].map((one) => this.#given({ subject: one }, signal));
    const [first, second] = await Promise.all(given);
    return this.#workers.call(method, [first, request, second] as unknown as Args<M>, signal);
  }

  async #given({ subject }: api.SubjectRequest, signal: AbortSignal): Promise<Given> {
    const { image, ablations } = subject as Subject;
    return { key: JSON.stringify(image), ablations, pixels: (await this.#image(image, signal)).pixels };
  }

  async #explain(request: api.SubjectRequest, signal: AbortSignal) {
    const { shown } = await this.#image(request.subject.image as Image, signal);
    return { ...(await this.#inWorker('explain')(request, signal)), image: shown };
  }

  async #maps(request: api.MapsRequest, signal: AbortSignal, report: Report) {
    const { target = [], part = 'all' } = request;
    const given = await this.#given(request, signal);
    const keys = this.#methods.filter((key) => !METHODS[key].isSlow && (part !== 'first' || METHODS[key].isFirst));
    const found = await this.#workers.call('maps', [given, target, keys], signal);
    if (part === 'all' && this.#methods.includes('occlusion')) {
      found.occlusion = await this.#occlusion(given, target, signal, report);
    }
    const maps = Object.fromEntries(this.#methods.filter((key) => key in found).map((key) => [key, found[key]]));
    return { maps, notes: {}, skipped: null };
  }

  async #map({ target = [], method, ...request }: api.MapRequest, signal: AbortSignal, report: Report) {
    const given = await this.#given(request, signal);
    if (method === 'occlusion') return { map: await this.#occlusion(given, target, signal, report), score: null };
    const { [method]: map } = await this.#workers.call('maps', [given, target, [method]], signal);
    return { map, score: null };
  }

  async #occlusion(given: Given, target: number[], signal: AbortSignal, report: Report) {
    const { N } = sizesOf(this.metadata.config);
    const masks = [[], ...Array.from({ length: N }, (_, patch) => [patch])];
    const logits = await this.#logits(given, masks, signal, report);
    const [chosen, other] = target.length ? target : [logits[0].indexOf(Math.max(...logits[0]))];
    const [whole, ...others] = logits.map((one) => one[chosen] - (other === undefined ? 0 : one[other]));
    return others.map((value) => Math.fround(whole - value));
  }

  /** Logits with patches in the mean color, for each list of patches; the workers share them. */
  async #logits(given: Given, masks: number[][], signal: AbortSignal, report: Report): Promise<Float32Array[]> {
    const parts = Array.from({ length: Math.ceil(masks.length / MASKS) }, (_, i) =>
      masks.slice(i * MASKS, (i + 1) * MASKS),
    );
    let done = 0;
    const found = await this.#workers.share(parts, async (part, worker) => {
      const logits = await this.#workers.call('logits', [given, part], signal, worker);
      done += part.length;
      report({ done, total: masks.length, waiting: '' });
      return logits;
    });
    return found.flat();
  }

  /** Probabilities with sets of patches in the mean color. */
  async #without(given: Given, sets: number[][], signal: AbortSignal): Promise<Float32Array[]> {
    const isSigmoid = hasSigmoid(this.metadata.config);
    const logits = await this.#logits(given, sets, signal, () => {});
    return logits.map((one) => probabilitiesOf(one, isSigmoid));
  }

  async #lesson(request: api.SubjectRequest, signal: AbortSignal) {
    const given = await this.#given(request, signal);
    const { removed, drawn, ...lesson } = await this.#workers.call('lesson', [given], signal);
    const sets = [...removed, ...drawn.map((patches) => ({ method: 'random', patches }))];
    const found = await this.#without(
      given,
      sets.map(({ patches }) => patches),
      signal,
    );
    const hasSquares = String(lesson.model.patch) === String([lesson.model.patch_size, lesson.model.patch_size]);
    const isReshaped = this.metadata.config.num_classes > 0 && hasSquares;
    const [reshaped] = isReshaped ? await this.#without(reshapedOf(given, lesson.model), [[]], signal) : [];
    const removals = sets.map((set, i) => ({ ...set, probabilities: [...found[i]] }));
    return {
      ...lesson,
      reshaped: reshaped ? [...reshaped] : null,
      removals: removals.slice(0, removed.length),
      random: removals.slice(removed.length),
    };
  }

  async #flips(request: api.SubjectRequest, signal: AbortSignal) {
    const { N, K } = sizesOf(this.metadata.config);
    if (!K) throw new RefusedError('Only the answer of a classification head can change: this model has none.');
    if (multiplications(this.metadata.config) * N * FLIP_PASSES > MAX_FLIPS) throw new RefusedError(TOO_LARGE_TO_FLIP);
    const given = await this.#given(request, signal);
    const methods = this.#methods.filter((key) => !METHODS[key].isSlow && key !== 'random');
    const { predicted, rankings, random } = await this.#workers.call('flipOrders', [given, methods], signal);
    return findFlips((sets) => this.#without(given, sets, signal), predicted, N, rankings, random);
  }

  async #scores(request: api.TargetRequest, signal: AbortSignal, report: Report) {
    const { N, K } = sizesOf(this.metadata.config);
    if (!K) return null;
    const { target = [] } = request;
    const given = await this.#given(request, signal);
    const { maps } = await this.#maps({ ...request, part: 'all' }, signal, () => {});
    const { predicted, orders } = await this.#workers.call('orders', [given], signal);
    const rankings = rankingsOf(maps, orders);
    const logits = await this.#logits(given, masksOf(rankings, N), signal, report);
    const isSigmoid = hasSigmoid(this.metadata.config);
    const probabilities = logits.map((one) => probabilitiesOf(one, isSigmoid)[target[0] ?? predicted]);
    return scoresOf(rankings.keys, Object.keys(maps), probabilities);
  }

  /** End the workers. */
  stop() {
    this.#workers.stop();
  }
}

/** An image with patches cut by a wrong reshape, as `reshaped_prediction` in vitviz/attribution/lesson.py. */
function reshapedOf(given: Given, { img_size: [H, W], patch_size }: api.LessonModel): Given {
  const { height, width, sources } = scrambled(H, W, patch_size);
  const pixels = new Float32Array(3 * H * W); // the rest is the mean color
  for (let channel = 0; channel < 3; channel++)
    for (let row = 0; row < height; row++)
      for (let column = 0; column < width; column++)
        pixels[(channel * H + row) * W + column] = given.pixels[channel * H * W + sources[row * width + column]];
  return { ...given, key: `${given.key} reshaped`, pixels };
}

const TOO_LARGE_TO_FLIP = 'This model is large: finding the best set takes too many forward passes. Try a smaller one.';
const TOO_LARGE =
  'This model is too large for a browser: it and its attention must have less than 1 GB. Use vitviz in Python.';
