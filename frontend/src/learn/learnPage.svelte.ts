/* State of the Learn page: the subject, the step and what the reader has chosen in its figures. What they need is
   fetched by effects. All is assigned here only. */

import { untrack } from 'svelte';
import type { Host } from '../lib/host';
import { sharpestHead, tokenCount } from '../lib/numbers';
import type { Flips, HeadVectors, Lesson, MeanQuery, PatchEmbedding, Swap, TunedLens } from '../lib/routes';
import { Status } from '../lib/status.svelte';
import type { Image, Subject } from '../lib/view';
import type { Engine } from '../session/engine';
import type { Explanation } from '../session/explanation.svelte';
import type { Choices } from './choices';
import { flipped } from './flips';
import { linkedChoices, writeLink } from './link';
import { fetchPass, figureRequest } from './requests';
import { STEPS } from './steps';

const POINTER_RESTS = 300; // ms after which the choices are written into the address

/** What a lesson is about: one forward pass. */
export interface Pass {
  explanation: Explanation;
  lesson: Lesson;
  src: string; // of the image
  scrambled: string; // of the image with patches cut by a wrong reshape
}

/** A reply whose base64 texts are numbers. */
export type Decoded<Reply> = { [K in keyof Reply]: Reply[K] extends string ? Float32Array : Reply[K] };

/** A row of a head, that of `token`, and what its block does to the query. */
export type Head = Decoded<HeadVectors> & { layer: number; head: number; token: number };

/** What the forward pass in motion shows: a head, and the patch that is followed. */
export interface Motion {
  head: Head;
  patch: Decoded<PatchEmbedding>;
  followed: number;
}

/** What was found for the reader's choices; for earlier ones until it is there. */
export interface Found {
  head?: Head;
  motion?: Motion;
  patch?: Decoded<PatchEmbedding>;
  removal?: { patches: readonly number[]; probabilities: readonly number[] };
  flips?: Flips;
  fixed?: MeanQuery;
  swap?: { curves: Swap; src: string }; // with the second image
  lens?: TunedLens | null; // null: not fit
}

export class LearnPage implements Choices {
  readonly host: Host;
  readonly engine: Engine;
  readonly catalog: Host['catalog'];
  readonly theme: Host['theme'];
  readonly status = new Status();

  root: HTMLElement | null = null; // set by Learn.svelte
  subject = $state.raw<Subject | null>(null); // what the lesson is to be about
  pass = $state.raw<Pass | null>(null); // the last complete one: on screen until that of `subject` is there
  failed = $state.raw(false); // the latest request for a pass
  step = $state.raw(0);
  isPresented = $state.raw(false); // the step fills the window
  settled = $state.raw(-1); // the step whose figure has all that it needs, `data-settled`

  // What the reader has chosen in the figures.
  patch = $state.raw(0);
  layer = $state.raw(0);
  head = $state.raw(0);
  dimension = $state.raw(0);
  removed = $state.raw<readonly number[]>([]);
  #other = $state.raw<Image | null>(null); // chosen by the reader
  /** The image whose class token replaces that of the image: the reader's, or a sample. */
  readonly other = $derived.by((): Image => {
    const { samples } = this.catalog.lists;
    const name = (samples.find((sample) => sample.name === 'dog') ?? samples[0])?.name ?? '';
    return this.#other ?? { kind: 'sample', name };
  });

  found = $state.raw<Found>({});
  isSearching = $state.raw(false); // for the fewest patches that change the prediction
  hasTried = $state.raw(false); // to change the prediction
  ownBest = $state.raw(0); // fewest patches with which the reader changed it, 0 for none

  readonly current = $derived.by(() => STEPS[this.step]);
  readonly subjectOnScreen = $derived.by(() => this.pass?.explanation.subject);
  /** `data-state` */
  readonly state = $derived.by(() => {
    if (this.failed) return 'error';
    return this.subjectOnScreen && this.subject === this.subjectOnScreen ? 'ready' : 'working';
  });

