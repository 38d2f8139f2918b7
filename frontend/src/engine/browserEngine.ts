/* The model in the browser, next to what Python has computed: a saved file, the replies of a static site, or a server. */

import type { Subject, View } from '../lib/view';
import type { Engine, Explained, Report } from '../session/engine';
import type { Inputs, OpenedFiles } from './inputs';

/** A model that has been loaded. */
export interface LoadedModel {
  engine: Engine;
  inputs: Inputs;
}

export type Request = Exclude<keyof Engine, 'isLive' | 'openImage'>;

interface Sources {
  python: Engine;
  /** Whether Python answers a request; without a target for any. */
  answers: (request: Request, subject: Subject, target?: number[]) => boolean | Promise<boolean>;
  files: OpenedFiles;
  /** Load a model, once.
      @throws RefusedError if it is damaged, or the engine lacks it */
  load: (model: string, report?: Report) => Promise<LoadedModel>;
}

export class BrowserEngine implements Engine {
  readonly isLive = true;
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  async explain(subject: Subject, signal: AbortSignal, report?: Report): Promise<Explained> {
    const { python, answers, load } = this.#sources;
    if (await answers('explain', subject)) return python.explain(subject, signal, report);
    const { engine, inputs } = await load(subject.model, report);
    signal.throwIfAborted();
    if (subject.image.kind !== 'upload' && !inputs.has(subject.image)) await this.#preprocess(subject, inputs, signal);
    return { ...(await engine.explain(subject, signal, report)), image: inputs.shown(subject.image) };
  }

  /** Let Python preprocess an image. */
  async #preprocess(subject: Subject, inputs: Inputs, signal: AbortSignal) {
    const { image } = await this.#sources.python.explain({ ...subject, ablations: [] }, signal);
    inputs.keep(subject.image, image);
  }

  async #for(request: Request, subject: Subject, target?: number[]): Promise<Engine> {
    const { python, answers, load } = this.#sources;
    if (await answers(request, subject, target)) return python;
    const { engine, inputs } = await load(subject.model);
    if (subject.image.kind !== 'upload' && !inputs.has(subject.image)) {
      await this.#preprocess(subject, inputs, new AbortController().signal);
    }
    return engine;
  }

  attention: Engine['attention'] = async (subject, ...rest) =>
    (await this.#for('attention', subject)).attention(subject, ...rest);
  rows: Engine['rows'] = async (subject, ...rest) => (await this.#for('rows', subject)).rows(subject, ...rest);
  maps: Engine['maps'] = async (subject, of, ...rest) =>
    (await this.#for('maps', subject, of.target)).maps(subject, of, ...rest);
  scores: Engine['scores'] = async (subject, of, ...rest) =>
    (await this.#for('scores', subject, of.target)).scores(subject, of, ...rest);
  map: Engine['map'] = async (subject, of, ...rest) =>
    (await this.#for('map', subject, of.target)).map(subject, of, ...rest);
  pixels: Engine['pixels'] = async (subject, of, ...rest) =>
    (await this.#for('pixels', subject, of.target)).pixels(subject, of, ...rest);
  contributions: Engine['contributions'] = async (subject, of, ...rest) =>
    (await this.#for('contributions', subject, of.target)).contributions(subject, of, ...rest);
  features: Engine['features'] = async (subject, ...rest) =>
    (await this.#for('features', subject)).features(subject, ...rest);
  similarity: Engine['similarity'] = async (subject, ...rest) =>
    (await this.#for('similarity', subject)).similarity(subject, ...rest);
  nearest: Engine['nearest'] = async (subject, ...rest) =>
    (await this.#for('nearest', subject)).nearest(subject, ...rest);
  patching: Engine['patching'] = async (subject, of, ...rest) =>
    (await this.#for('patching', subject, of.target)).patching(subject, of, ...rest);
  file: Engine['file'] = (...request) => this.#sources.python.file(...request);
  code: Engine['code'] = (...request) => this.#sources.python.code(...request);

  /** Of an image that was opened here by its hash, its size and its crop. */
  async provenance(subject: Subject, view: View, signal: AbortSignal) {
    const { python, answers, files } = this.#sources;
    const found = await python.provenance(subject, view, signal);
    if (await answers('provenance', subject)) return found;
    const { ablations, image } = subject;
    if (image.kind !== 'upload') return { ...found, subject: { ...found.subject, ablations }, code: null };
    const { width, height } = files.get(image.id);
    return {
      ...found,
      image: { sha256: image.id, width, height, crop: image.crop },
      subject: { ...found.subject, image: { ...image, name: '' }, ablations },
      code: null,
    };
  }

  openImage(file: File) {
    return this.#sources.files.open(file);
  }
}
