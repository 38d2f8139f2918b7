/* The maps of the attribution methods for the explained class, their deletion scores, and maps per pixel. */

import { untrack } from 'svelte';
import { floatsOf } from '../lib/base64';
import { ANNOUNCE_DELAY, pause, RETRY_DELAY } from '../lib/host';
import { isRefused, NO_RESPONSE } from '../lib/refused';
import type * as api from '../lib/routes';
import type { MethodInfo } from '../lib/routes';
import type { Explanation } from './explanation.svelte';
import type { Session } from './session.svelte';
import { Task } from './task.svelte';

/** The maps of large models are requested one part after the other: each has those of the parts before it. */
const PARTS = ['first', 'quick', 'all'] as const;
export const METHODS_DELAY = 500; // ms an image stays on screen before its attribution maps are requested

/** What maps and scores belong to. */
interface Key {
  explanation: Explanation;
  target: string;
}

interface Found extends Key {
  maps: Record<string, number[]>;
  notes: Record<string, string>; // what a reader of a map must know
  skipped: string | null; // why there are no scores, nor maps that take many passes
  scores: api.Scores | null;
  isComplete: boolean; // all maps have arrived
}

/** Work on all methods, and since when it waits or is done (ms). */
export interface Pending {
  what: 'maps' | 'scores';
  progress: api.Progress;
  since: number;
}

/** The map of a method per pixel of the model input. */
export interface PixelMap extends Key {
  method: string;
  rows: number;
  columns: number;
  values: Float32Array;
}

