/* The engine of a running vitviz. */

import type { Refusal, Requests, ShownView, TaskProgress } from '../lib/api';
import { isBusy, isRefusal, pause, type Request, reasonOf } from '../lib/client';
import { choiceOf } from '../lib/images';
import { uint16Of } from '../lib/numbers';
import type { Refusal as RouteRefusal, Routes } from '../lib/routes';
import { post, type Route } from '../lib/server';
import { type Subject, type View, wholeOf } from '../lib/view';
import { type Engine, type OfFile, RefusedError, type Report } from './engine';

type Keyed =
  | 'attention'
  | 'rows'
  | 'methods'
  | 'scores'
  | 'contributions'
  | 'features'
  | 'similarity'
  | 'nearest'
  | 'map_on_request'
  | 'patch_heads'
  | 'pixel_map'
  | 'patch_tokens'
  | 'figure'
  | 'code'
  | 'provenance';
type Question<N extends Keyed> = Omit<Requests[N][0], 'key' | 'task'>;
type Answer<N extends Keyed> = Exclude<Requests[N][1], Refusal | null>;

const PROGRESS_DELAY = 400; // ms between requests for the progress

export class ServerEngine implements Engine {
  readonly isLive = true;
  readonly #request: Request;
  readonly #keys = new Map<string, Promise<string>>();

  constructor(request: Request) {
    this.#request = request;
  }

  async explain(subject: Subject) {
    const { model, image } = subject;
    const reply = await this.#request('explain', { checkpoint: model, image: choiceOf(image) });
    if (isRefusal(reply)) throw refused(reply);
    this.#keys.set(JSON.stringify(wholeOf(subject)), Promise.resolve(reply.key));
    if (!subject.ablations.length) return reply;
    const { key, ...changed } = await this.#ablate(subject);
    this.#keys.set(JSON.stringify(subject), Promise.resolve(key));
    return { ...reply, ...changed };
  }

  async attention(subject: Subject) {
    return uint16Of(await this.#ask(subject, 'attention', {}));
  }

  async rows(subject: Subject, { query, direction }: Parameters<Engine['rows']>[1]) {
    const found = uint16Of(await this.#ask(subject, 'rows', { patches: query, direction }));
    return Float32Array.from(found, (weight) => weight / 65535);
  }

  maps(subject: Subject, { target, quick }: Parameters<Engine['maps']>[1]) {
    return this.#ask(subject, 'methods', quick ? { target, quick } : { target });
  }

  scores(subject: Subject, of: { target: number[] }) {
    return this.#ask(subject, 'scores', of);
  }

  map(subject: Subject, of: Parameters<Engine['map']>[1], signal: AbortSignal, report: Report) {
    return this.#run(subject, 'map_on_request', of, signal, report);
  }

  pixels(subject: Subject, of: Parameters<Engine['pixels']>[1]) {
    return this.#ask(subject, 'pixel_map', of);
  }

  contributions(subject: Subject, of: { target: number[] }) {
    return this.#ask(subject, 'contributions', of);
  }

  features(subject: Subject, of: { foreground: boolean }) {
    return this.#ask(subject, 'features', of);
  }

  similarity(subject: Subject, of: { patch: number }) {
    return this.#ask(subject, 'similarity', of);
  }

  nearest(subject: Subject, signal: AbortSignal, report: Report) {
    return this.#run(subject, 'nearest', {}, signal, report);
  }

  async patchHeads(
    subject: Subject,
    { other, target }: Parameters<Engine['patchHeads']>[1],
    signal: AbortSignal,
    report: Report,
  ) {
    const key = await this.#keyOf({ ...wholeOf(subject), image: other });
    return this.#run(subject, 'patch_heads', { other: key, target }, signal, report);
  }

  async patchTokens(
    subject: Subject,
    { other, target, layer }: Parameters<Engine['patchTokens']>[1],
    signal: AbortSignal,
    report: Report,
  ) {
    const key = await this.#keyOf({ ...wholeOf(subject), image: other });
    return this.#run(subject, 'patch_tokens', { other: key, target, layer }, signal, report);
  }

  async file(subject: Subject, view: View, of: OfFile) {
    return this.#ask(subject, 'figure', { ...of, view: await this.#shown(subject, view) });
  }

  async code(subject: Subject, view: View, content: OfFile['content']) {
    return this.#ask(subject, 'code', { content, view: await this.#shown(subject, view) });
  }

  async provenance(subject: Subject, view: View, content: OfFile['content']) {
    return this.#ask(subject, 'provenance', { content, view: await this.#shown(subject, view) });
  }

  /** A view as the functions that draw take it. */
  async #shown(subject: Subject, view: View): Promise<ShownView> {
    const { content, query, layer, head, direction, other, ...rest } = view;
    return {
      ...rest,
      patches: query,
      layer: layer === 'mean' ? null : layer,
      head: head === 'mean' ? null : head,
      direction: direction === 'to' ? 'to' : 'from',
      other: content === 'patching' && other ? await this.#keyOf({ ...wholeOf(subject), image: other }) : null,
    };
  }

  async #keyOf(subject: Subject): Promise<string> {
    const name = JSON.stringify(subject);
    if (!this.#keys.has(name)) await this.explain(subject);
    return this.#keys.get(name) as Promise<string>;
  }

  async #ablate(subject: Subject) {
    let key = await this.#keyOf(wholeOf(subject));
    for (const { heads, patches, mode, patch_mode } of subject.ablations) {
      const reply = await this.#request('ablate', { key, heads, patches, mode, patch_mode });
      if (!reply || isRefusal(reply)) throw refused(reply);
      key = reply.key;
      if (subject.ablations.at(-1)?.heads === heads) return reply;
    }
    throw new RefusedError();
  }

