/* The Compare page: two sessions, and the comparison of what they show. B is explained as A is, but for the fields of the
   kind. The state is assigned here only. */

import { untrack } from 'svelte';
import { unavailable } from '../lib/address';
import { middlePatch } from '../lib/grid';
import type { Host } from '../lib/host';
import { firstImage } from '../lib/images';
import { refusalOf } from '../lib/refused';
import type { ComparisonRequest } from '../lib/routes';
import { Status } from '../lib/status.svelte';
import { type Ablation, DEFAULT_VIEW, isSame, NOTHING_ABLATED, type Subject, type View } from '../lib/view';
import { ablationsOf } from '../session/ablation';
import type { Engine } from '../session/engine';
import type { Explanation } from '../session/explanation.svelte';
import { fitView } from '../session/fit';
import { type Linked, Session } from '../session/session.svelte';
import type { Compared } from './compared';
import type { LinkedComparison } from './comparisonAddress';
import {
  defaultsOf,
  FEATURES,
  fieldsOf,
  fitOwn,
  type Kind,
  keptOf,
  mapFor,
  mapOf,
  mapsOf,
  OF_SUBJECT,
  type Own,
  ownOf,
  SIMILARITY,
  sameGrid,
  sharedView,
  viewsOf,
} from './kinds';
import { Readout } from './readout.svelte';
import { compare } from './sides';
import { Timeline } from './snapshots.svelte';

export type Side = 'a' | 'b';

/** A comparison on screen, with its request. */
export interface Shown {
  kind: Kind;
  request: ComparisonRequest;
  reply: Compared;
  a: Explanation;
  b: Explanation;
  view: View; // of A
  own: Own;
}

export class Comparison {
  readonly host: Host;
  readonly catalog: Host['catalog'];
  readonly theme: Host['theme'];
  readonly status = new Status();
  readonly a: Session;
  readonly b: Session;
  readonly readout = new Readout(this);
  readonly timeline = new Timeline(); // of A's model, for the kind "snapshot"

  kind = $state.raw<Kind>('image');
  own = $state.raw<Own>({}); // B's chosen values
  shown = $state.raw<Shown | null>(null);
  ready = $state.raw(0); // number of comparisons shown; `data-ready`
  failed = $state.raw(false);
  removes = $state.raw(false); // a click on an image removes a patch
  readonly #cancelUpload: Partial<Record<Side, () => void>> = {};

  readonly maps = $derived.by(() =>
    mapsOf(this.kind, this.catalog.lists.methods, [this.a, this.b], this.a.engine.lacks),
  );
  readonly viewA = $derived.by(() => sharedView(this.kind, this.a.view, this.maps));
  /** B's values of the fields of the kind: chosen, or defaults that follow A. */
  readonly values = $derived.by((): Own => {
    const { explanation, view } = this.a;
    if (!explanation) return {};
    const defaults = defaultsOf(this.kind, explanation, view, this.catalog.lists, this.timeline.snapshots.length);
    return ownOf(this.kind, { ...defaults, ...fitOwn(this.own, explanation) });
  });
  readonly viewB = $derived.by((): View => ({ ...this.viewA, ...this.values }));
  readonly isOfLayer = $derived.by(() => [SIMILARITY, FEATURES].includes(mapOf(this.viewA))); // and of no head
  readonly isSimilarity = $derived.by(() => mapOf(this.viewA) === SIMILARITY);
  readonly hasQuery = $derived.by(
    () => this.kind !== 'snapshot' && [this.viewA, this.viewB].some(({ content }) => content === 'attention'),
  );
  /** Whether there is no second model to compare with. */
  readonly isAlone = $derived.by(() => this.kind === 'model' && this.catalog.lists.models.length < 2);