export class Methods {
  readonly #session: Session;
  #found = $state.raw<Found | null>(null);
  #pixels = $state.raw<PixelMap | null>(null);
  /** The maps for the explained class could not be computed. */
  isFailed = $state.raw(false);
  /** The computation of a map on request, and the latest such method. */
  readonly task: Task;
  #requested = $state.raw<string | null>(null);
  /** The method that is being computed on request. */
  readonly running = $derived.by(() => this.task.progress && this.#requested);
  /** What is computed of all methods, once the server has reported it. */
  pending = $state.raw<Pending | null>(null);
  /** Maps or scores that the user has canceled. */
  canceled = $state.raw<Pending['what'] | null>(null);
  #abort: () => void = () => {};

  readonly #key = $derived.by((): Key | null => {
    const { explanation, target } = this.#session;
    return explanation && { explanation, target: String(target) };
  });
  /** What was found for the explanation and the class. */
  readonly found = $derived.by(() => (isSameKey(this.#found, this.#key) ? this.#found : null));
  readonly scores = $derived.by(() => this.found?.scores ?? null);
  readonly skipped = $derived.by(() => this.found?.skipped ?? null);
  /** Maps by method; while those for another class are computed, those that are the same for every class. */
  readonly maps = $derived.by((): Record<string, number[]> => {
    const { explanation } = this.#session;
    if (!explanation) return {};
    if (this.found) return this.found.maps;
    const isKnown = this.#found?.explanation === explanation;
    const maps = isKnown ? this.#found?.maps : explanation.isAblated ? {} : explanation.reply.maps;
    return Object.fromEntries(
      Object.entries(maps ?? {}).filter(([key]) => !this.#session.catalog.method(key)?.forClass),
    );
  });
  /** The map per pixel of the method on screen. */
  readonly pixels = $derived.by(() => {
    const { view } = this.#session;
    const isShown = view.pixels && this.#pixels?.method === view.method && isSameKey(this.#pixels, this.#key);
    return isShown ? this.#pixels : null;
  });
  /** Whether maps have deletion scores: of a class, which a notebook may have left out. */
  readonly hasScores = $derived.by(
    () => this.#session.hasHead && !this.skipped && (this.#session.engine.isLive || this.scores !== null),
  );

  constructor(session: Session) {
    this.#session = session;
    this.task = new Task(session.status);
  }

  run() {
    const session = this.#session;
    $effect(() => {
      const key = this.#key;
      if (!key) return;
      untrack(() => this.#leaveRequested());
      this.isFailed = false;
      this.canceled = null;
      const abort = session.status.request(
        (signal) => this.#fetch(key, signal),
        () => {},
        (sentence) => this.#fail(sentence),
      );
      this.#abort = () => {
        abort();
        this.pending = null;
      };
      return () => {
        this.#abort();
        this.task.cancel();
      };
    });
    $effect(() => {
      const [key, { view }] = [this.#key, session];
      const method = session.catalog.method(view.method);
      if (!key || !method?.hasPixels || !view.pixels || this.pixels || !session.engine.isLive) return;
      const { subject } = key.explanation;
      const of = { subject, method: method.key, target: untrack(() => session.target) };
      return session.status.request(
        (signal) => session.engine.request('explanations/pixels', of, signal),
        (reply) => this.#keepPixels({ ...key, method: method.key }, reply),
      );
    });
  }

  /** Compute the map of a method on request, and show it. */
  compute(method: string) {
    const [key, session] = [this.#key, this.#session];
    if (!key) return;
    const of = { subject: key.explanation.subject, method, target: session.target };
    this.#requested = method;
    this.task.run(
      (signal, report) => session.engine.request('explanations/map', of, signal, report),
      (reply) => this.#keepRequested(method, reply),
    );
  }

  /** Cancel the maps or scores of all methods. */
  cancelAll() {
    this.canceled = this.pending?.what ?? null;
    this.#abort();
  }

  /** Cancel the map on request, and say so. */
  cancel() {
    const name = this.#session.catalog.method(this.running)?.name;
    this.task.cancel();
    if (name) this.#session.status.say(`${name}: canceled. The map needs all of its forward passes.`);
  }

  #keepRequested(method: string, { map, score }: api.ScoredMap) {
    const { found } = this;
    if (!found?.scores) return;
    const { scores, random_baseline } = found.scores;
    this.#found = {
      ...found,
      maps: { ...found.maps, [method]: map },
      scores: { random_baseline, scores: { ...scores, [method]: score } },
    };
    this.#session.show({ content: 'method', method });
  }

  #keepPixels(of: Key & { method: string }, { values, rows, columns }: api.PixelMap) {
    this.#pixels = { ...of, rows, columns, values: floatsOf(values) };
  }

  /** A map on request does not follow another image or class. */
  #leaveRequested() {
    const { catalog, view } = this.#session;
    const method: MethodInfo | undefined = catalog.method(view.method);
    if (method?.onRequest && !this.maps[method.key]) this.#session.show({ content: 'attention' });
  }

  /** Fetch all maps, then their scores. Both are slow on a server, so they are not requested for what is shown only
      briefly, and they wait for images, which they would delay. */
  async #fetch(key: Key, signal: AbortSignal) {
    const session = this.#session;
    const { engine } = session;
    const { subject, reply } = key.explanation;
    const { target } = session;
    if (engine.isLive) {
      do await pause(METHODS_DELAY);
      while (session.isPending && !signal.aborted);
    }
    const isLarge = reply.on_demand && engine.isLive;
    for (const part of isLarge ? PARTS : (['all'] as const)) {
      if (signal.aborted) return;
      const { maps, notes, skipped } = await this.#patiently(
        () => engine.request('explanations/maps', { subject, target, part }, signal, this.#report('maps', signal)),
        signal,
      );
      if (signal.aborted) return;
      const isComplete = part === 'all' || (part === 'quick' && skipped !== null);
      this.#found = { ...key, maps, notes, skipped, scores: null, isComplete };
      this.pending = null;
      if (skipped && isComplete) return;
    }
    const scores = await this.#patiently(
      () => engine.request('explanations/scores', { subject, target }, signal, this.#report('scores', signal)),
      signal,
    );
    if (signal.aborted || !this.#found) return;
    this.pending = null;
    this.#found = { ...this.#found, scores };
    if (session.view.method !== null) session.announce(ANNOUNCE_DELAY);
  }

  #report(what: Pending['what'], signal: AbortSignal) {
    let [since, isWaiting] = [Date.now(), false];
    return (progress: api.Progress) => {
      if (isWaiting && !progress.waiting) since = Date.now();
      isWaiting = progress.waiting !== '';
      if (!signal.aborted) this.pending = { what, progress, since };
    };
  }

  /** Repeat a request until the server is reachable and not busy. */
  async #patiently<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { status } = this.#session;
    for (;;) {
      try {
        const found = await request();
        if (status.notice === NO_RESPONSE) status.say(null);
        return found;
      } catch (error) {
        if (!isRefused(error) || signal.aborted || !(error.isBusy || error.isUnreachable)) throw error;
        if (error.isUnreachable) this.#fail(error.message);
        await pause(RETRY_DELAY);
        if (signal.aborted) throw error;
      }
    }
  }

  #fail(sentence: string) {
    this.isFailed = true;
    this.#session.status.say(sentence, true);
  }
}

const isSameKey = (one: Key | null, other: Key | null) =>
  one !== null && one.explanation === other?.explanation && one.target === other.target;
