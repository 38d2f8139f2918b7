/* What is drawn: a snapshot of the state, taken once per frame, and what is derived from it. The old snapshot stays while
   the attention or the map of the new one is loading. */

import { flushSync, untrack } from 'svelte';
import type { MethodInfo } from '../lib/api';
import {
  type Direction,
  fillRows,
  firstRowsSuffice,
  makeRows,
  type Rows,
  rowOf,
  type Scale,
  type Shape,
  type Source,
  sharedLimit,
  uniformWeight,
} from '../lib/numbers';
import { type Line, mapName, methodTitle } from '../lib/words';
import { showWaiting, stopWaiting } from './notices';
import { fallBackToClassToken } from './options';
import { readingOf } from './reading';
import { mapScale, methodScale } from './scales';
import { isAblated, queryPatches } from './selection';
import { headlineOf, lineOf } from './sentences';
import type { Explorer, Mode, ScaleChoice } from './state.svelte';

/** The marks on image and map; they follow the pointer even while the maps are loading. */
export interface Marks {
  query: number[];
  removed: number[];
  read: number;
}

/** Values, offset of the first patch, and scale of the large map: a method's, or the selected head's. */
export interface LargeMap {
  values: Float32Array | number[];
  first: number;
  scale: Scale;
}

const NO_VALUES: number[] = [];
const EMPTY: Marks = { query: [], removed: [], read: -1 };

export class View {
  readonly #explorer: Explorer;
  imageMarks = $state.raw<Marks>(EMPTY);
  mapMarks = $state.raw<Marks>(EMPTY);
  isClassTokenQuery = $state.raw(true);

  /** The snapshot. */
  shape = $state.raw<Shape | null>(null);
  source = $state.raw<Source | null>(null);
  limits = $state.raw<Record<string, number>>({});
  query = $state.raw<number[]>([]);
  direction = $state.raw<Direction>('from');
  layer = $state.raw(0);
  head = $state.raw(0);
  scaleChoice = $state.raw<ScaleChoice>('shared');
  read = $state.raw(-1);
  ablated = $state.raw<number[]>([]);
  mode = $state.raw<Mode>('zero');
  method = $state.raw<string | null>(null); // shown large; null: a head
  methodValues = $state.raw<number[]>([]);
  classes = $state.raw<string[]>([]); // names of the explained class and the contrast class
  #held: string | null = null; // the method that stays on screen until its map of another class arrives
  #frame = 0;
  #measured = 0;

