/* An explanation that is open: its subject, what is shown of it, and what an engine has computed. Everything drawn is
   derived from these, see drawing.svelte.ts. They are assigned here only. */

import { untrack } from 'svelte';
import type { CatalogState } from '../lib/catalog.svelte';
import { afterPaint } from '../lib/dom';
import { ANNOUNCE_DELAY, pause, RETRY_DELAY } from '../lib/host';
import { type Direction, hasQuery } from '../lib/numbers';
import { canvasOf } from '../lib/paint';
import { isRefused, refusalOf } from '../lib/refused';
import { Status } from '../lib/status.svelte';
import { type Ablation, DEFAULT_VIEW, isSame, type Subject, type View, wholeOf } from '../lib/view';
import { percent } from '../lib/words';
import { ablationOf, ablationsOf } from './ablation';
import { Drawing } from './drawing.svelte';
import { type Engine, NEVER } from './engine';
import { Explanation } from './explanation.svelte';
import { drawable, fitAblations, fitView, openingOf, viewAfter } from './fit';
import { Methods } from './methods.svelte';
import type { Panel } from './panel';
import { Pointer } from './pointer.svelte';
import { selectedPatches, withoutRemoved } from './selection';

/** A view from a link or file, and sentences on what of it is not available. */
export interface Linked {
  view: Partial<View>;
  missing: readonly string[];
}

interface Arrival {
  explanation: Explanation;
  view: View;
  missing: readonly string[];
}

export class Session {
  readonly engine: Engine;
  readonly catalog: CatalogState;
  /** Whether it fetches what drawings need: the attention of all queries, and the maps of methods. */
  readonly isDrawn: boolean;
  readonly status = new Status();
  readonly pointer = new Pointer();
  readonly methods: Methods;
  readonly drawing: Drawing;

  subject = $state.raw<Subject | null>(null); // what is to be explained
  view = $state.raw<View>(DEFAULT_VIEW);
  explanation = $state.raw<Explanation | null>(null); // the last complete one: on screen until that of `subject` is there
  failed = $state.raw(false); // the latest explanation
  panel = $state.raw<Panel | null>(null); // of a content other than the attention
  #isFetchingRows = $state.raw(false);
  /** Whether an explanation is being finished although another one may be wanted: while a pointer moves, each of a
      fast engine is shown, and then the latest one. */
  #isFinishing = $state.raw(false);
  #linked: Linked | null = null; // of the subject that is being explained
  #settle: (arrived: boolean) => void = () => {};

  readonly isPending = $derived.by(
    () => this.subject !== null && this.subject !== this.explanation?.subject && !this.failed,
  );
  readonly hasHead = $derived.by(() => this.explanation === null || this.explanation.reply.classes.length > 0);
  readonly targetClass = $derived.by(() => this.view.target[0] ?? this.explanation?.predictedClass ?? 0);
  /** The explained class and the contrast class, as an engine expects them: after an ablation not what is predicted then. */
  readonly target = $derived.by(() => {
    const { target } = this.view;
    return this.explanation?.isAblated && !target.length && this.hasHead ? [this.targetClass] : target;
  });
  readonly targetNames = $derived.by(() =>
    [this.targetClass, ...this.view.target.slice(1)].map((k) => this.explanation?.reply.classes[k] ?? ''),
  );
  /** Ablated heads and removed patches, also those whose effect is being computed. */
  readonly ablation = $derived.by((): Ablation => {
    const { subject, explanation } = this;
    const shown = explanation?.subject;
    if (subject && shown && isSame(wholeOf(subject), wholeOf(shown))) return ablationOf(subject);
    return ablationOf(shown ?? { ablations: [] });
  });
  readonly query = $derived.by(() => {
    const { explanation, pointer, view } = this;
    const hover = pointer.removes ? -1 : pointer.hover; // so that the map shows the effect
    const selected = selectedPatches(view.query, hover, pointer.addsPatches);
    return explanation ? withoutRemoved(selected, explanation.shape) : selected;
  });
  readonly direction = $derived<Direction>(this.view.direction === 'to' ? 'to' : 'from');
  /** Whether the attention of the query is missing. */
  readonly isMissing = $derived.by(
    () => this.explanation !== null && !hasQuery(this.explanation, this.query, this.direction),
  );
  /** Whether there is something to wait for. */
  readonly isWaiting = $derived.by(() => this.isPending || this.isMissing || this.drawing.isMethodHeld);