  /** The explanation of A, once it is that of the kind. */
  readonly #explained = $derived.by(() => {
    const { explanation, isPending } = this.a;
    const isOfKind = ((explanation?.subject.snapshot ?? null) !== null) === (this.kind === 'snapshot');
    return explanation && !isPending && isOfKind && !this.isAlone ? explanation : null;
  });
  readonly #subjectB = $derived.by((): Subject | null => {
    const subject = this.#explained?.subject;
    if (!subject || !OF_SUBJECT.includes(this.kind)) return subject ?? null;
    return { ...subject, ...(this.values as Partial<Subject>) };
  });
  readonly #request = $derived.by(() => {
    const [first, subject] = [this.#explained, this.#subjectB];
    const second = [first, this.b.explanation].find((one) => one && isSame(one.subject, subject));
    if (!first || !second) return null;
    const { viewA: view } = this;
    const query = this.isSimilarity && !view.query.length ? [middlePatch(first.shape)] : view.query;
    const views = viewsOf(this.kind, view, this.values, query, [first, second], (map) => this.isForClass(map));
    const request: ComparisonRequest = {
      a: { subject: first.subject, view: views[0] },
      b: { subject: second.subject, view: views[1] },
    };
    return { kind: this.kind, request, a: first, b: second, view, own: this.values };
  });
  readonly isWorking = $derived.by(
    () => !this.failed && !this.isAlone && (!this.shown || !isSame(this.#request?.request, this.shown.request)),
  );
  constructor(host: Host, engine: Engine) {
    this.host = host;
    this.catalog = host.catalog;
    this.theme = host.theme;
    this.a = new Session(engine, this.catalog, false);
    this.b = new Session(engine, this.catalog, false);
  }

  /** Fetch what is chosen, while the component that calls this is mounted. */
  run() {
    this.a.run();
    this.b.run();
    $effect(() => {
      const subject = this.#subjectB;
      if (subject) untrack(() => this.#explainB(subject));
    });
    $effect(() => {
      const sent = this.#request;
      if (!sent || isSame(sent.request, untrack(() => this.shown)?.request)) return;
      return this.status.request(
        (signal) => compare(this.a.engine, sent, this.catalog.lists.methods, this.timeline.snapshots, signal),
        (reply) => this.#show({ ...sent, reply }),
        (sentence) => this.#refuse(sentence),
      );
    });
    this.status.watch(() => this.isWorking);
  }

  isForClass(map: string): boolean {
    return this.catalog.method(map)?.forClass ?? false;
  }

  // What is compared

  /** Open a link. Where it cannot be shown, a sample is, with the reason. */
  async open({ kind, subject, linked, own }: LinkedComparison): Promise<void> {
    this.#begin();
    Object.assign(this, { kind, own, removes: false });
    const map = mapFor(kind, mapOf({ ...DEFAULT_VIEW, ...linked.view }), this.maps);
    if (await this.#explainA(subject, { ...linked, view: { ...linked.view, ...fieldsOf(map) } })) {
      this.#fitOwn();
      return;
    }
    const image = firstImage(this.catalog.lists);
    if (!this.failed || this.shown || !image) return;
    const missing = [this.readout.notice ?? ''];
    this.#begin();
    const model = kind === 'snapshot' ? this.catalog.lists.models[0].name : subject.model;
    await this.#explainA({ ...subject, model, image }, { view: fieldsOf(map), missing });
  }

  /** Replace what a link has chosen for B and the model does not have, and say so. */
  #fitOwn() {
    const { explanation, view, status } = this.a;
    if (!explanation || OF_SUBJECT.includes(this.kind)) return;
    const fit = fitView({ ...view, ...this.own }, explanation);
    if (!fit.missing.length) return;
    this.own = ownOf(this.kind, fit.view);
    status.say([status.notice, ...fit.missing].filter(Boolean).join(' '));
  }

  /** Compare something else; B starts with its default. */
  choose(kind: Kind) {
    if (kind === this.kind) return;
    const { subject, view } = this.a;
    this.#begin();
    Object.assign(this, { kind, own: {}, removes: false });
    this.a.show(fieldsOf(mapFor(kind, mapOf(view), this.maps)));
    if (subject && (subject.snapshot !== null || kind === 'snapshot'))
      this.#explainA({ ...subject, snapshot: kind === 'snapshot' ? 0 : null });
  }

  /** Change the subject of a side, which is that of both unless the kind compares it. */
  explain(side: Side, change: Partial<Subject>) {
    this.#begin();
    this.#cancelUpload[side]?.();
    if (side === 'b') this.own = { ...this.own, ...change };
    else {
      const { subject } = this.a;
      if (!subject) return;
      const isOther = 'model' in change; // it may number classes differently and have other heads and patches
      if (isOther) this.own = keptOf(this.own);
      if (isOther && subject.snapshot !== null) this.#explainA({ ...subject, ...change, snapshot: 0 });
      else this.#explainA({ ...subject, ...change });
    }
  }

  /** Upload a file for a side, or show why it is refused. */
  openFile(side: Side, file: File) {
    this.#cancelUpload[side]?.();
    this.#cancelUpload[side] = this.status.request(
      (signal) => this.a.engine.openImage(file, signal),
      (image) => this.explain(side, { image }),
    );
  }

  /** Change the view of a side, which is that of both unless the kind compares it. */
  show(side: Side, change: Partial<View>) {
    this.#begin();
    if (side === 'b') this.own = { ...this.values, ...change };
    else this.a.show(change);
  }

  /** What is ablated in B. */
  get ablation(): Ablation {
    return this.values.ablations?.[0] ?? NOTHING_ABLATED;
  }

  ablate(change: Partial<Ablation>) {
    this.explain('b', { ablations: ablationsOf({ ...this.ablation, ...change }) });
  }

  remove(removes: boolean) {
    this.removes = removes;
  }

  /** A patch becomes the query, or is removed from B; the query patch again returns to the class token. */
  pick(patch: number) {
    const { patches } = this.ablation;
    if (this.kind === 'ablation' && this.removes) {
      const others = patches.filter((other) => other !== patch);
      return this.ablate({ patches: others.length < patches.length ? others : [...patches, patch] });
    }
    if (!this.hasQuery || !this.shown) return;
    if (!sameGrid(this.shown.a.shape, this.shown.b.shape))
      return this.status.say('The grids differ: the query stays the class token.');
    this.show('a', { query: this.viewA.query[0] === patch && !this.isSimilarity ? [] : [patch] });
  }

  queryClassToken() {
    if (this.viewA.query.length && !this.isSimilarity) this.show('a', { query: [] });
  }

  #begin() {
    for (const { status } of [this, this.a, this.b]) status.say(null);
    this.failed = false;
    this.timeline.cancel();
  }

  /** Explain the subject of A; for snapshots on one of the probe images, within the timeline. */
  async #explainA(subject: Subject, linked: Linked | null = null): Promise<boolean> {
    const chosen = subject.snapshot === null ? subject : await this.#inTimeline(subject);
    if (!chosen) return false;
    const [wanted, shown] = [subject, chosen].map(({ snapshot }) => String((snapshot ?? 0) + 1));
    const lost = wanted === shown ? [] : [unavailable('snapshot', wanted, shown)];
    const isShown = await this.a.explain(chosen, linked && { ...linked, missing: [...linked.missing, ...lost] });
    if (this.a.failed) this.#refuse(this.a.status.notice ?? '');
    return isShown;
  }

  /** The nearest subject in the timeline of its model; null if there is none, or something else was chosen meanwhile. */
  #inTimeline(subject: Subject): Promise<Subject | null> {
    return this.timeline.fit(subject).catch((error) => {
      this.#refuse(refusalOf(error).message);
      return null;
    });
  }

  async #explainB(subject: Subject) {
    const isKnown = isSame(subject, this.b.subject) && !this.b.failed;
    if (isKnown || isSame(subject, this.a.explanation?.subject)) return;
    await this.b.explain(subject, { view: {}, missing: [] });
    if (this.b.failed) this.#refuse(this.b.status.notice ?? '');
  }

  #show(shown: Shown) {
    Object.assign(this, { shown, failed: false, ready: this.ready + 1 });
    this.readout.read(null);
  }

  /** Return to the comparison on screen, and show why another one is not. */
  #refuse(sentence: string) {
    const { shown } = this;
    if (shown) {
      if (!isSame(shown.a.subject, this.a.subject)) this.a.explain(shown.a.subject);
      Object.assign(this, { kind: shown.kind, own: shown.own });
      this.a.show(shown.view);
    } else this.own = {};
    this.failed = true;
    this.status.say(sentence, true);
  }
}