  readonly #buffers = $derived.by(() => (this.shape ? makeRows(this.shape) : null));
  /** The rows of the query; a new object whenever the values change. */
  readonly rows = $derived.by((): Rows | null => {
    const { shape, source, query, direction } = this;
    if (!shape || !source || !this.#buffers) return null;
    const ablated = untrack(() => this.ablated); // a change of it comes with another source
    fillRows(this.#buffers, shape, source, query, direction, (layer, head) => isAblated(ablated, shape, layer, head));
    return { ...this.#buffers };
  });
  /** The upper end of the shared scale. */
  readonly #limit = $derived.by(() => {
    const { shape, source, direction, limits } = this;
    const kind = this.query.length ? 'patch' : 'class';
    if (!shape || !source) return 1;
    limits[direction + kind] ??= sharedLimit(shape, source, direction, kind);
    return limits[direction + kind];
  });
  readonly #sharedScale = $derived<Scale>({ kind: 'linear', limit: this.#limit, clips: true, isWeight: true });
  readonly #uniformScale = $derived<Scale>({
    kind: 'uniform',
    uniform: this.shape ? uniformWeight(this.shape) : 1,
    isWeight: true,
  });
  readonly methodInfo = $derived.by((): MethodInfo | undefined => this.#explorer.method(this.method));
  readonly map = $derived.by((): LargeMap | null => {
    if (!this.shape || !this.rows) return null;
    if (this.methodInfo)
      return { values: this.methodValues, first: 0, scale: methodScale(this.methodInfo, this.methodValues) };
    const row = rowOf(this.rows, this.shape, this.layer, this.head);
    return { values: row, first: this.shape.prefix, scale: this.scaleOf(row) };
  });
  readonly scale = $derived.by(() => this.map?.scale ?? null);
  /** Whether the selected head is ablated. */
  readonly isAblated = $derived.by(
    () => this.shape !== null && isAblated(this.ablated, this.shape, this.layer, this.head),
  );
  /** The shape of what the large map explains: the unchanged image, if it is a method's. */
  readonly mapShape = $derived.by(() => (this.shape && this.methodInfo ? { ...this.shape, removed: [] } : this.shape));
  readonly title = $derived.by(() => {
    if (!this.map) return '';
    return this.methodInfo ? methodTitle(this.methodInfo, this.classes) : mapName(this.layer, this.head);
  });
  readonly reading = $derived.by(() => readingOf(this));
  readonly headline = $derived.by((): string => headlineOf(this));
  readonly line = $derived.by((): Line => lineOf(this, this.#explorer.faithfulness));

  constructor(explorer: Explorer) {
    this.#explorer = explorer;
  }

  /** The scale of one row. */
  scaleOf(row: Float32Array): Scale {
    if (this.scaleChoice === 'shared') return this.#sharedScale;
    return this.scaleChoice === 'uniform' ? this.#uniformScale : mapScale(row, this.shape?.prefix ?? 0);
  }

  /** Let the next drawing replace a method's map even if the new one is not there yet. */
  release() {
    this.#held = null;
  }

  drawSoon() {
    this.#frame ||= requestAnimationFrame(() => this.draw());
  }

  /** Draw now if a drawing is due. */
  drawPending() {
    if (this.#frame) this.draw();
  }

  draw() {
    const explorer = this.#explorer;
    const { choices, maps, shape, source } = explorer;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    if (!explorer.reply || !source) return;
    const start = performance.now();
    const wanted = choices.hover < 0 ? choices.method : null; // hovering the image hides the method temporarily
    const method = wanted !== null && maps[wanted] ? wanted : null;
    if (wanted !== null && method === null && this.#held === wanted) return showWaiting(explorer);
    const query = queryPatches(choices, shape);
    this.#placeMarks(query, method);
    if (source.full !== null || firstRowsSuffice(query, choices.direction)) {
      if (explorer.markers.state !== 'working') stopWaiting(explorer);
      this.#take(query, method);
    } else if (explorer.fullFailed) {
      fallBackToClassToken(explorer);
    } else {
      showWaiting(explorer);
    }
    flushSync();
    this.#measure(start);
  }

  #placeMarks(query: number[], method: string | null) {
    const { removed, read, method: chosen } = this.#explorer.choices;
    const framed = method === null ? query : [];
    this.imageMarks = { query: framed, removed, read };
    this.mapMarks = { query: framed, removed: method === null ? removed : [], read }; // attribution maps are of the unchanged image
    this.isClassTokenQuery = !query.length && chosen === null;
  }

  #take(query: number[], method: string | null) {
    const { choices, shape, source, limits, maps, targetNames } = this.#explorer;
    this.shape = shape;
    this.source = source;
    this.limits = limits;
    if (String(query) !== String(this.query)) this.query = query;
    this.direction = choices.direction;
    this.layer = choices.layer;
    this.head = choices.head;
    this.scaleChoice = choices.scale;
    this.read = choices.read;
    this.ablated = choices.ablated;
    this.mode = choices.mode;
    this.method = this.#held = method;
    this.methodValues = method === null ? NO_VALUES : maps[method];
    this.classes = targetNames;
  }

  #measure(start: number) {
    if (++this.#measured % 1000 === 0) performance.clearMeasures('vitviz:redraw');
    performance.measure('vitviz:redraw', { start, end: performance.now() });
  }
}
