/* The model in the browser, next to what Python has computed: a saved file, the replies of a static site, or a server. */

import type { CodeRequest } from '../lib/routes';
import type { Subject, View } from '../lib/view';
import type { Engine, ReplyTo, Report, RequestOf, Route } from '../session/engine';
import type { OpenedFiles } from './inputs';

interface Sources {
  python: Pick<Engine, 'openImage' | 'request'>;
  /** Whether Python replies to a request. */
  answers: (route: Route, request: RequestOf) => boolean;
  files: OpenedFiles | null; // null where a server keeps them
  /** Load a model, once.
      @throws RefusedError if it is damaged, or the engine lacks it */
  load: (subject: Subject, report: Report) => Promise<Engine>;
}

const OF_PYTHON: readonly Route[] = ['explanations/file', 'explanations/code'];

export class BrowserEngine implements Engine {
  readonly isLive = true;
  readonly lacks = ['attn_lrp', 'integrated_gradients', 'text_similarity'];
  readonly #sources: Sources;
  readonly #loaded = new Set<string>();

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  isFast(subject: Subject) {
    return this.#loaded.has(subject.model) && !this.#sources.answers('explanations', { subject });
  }

  request: Engine['request'] = async (route, request, signal, ...report) => {
    const { python, answers, load } = this.#sources;
    if (OF_PYTHON.includes(route) || answers(route, request)) return python.request(route, request, signal, ...report);
    if (route === 'explanations/provenance')
      return this.#provenance(request as CodeRequest & { subject: Subject; view: View }, signal) as ReplyTo<never>;
    const { subject } = request as { subject: Subject };
    const engine = await load(subject, report[0] ?? (() => {}));
    this.#loaded.add(subject.model);
    return engine.request(route, request, signal, ...report);
  };

  /** Of an image that was opened here by its hash, its size and its crop. */
  async #provenance(request: { subject: Subject; view: View }, signal: AbortSignal) {
    const { python, files } = this.#sources;
    const found = await python.request('explanations/provenance', request, signal);
    const { ablations, image } = request.subject;
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
