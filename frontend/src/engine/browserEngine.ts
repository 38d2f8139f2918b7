/* The model in the browser, next to what Python has computed: a saved file, the replies of a static site, or a server. */

import type { Subject, View } from '../lib/view';
import type { Engine, Report } from '../session/engine';
import type { OpenedFiles } from './inputs';

export type Request = Exclude<keyof Engine, 'isLive' | 'isFast' | 'openImage' | 'openPixels'>;

interface Sources {
  python: Engine;
  /** Whether Python answers a request; without a target for any. */
  answers: (request: Request, subject: Subject, target?: number[]) => boolean;
  files: OpenedFiles | null; // null where a server keeps them
  /** Load a model, once.
      @throws RefusedError if it is damaged, or the engine lacks it */
  load: (subject: Subject, report: Report) => Promise<Engine>;
}

export class BrowserEngine implements Engine {
  readonly isLive = true;
  readonly #sources: Sources;
  readonly #loaded = new Set<string>();

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  async #for(request: Request, subject: Subject, target?: number[], report: Report = () => {}): Promise<Engine> {
    const { python, answers, load } = this.#sources;
    if (answers(request, subject, target)) return python;
    const engine = await load(subject, report);
    this.#loaded.add(subject.model);
    return engine;
  }

  isFast(subject: Subject) {
    return this.#loaded.has(subject.model) && !this.#sources.answers('explain', subject);
  }

  explain: Engine['explain'] = async (subject, signal, report) =>
    (await this.#for('explain', subject, undefined, report)).explain(subject, signal, report);
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
    if (answers('provenance', subject)) return found;
    const { ablations, image } = subject;
    if (image.kind !== 'upload' || !files) return { ...found, subject: { ...found.subject, ablations }, code: null };
    const { width, height } = files.get(image.id);
    return {
      ...found,
      image: { sha256: image.id, width, height, crop: image.crop },
      subject: { ...found.subject, image: { ...image, name: '' }, ablations },
      code: null,
    };
  }

  openImage: Engine['openImage'] = (file, signal) => {
    const { files, python } = this.#sources;
    return files ? files.open(file) : python.openImage(file, signal);
  };

  get openPixels(): Engine['openPixels'] {
    const { files } = this.#sources;
    return files ? (pixels) => files.openPixels(pixels) : undefined;
  }
}