  constructor(engine: Engine, catalog: CatalogState, isDrawn = true) {
    this.engine = engine;
    this.catalog = catalog;
    this.isDrawn = isDrawn;
    this.methods = new Methods(this);
    this.drawing = new Drawing(this);
  }

  /** Fetch what the subject and the view need, while the component that calls this is mounted. */
  run() {
    $effect(() => {
      const { subject } = this;
      if (!subject || this.#isFinishing || subject === untrack(() => this.explanation)?.subject) return;
      const isFast = untrack(() => this.engine.isFast?.(subject) ?? false);
      const cancel = this.status.request(
        (signal) => this.#explain(subject, signal),
        (found) => {
          this.#isFinishing = false;
          this.#arrive(found, subject);
        },
        (sentence) => {
          this.#isFinishing = false;
          if (this.subject === subject) this.#fail(sentence);
        },
      );
      if (!isFast) return cancel;
      this.#isFinishing = true;
    });
    if (!this.isDrawn) return;
    $effect(() => {
      const { explanation } = this;
      if (!explanation || explanation.isComplete || explanation.failure) return;
      return this.status.request(
        (signal) => this.engine.request('explanations/attention', { subject: explanation.subject }, signal),
        (full) => explanation.keepFull(full),
        () => explanation.fail(),
      );
    });
    $effect(() => {
      const { explanation } = this;
      if (!this.isMissing || !explanation) return;
      if (explanation.failure) untrack(() => this.#returnToClassToken(explanation.failure ?? ''));
      else if (explanation.reply.on_demand && !this.#isFetchingRows) untrack(() => this.#fetchRows(explanation));
    });
    $effect(() => {
      const { original } = this.explanation ?? {};
      if (original) return afterPaint(() => original.trace());
    });
    this.methods.run();
  }

  /** Explain another model or image, or other ablations; the view on screen stays until then, and if it fails.
      @param linked the view to open with; by default the one on screen, as far as it fits
      @returns whether it was explained; false also if something else was chosen meanwhile */
  explain(change: Partial<Subject>, linked: Linked | null = null): Promise<boolean> {
    const { subject } = this;
    const isOther = 'model' in change || 'image' in change;
    this.#settle(false);
    this.#linked = linked;
    this.failed = false;
    this.status.say(null);
    this.subject = {
      ...(subject ?? { model: '', snapshot: null, image: { kind: 'sample', name: '' }, ablations: [] }),
      ...(isOther ? { ablations: [] } : {}),
      ...change,
    };
    return new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Change the ablated heads, removed patches, or how they are ablated. */
  async ablate(change: Partial<Ablation>) {
    const { subject, explanation } = this;
    if (!subject || !explanation || !isSame(wholeOf(subject), wholeOf(explanation.subject))) return; // another one is coming
    await this.explain({ ablations: ablationsOf({ ...this.ablation, ...change }) });
  }

  /** Show something else of the explanation. A method is shown while it is the content.
      @param delay ms until it is announced */
  show(change: Partial<View>, delay = ANNOUNCE_DELAY) {
    const view = { ...this.view, ...change };
    this.status.say(null);
    this.view = view.content === 'method' ? view : { ...view, method: null };
    if (!view.query.length) this.pointer.move({ addsPatches: false });
    this.announce(delay);
  }

  /** The change of the view that leaves a method. */
  get leaving(): Partial<View> {
    return this.view.content === 'method' ? { content: 'attention' } : {};
  }

  /** Point at something. */
  point(change: Parameters<Pointer['move']>[0], delay = ANNOUNCE_DELAY) {
    this.status.say(null);
    this.pointer.move(change);
    this.announce(delay);
  }

  /** Announce what is shown, after an action. */
  announce(delay: number, action = '') {
    if (this.isDrawn) this.status.announce(() => `${action}${this.drawing.spoken}`, delay);
  }

  /** Let a panel say what the map shows. Returns a function that ends it. */
  usePanel(panel: Panel) {
    this.panel = panel;
    return () => {
      this.panel = null;
    };
  }

  async #explain(subject: Subject, signal: AbortSignal): Promise<Arrival> {
    const linked = this.#linked;
    const known = this.#known(subject);
    const original = known ?? (await this.#fetch(wholeOf(subject), signal));
    const fitted = fitAblations(subject.ablations, original.shape);
    const explanation = fitted.ablations.length
      ? await this.#fetch({ ...subject, ablations: fitted.ablations }, signal, original)
      : (known?.copy() ?? original);
    const { view, missing } = linked
      ? fitView({ ...openingOf(explanation, linked.view), ...linked.view }, explanation)
      : viewAfter(this.view, this.explanation, explanation);
    await this.#fetchQuery(explanation, view, signal);
    const shown = this.isDrawn ? drawable(view) : view;
    return { explanation, view: shown, missing: [...(linked?.missing ?? []), ...fitted.missing, ...missing] };
  }

  /** The explanation on screen without its ablations, if only these differ. */
  #known(subject: Subject): Explanation | null {
    const shown = this.explanation;
    if (!shown || !isSame(wholeOf(shown.subject), wholeOf(subject))) return null;
    return shown.isAblated || subject.ablations.length ? shown.original : null;
  }

  async #fetch(subject: Subject, signal: AbortSignal, original: Explanation | null = null): Promise<Explanation> {
    this.status.waiting = '';
    const reply = await this.engine.request('explanations', { subject }, signal, ({ waiting }) => {
      if (!signal.aborted) this.status.waiting = waiting;
    });
    return new Explanation(subject, reply, original?.image ?? canvasOf(reply.image), original);
  }

  /** Fetch the attention of a query other than the class token: a new image must not appear with old maps. */
  async #fetchQuery(explanation: Explanation, view: View, signal: AbortSignal) {
    const direction: Direction = view.direction === 'to' ? 'to' : 'from';
    const query = [...withoutRemoved(view.query, explanation.shape)];
    if (!this.isDrawn || hasQuery(explanation, query, direction)) return;
    const { subject } = explanation;
    try {
      if (explanation.reply.on_demand) {
        const found = await this.engine.request('explanations/rows', { subject, query, direction }, signal);
        explanation.keepRows(query, direction, found);
      } else explanation.keepFull(await this.engine.request('explanations/attention', { subject }, signal));
    } catch (error) {
      explanation.fail(refusalOf(error).message);
    }
  }

  #arrive({ explanation, view, missing }: Arrival, requested: Subject) {
    if (requested !== this.subject) {
      this.explanation = explanation; // the latest one follows
      return;
    }
    const shown = this.explanation;
    const isOther = !shown || !isSame(wholeOf(shown.subject), wholeOf(explanation.subject));
    this.subject = explanation.subject;
    this.explanation = explanation;
    this.view = view;
    this.#linked = null;
    if (isOther) this.pointer.move({ hover: -1, read: -1, addsPatches: view.query.length > 1 });
    if (missing.length) this.status.say(missing.join(' '));
    const { classes, probabilities } = explanation.reply;
    const best = explanation.predictedClass;
    this.announce(
      this.engine.isFast?.(requested) ? ANNOUNCE_DELAY : 0,
      isOther && classes.length ? `Predicted: ${classes[best]}, ${percent(probabilities[best], 1)}. ` : '',
    );
    this.#settle(true);
  }

  #fail(sentence: string) {
    this.failed = true;
    if (this.explanation) this.subject = this.explanation.subject;
    this.#linked = null;
    this.status.say(sentence, true);
    this.#settle(false);
  }

  /** Fetch the attention of the query, of a large model. There is one request at a time; a query that has changed
      meanwhile is fetched next, so that the latest one wins. */
  async #fetchRows(explanation: Explanation) {
    const { query, direction } = this;
    this.#isFetchingRows = true;
    try {
      const { subject } = explanation;
      const found = await this.engine.request('explanations/rows', { subject, query: [...query], direction }, NEVER);
      explanation.keepRows(query, direction, found);
    } catch (error) {
      if (!isRefused(error)) throw error;
      if (error.isBusy) await pause(RETRY_DELAY);
      else if (this.explanation === explanation) this.#returnToClassToken(error.message);
    } finally {
      this.#isFetchingRows = false;
    }
  }

  /** Without the attention of the query return to the pinned one, or to the class token. */
  #returnToClassToken(sentence: string) {
    if (this.pointer.hover >= 0) this.pointer.move({ hover: -1 });
    else this.view = { ...this.view, query: [], direction: 'from' };
    this.status.say(sentence, true);
  }
}
