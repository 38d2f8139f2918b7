/* The engine of a model file: the model itself, in workers of the page. The first worker computes what is shown of an
   image; all of them share what takes many forward passes. */

import { RefusedError } from '../lib/refused';
import type * as api from '../lib/routes';
import type { Image, Subject } from '../lib/view';
import type { Engine, Report } from '../session/engine';
import { probabilitiesOf } from './context';
import type { Given } from './explainer';
import InlineWorker from './inlineWorker?worker&inline';
import { LEFT_OUT, METHODS, methodsOf } from './maps';
import { ModelFile, type ModelMetadata } from './safetensors';
import { masksOf, rankingsOf, scoresOf } from './scores';
import { hasSigmoid, sizesOf } from './vitConfig';
import { type Port, WorkerPool } from './workerPool';

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

  async #given({ image, ablations }: Subject, signal: AbortSignal): Promise<Given> {
    return { key: JSON.stringify(image), ablations, pixels: (await this.#image(image, signal)).pixels };
  }

  async explain(subject: Subject, signal: AbortSignal) {
    const { shown } = await this.#image(subject.image, signal);
    return { ...(await this.#workers.call('explain', [await this.#given(subject, signal)], signal)), image: shown };
  }

  async attention(subject: Subject, signal: AbortSignal) {
    return this.#workers.call('attention', [await this.#given(subject, signal)], signal);
  }

  async rows(subject: Subject, { query, direction }: Parameters<Engine['rows']>[1], signal: AbortSignal) {
    return this.#workers.call('rows', [await this.#given(subject, signal), query, direction], signal);
  }

  async maps(subject: Subject, of: Parameters<Engine['maps']>[1], signal: AbortSignal, report: Report) {
    const { target = [], part = 'all' } = of;
    const given = await this.#given(subject, signal);
    const keys = this.#methods.filter((key) => !METHODS[key].isSlow && (part !== 'first' || METHODS[key].isFirst));
    const found = await this.#workers.call('maps', [given, target, keys], signal);
    if (part === 'all' && this.#methods.includes('occlusion')) {
      found.occlusion = await this.#occlusion(given, target, signal, report);
    }
    const maps = Object.fromEntries(this.#methods.filter((key) => key in found).map((key) => [key, found[key]]));
    return { maps, notes: {}, skipped: null };
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

  async scores(subject: Subject, { target }: { target: number[] }, signal: AbortSignal, report: Report) {
    const { N, K } = sizesOf(this.metadata.config);
    if (!K) return null;
    const given = await this.#given(subject, signal);
    const { maps } = await this.maps(subject, { target, part: 'all' }, signal, () => {});
    const { predicted, orders } = await this.#workers.call('orders', [given], signal);
    const rankings = rankingsOf(maps, orders);
    const logits = await this.#logits(given, masksOf(rankings, N), signal, report);
    const isSigmoid = hasSigmoid(this.metadata.config);
    const probabilities = logits.map((one) => probabilitiesOf(one, isSigmoid)[target[0] ?? predicted]);
    return scoresOf(rankings.keys, Object.keys(maps), probabilities);
  }

  async pixels(subject: Subject, { target, method }: Parameters<Engine['pixels']>[1], signal: AbortSignal) {
    return this.#workers.call('pixels', [await this.#given(subject, signal), target, method], signal);
  }

  async contributions(subject: Subject, { target }: { target: number[] }, signal: AbortSignal) {
    return this.#workers.call('contributions', [await this.#given(subject, signal), target], signal);
  }

  async features(subject: Subject, { foreground }: { foreground: boolean }, signal: AbortSignal) {
    return this.#workers.call('features', [await this.#given(subject, signal), foreground], signal);
  }

  async similarity(subject: Subject, { patch }: { patch: number }, signal: AbortSignal) {
    return this.#workers.call('similarity', [await this.#given(subject, signal), patch], signal);
  }

  map = async (): Promise<never> => {
    throw new RefusedError(LEFT_OUT);
  };
  openImage = unavailable;
  nearest = unavailable;
  patching = unavailable;
  file = unavailable;
  provenance = unavailable;
  code = unavailable;

  /** End the workers. */
  stop() {
    this.#workers.stop();
  }
}

async function unavailable(): Promise<never> {
  throw new RefusedError('This needs a running vitviz.');
}

const TOO_LARGE =
  'This model is too large for a browser: it and its attention must have less than 1 GB. Use vitviz in Python.';