  /** Send a request about a subject; if the server has evicted its explanation, explain it first. */
  async #ask<N extends Keyed>(subject: Subject, name: N, question: Question<N>): Promise<Answer<N>> {
    for (const isLast of [false, true]) {
      const key = await this.#keyOf(subject);
      const reply = await this.#request(name, { ...question, key } as Requests[N][0]);
      if (isRefusal(reply) || (reply === null && isLast)) throw refused(reply);
      if (reply !== null) return reply as Answer<N>;
      this.#keys.clear();
    }
    throw new RefusedError();
  }

  async #run<N extends 'map_on_request' | 'nearest' | 'patch_heads' | 'patch_tokens'>(
    subject: Subject,
    name: N,
    question: Question<N>,
    signal: AbortSignal,
    report: Report,
  ): Promise<Answer<N>> {
    const task = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
    let isRunning = true;
    const cancel = () => isRunning && this.#request('task_progress', { task, cancel: true });
    const watch = async () => {
      for (await pause(PROGRESS_DELAY); isRunning && !signal.aborted; await pause(PROGRESS_DELAY)) {
        const state = await this.#request('task_progress', { task, cancel: false });
        if (isRunning && state && !isRefusal(state)) report(state as TaskProgress);
      }
    };
    signal.addEventListener('abort', cancel);
    globalThis.addEventListener?.('pagehide', cancel);
    watch();
    try {
      return await this.#ask(subject, name, { ...question, task } as unknown as Question<N>);
    } finally {
      isRunning = false;
      globalThis.removeEventListener?.('pagehide', cancel);
    }
  }
}

/** Request a reply. A computation ends at its next batch once its signal aborts. */
export async function ask<R extends Route>(route: R, request: Routes[R][0], signal: AbortSignal) {
  return served(await post(route, request, signal));
}

function served<T>(reply: T | RouteRefusal): T {
  if (isRefusal(reply)) throw new RefusedError(reply.error, reply.busy);
  return reply as T;
}

const refused = (reply: unknown) => new RefusedError(reasonOf(reply), isBusy(reply));
