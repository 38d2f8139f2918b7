/* What is drawn: the rendered state, copied from the state once per frame, and what is derived from it. The old one stays
   while the attention or the map of the new one is loading. */

import { flushSync, untrack } from 'svelte';
import type { MethodInfo, ScaleLimits } from '../lib/api';
import {
  type AttentionRows,
  type Direction,
  fillRows,
  hasQuery,
  MEAN,
  makeRows,
  POOL,
  type Rows,
  rowOf,
  type Scale,
  type Shape,
  uniformWeight,
} from '../lib/numbers';
import { type Line, mapName, methodTitle } from '../lib/words';
import { showWaiting, stopWaiting } from './notices';
import { fallBackToClassToken } from './options';
import { readingOf } from './reading';
import { fetchRows } from './rows';
import { mapScale, methodScale } from './scales';
import { isAblated, queryPatches } from './selection';
import { headlineOf, lineOf } from './sentences';
import type { Explorer, Mode, ScaleChoice } from './state.svelte';

/** The marks on image and map; they follow the pointer even while the maps are loading. */
export interface Marks {
  query: number[];
  removed: number[];
  readout: number; // the patch under the pointer, or -1
}

/** Values, offset of the first patch, and scale of the large map: a method's, or the selected head's. */
export interface LargeMap {
  values: Float32Array | number[];
  first: number;
  scale: Scale;
  /** Colors of the patches, in place of values on the scale. */
  pixels?: Uint32Array;
  /** Values per pixel on the scale, painted in place of those of the patches. */
  fine?: PixelMap;
}

/** The map of a method per pixel of the model input. */
export interface PixelMap {
  rows: number;
  columns: number;
  tag: readonly unknown[]; // see `pixelTag`
  values: Float32Array;
}

/** The explanation on screen, with its ablations if any. Unlike its key it stays when the server has evicted it. */
export const explanationOf = ({ ablation, reply }: Pick<Explorer, 'ablation' | 'reply'>) => ablation ?? reply;

/** The explanation, method and class of a map per pixel. */
export const pixelTag = (explorer: Explorer, method: string) => [
  explanationOf(explorer),
  method,
  String(explorer.choices.target),
];

export const isSameTag = (one: readonly unknown[] | undefined, other: readonly unknown[]) =>
  one?.every((part, i) => part === other[i]) ?? false;

const NO_VALUES: number[] = [];
const NO_LIMITS: Record<string, ScaleLimits> = {};
const EMPTY: Marks = { query: [], removed: [], readout: -1 };

export class View {
  readonly #explorer: Explorer;
  imageMarks = $state.raw<Marks>(EMPTY);
  mapMarks = $state.raw<Marks>(EMPTY);
  isClassTokenQuery = $state.raw(true);

  /** The rendered state. */
  shape = $state.raw<Shape | null>(null);
  attention = $state.raw<AttentionRows | null>(null);
  scaleLimits = $state.raw<Record<string, ScaleLimits>>({});
  query = $state.raw<number[]>([]);
  direction = $state.raw<Direction>('from');
  layer = $state.raw(0);
  head = $state.raw(0);
  scaleChoice = $state.raw<ScaleChoice>('shared');
  readoutPatch = $state.raw(-1);
  ablated = $state.raw<number[]>([]);
  mode = $state.raw<Mode>('zero');
  method = $state.raw<string | null>(null); // shown large; null: a head
  methodValues = $state.raw<number[]>([]);
  classes = $state.raw<string[]>([]); // names of the explained class and the contrast class
  #retainedMethod: string | null = null; // the method that stays on screen until its map of another class arrives
  #frame = 0;
  #measured = 0;