  #isOwn = false; // see `remove`
  #linked: readonly string[] | null = null; // of a link that is being opened: what is not available
  #addressTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: Host) {
    this.host = host;
    this.engine = host.engine;
    this.catalog = host.catalog;
    this.theme = host.theme;
  }

  /** Fetch what the page shows, while the component that calls this is mounted. */
  run() {
    $effect(() => {
      const { subject } = this;
      if (!subject || subject === untrack(() => this.subjectOnScreen)) return;
      return this.status.request(
        (signal) => fetchPass(this.engine, subject, signal),
        (pass) => this.#arrive(pass),
        (sentence) => this.fail(sentence),
      );
    });
    this.status.watch(() => this.state === 'working');
    $effect(() => {
      if (this.subjectOnScreen) return this.#fetchFigure(this.subjectOnScreen);
    });
    $effect(() => {
      const { subjectOnScreen: subject, removed: patches } = this;
      if (!subject || !patches.length) return;
      const request = { subject, patches: [...patches] };
      return this.#request(async (signal) => ({
        removal: { patches, ...(await this.engine.request('explanations/lesson/removal', request, signal)) },
      }));
    });
    $effect(() => {
      const { subjectOnScreen: subject, isSearching } = this;
      if (!subject || !isSearching) return;
      const request = async (signal: AbortSignal) => ({
        flips: await this.engine.request('explanations/lesson/flips', { subject }, signal),
      });
      return this.#request(request, () => {
        this.isSearching = false;
      });
    });
  }

  /** Explain another model or image. */
  choose(change: Partial<Pick<Subject, 'model' | 'image'>>) {
    if (!this.subject) return;
    this.failed = false;
    this.#linked = null;
    this.subject = { ...this.subject, ...change };
  }

  /** Explain an image of one's own, or use it otherwise, or show why it is refused. */
  openFile(file: File, use = (image: Image) => this.choose({ image })) {
    this.status.request(
      (signal) => this.engine.openImage(file, signal),
      use,
      (sentence) => this.status.say(sentence, true),
    );
  }

  /** Show what the address names.
      @param missing sentences on what is not available */
  openLink(subject: Subject | null, step: number, missing: readonly string[]) {
    this.step = step;
    this.#linked = missing;
    if (!subject) this.fail('No image found.');
    else if (subject === this.subject && !this.failed) this.#adoptLink();
    else {
      this.failed = false;
      this.subject = { ...subject };
    }
  }

  fail(sentence: string) {
    this.failed = true;
    this.subject = this.subjectOnScreen ?? this.subject;
    this.status.say(sentence, true);
  }

  /** Change what the reader has chosen in the figures. */
  pick(change: Partial<Omit<Choices, 'removed'>>) {
    Object.assign(this, change);
    clearTimeout(this.#addressTimer);
    this.#addressTimer = setTimeout(() => writeLink(this), POINTER_RESTS);
  }

  /** Choose the image whose class token replaces that of the image. */
  chooseOther(image: Image) {
    this.#other = image;
  }

  goTo(step: number) {
    const next = Math.min(Math.max(step, 0), STEPS.length - 1);
    const how = next === this.step ? 'replaceState' : 'pushState';
    this.step = next;
    this.status.say(null); // of the step before
    this.#write(how);
    this.root?.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
    if (this.root && this.root.getBoundingClientRect().top < 0) this.root.scrollIntoView();
  }

  /** Go on with the model and the image in Explore. */
  explore() {
    const { model, image } = this.subject ?? {};
    this.present(false);
    this.host.route?.openLink({ subject: { ...(model && { model }), ...(image && { image }) }, view: {} });
  }

  present(isOn: boolean) {
    this.isPresented = isOn;
  }

  /** Remove patches, or put them back.
      @param isOwn whether the reader has chosen them, not the page */
  remove(patches: readonly number[], isOwn = false) {
    this.removed = patches;
    this.#isOwn = isOwn;
    this.hasTried ||= isOwn;
    if (!patches.length) this.found = { ...this.found, removal: undefined };
    this.#write();
  }

  /** Request the fewest patches known to change the answer, and how many random ones do. */
  revealFlips() {
    this.isSearching = !this.found.flips;
  }

  #write(how?: 'pushState' | 'replaceState') {
    clearTimeout(this.#addressTimer);
    writeLink(this, how);
  }

  /** Ask for something about the pass, and show it. An error is shown until another request is served. */
  #request(request: (signal: AbortSignal) => Promise<Found>, settle = () => {}) {
    return this.status.request(
      request,
      (found) => {
        if (this.status.isError) this.status.say(null);
        this.#show(found);
        settle();
      },
      (sentence) => {
        this.status.say(sentence, true);
        settle();
      },
    );
  }

  /** Fetch what the figure of the step shows for the reader's choices. */
  #fetchFigure(subject: Subject) {
    const { step } = this;
    this.settled = -1;
    return this.#request(figureRequest(this, subject), () => {
      this.settled = step;
    });
  }

  /** Show what was found. The reader's own removal that changes the prediction wins the game. */
  #show(change: Found) {
    this.found = { ...this.found, ...change };
    const { removal } = change;
    const before = this.pass?.explanation.reply.probabilities ?? [];
    if (!removal || !this.#isOwn || !flipped(before, removal.probabilities)) return;
    this.ownBest = Math.min(this.ownBest || removal.patches.length, removal.patches.length);
    this.revealFlips();
  }

  #arrive(pass: Pass) {
    const { shape, defaultRows, subject } = pass.explanation;
    const isSameModel = this.subjectOnScreen?.model === subject.model;
    this.pass = pass;
    this.found = {};
    this.removed = [];
    this.isSearching = this.hasTried = false;
    this.ownBest = 0;
    if (!isSameModel) Object.assign(this, { ...sharpestHead(shape, defaultRows), dimension: 0 });
    this.patch = Math.floor(shape.rows / 2) * shape.columns + Math.floor(shape.columns / 2);
    this.status.say(null);
    this.#adoptLink();
    this.#write();
  }

  /** Adopt the choices of a link, and say what of it is not available. */
  #adoptLink() {
    if (!this.pass || this.state === 'working' || !this.#linked) return;
    const { choices, missing } = linkedChoices(this.current.id, this.pass);
    const { removed, ...others } = choices;
    Object.assign(this, others);
    const sentences = [...this.#linked, ...missing];
    this.#linked = null;
    if (sentences.length) this.status.say(sentences.join(' '));
    if (removed?.length && String(removed) !== String(this.removed)) this.remove(removed, true);
  }
}

/** Attention weights of a head to all tokens, (T). */
export function rowOfHead({ explanation: { defaultRows, shape } }: Pass, layer: number, head: number): Float32Array {
  const first = (layer * shape.heads + head) * tokenCount(shape);
  return defaultRows.subarray(first, first + tokenCount(shape));
}