  readonly #buffers = $derived.by(() => (this.shape ? makeRows(this.shape) : null));
  /** The rows of the query; a new object whenever the values change. */
  readonly rows = $derived.by((): Rows | null => {
    const { shape, attention, query, direction } = this;
    if (!shape || !attention || !this.#buffers) return null;
    const ablated = untrack(() => this.ablated); // a change of it comes with another `attention`
    fillRows(this.#buffers, shape, attention, query, direction, (layer, head) =>
      isAblated(ablated, shape, layer, head),
    );
    return { ...this.#buffers };
  });
  /** The upper ends of the shared scales, the same for every query and with ablations. */
  readonly limits = $derived(this.scaleLimits[this.direction] ?? { heads: 1, means: 1 });
  readonly #sharedScales = $derived<Record<'heads' | 'means', Scale>>({
    heads: { kind: 'linear', limit: this.limits.heads, clips: true, isWeight: true },
    means: { kind: 'linear', limit: this.limits.means, clips: true, isWeight: true, isOfMeans: true },
  });
  readonly methodInfo = $derived.by((): MethodInfo | undefined => this.#explorer.method(this.method));
  /** Of a view other than the attention, unless a method is shown. */
  readonly panel = $derived.by(() => (this.methodInfo ? null : this.#explorer.panel));
  readonly map = $derived.by((): LargeMap | null => {
    if (this.panel?.map !== undefined) return this.panel.map;
    if (!this.shape || !this.rows) return null;
    if (this.methodInfo) {
      const { pixelMap, choices } = this.#explorer;
      const isFine = choices.pixels && isSameTag(pixelMap?.tag, pixelTag(this.#explorer, this.methodInfo.key));
      const fine = (isFine && pixelMap) || undefined;
      const scale = methodScale(this.methodInfo, fine?.values ?? this.methodValues);
      return { values: this.methodValues, first: 0, scale, fine };
    }
    const row = rowOf(this.rows, this.shape, this.layer, this.head);
    return { values: row, first: this.shape.prefix, scale: this.scaleOf(row, this.layer, this.head) };
  });
  readonly scale = $derived.by(() => (this.map?.pixels ? null : (this.map?.scale ?? null)));
  /** Whether the selected head is ablated. */
  readonly isHeadAblated = $derived.by(
    () => this.shape !== null && isAblated(this.ablated, this.shape, this.layer, this.head),
  );
  readonly title = $derived.by(() => {
    if (!this.map) return '';
    if (this.panel) return this.panel.title;
    return this.methodInfo ? methodTitle(this.methodInfo, this.classes) : mapName(this.layer, this.head);
  });
  readonly reading = $derived.by(() => readingOf(this));
  readonly headline = $derived.by((): string => headlineOf(this));
  readonly line = $derived.by((): Line => lineOf(this, this.#explorer.faithfulness, this.#explorer.hasHead));

  constructor(explorer: Explorer) {
    this.#explorer = explorer;
  }

  /** The scale of the row of a head or a mean. */
  scaleOf(row: Float32Array, layer: number, head: number): Scale {
    if (this.scaleChoice === 'map' && this.shape) return mapScale(row, this.shape);
    if (this.scaleChoice === 'uniform') {
      return { kind: 'uniform', uniform: this.shape ? uniformWeight(this.shape, layer) : 1, isWeight: true };
    }
    return this.#sharedScales[layer === MEAN || head === MEAN ? 'means' : 'heads'];
  }

  /** Let the next drawing replace a method's map even if the new one is not there yet. */
  releaseMethod() {
    this.#retainedMethod = null;
  }

  scheduleDraw() {
    this.#frame ||= requestAnimationFrame(() => this.draw());
  }

  /** Draw now if a drawing is due. */
  flushDraw() {
    if (this.#frame) this.draw();
  }

  draw() {
    const explorer = this.#explorer;
    const { choices, maps, shape, attention } = explorer;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    if (!explorer.reply || !attention) return;
    const start = performance.now();
    const requestedMethod = choices.hover < 0 ? choices.method : null; // hovering the image hides the method temporarily
    const method = requestedMethod !== null && maps[requestedMethod] ? requestedMethod : null;
    if (requestedMethod !== null && method === null && this.#retainedMethod === requestedMethod)
      return showWaiting(explorer);
    const query = queryPatches(choices, shape);
    this.#placeMarks(query, method);
    if (hasQuery(attention, query, choices.direction)) {
      if (explorer.markers.state !== 'working') stopWaiting(explorer);
      this.#update(query, method);
    } else if (explorer.fullAttentionFailed) {
      fallBackToClassToken(explorer);
    } else {
      if (attention.rows) fetchRows(explorer, query, choices.direction);
      showWaiting(explorer);
    }
    flushSync();
    this.#measure(start);
  }

  #placeMarks(query: number[], method: string | null) {
    const { removed, readoutPatch, layer, method: chosen } = this.#explorer.choices;
    const framed = method === null ? query : [];
    this.imageMarks = { query: framed, removed, readout: readoutPatch };
    this.mapMarks = { query: layer === POOL ? [] : framed, removed, readout: readoutPatch };
    this.isClassTokenQuery = !query.length && chosen === null;
  }

  #update(query: number[], method: string | null) {
    const { choices, shape, attention, reply, maps, targetNames } = this.#explorer;
    this.shape = shape;
    this.attention = attention;
    this.scaleLimits = reply?.limits ?? NO_LIMITS;
    if (String(query) !== String(this.query)) this.query = query;
    this.direction = choices.direction;
    this.layer = choices.layer;
    this.head = choices.head;
    this.scaleChoice = choices.scale;
    this.readoutPatch = choices.readoutPatch;
    this.ablated = choices.ablated;
    this.mode = choices.mode;
    this.method = this.#retainedMethod = method;
    this.methodValues = method === null ? NO_VALUES : maps[method];
    this.classes = targetNames;
  }

  #measure(start: number) {
    if (++this.#measured % 1000 === 0) performance.clearMeasures('vitviz:redraw');
    performance.measure('vitviz:redraw', { start, end: performance.now() });
  }
}
