/* An explanation as it arrives: prediction, sizes and the attention of the default query first, that of others later. */

import { floatsOf } from '../lib/base64';
import { type AttentionRows, type Direction, largest, queryKey, type Shape, tokenCount } from '../lib/numbers';
import { contextOf } from '../lib/paint';
import type { Subject } from '../lib/view';
import { ablationOf } from './ablation';
import type { Explained } from './engine';

const MAX_BYTES = 2 ** 26; // of the rows that are kept
let count = 0;

export class Explanation implements AttentionRows {
  readonly id = ++count;
  readonly subject: Subject;
  readonly reply: Explained;
  readonly image: HTMLCanvasElement;
  /** Of the image and model without ablations; itself without any. */
  readonly original: Explanation;
  readonly shape: Shape;
  readonly defaultRows: Float32Array;
  readonly pool: Float32Array | null;
  full = $state.raw<Uint16Array | null>(null);
  rows = $state.raw<ReadonlyMap<string, Float32Array>>(new Map());
  /** Of the image, as the data of an SVG path. */
  outlines = $state.raw('');
  /** Why the attention of other queries is missing. */
  failure = $state.raw<string | null>(null);

  constructor(subject: Subject, reply: Explained, image: HTMLCanvasElement, original: Explanation | null = null) {
    this.subject = subject;
    this.reply = reply;
    this.image = image;
    this.original = original ?? this;
    this.shape = { ...reply.shape, pooled: reply.pool !== null, removed: ablationOf(subject, 'drop').patches };
    this.defaultRows = floatsOf(reply.cls);
    this.pool = reply.pool === null ? null : floatsOf(reply.pool);
  }

  get isAblated() {
    return this.original !== this;
  }

  /** Whether the attention of every query is there, or is requested when it is shown. */
  get isComplete() {
    return this.reply.on_demand || this.full !== null;
  }

  /** The class predicted before an ablation. */
  get predictedClass() {
    return largest(this.original.reply.probabilities);
  }

  /** The same explanation, opened again. */
  copy(): Explanation {
    const copy = new Explanation({ ...this.subject }, this.reply, this.image);
    copy.full = this.full;
    return copy;
  }

  keepFull(full: Uint16Array) {
    const { layers, heads } = this.shape;
    if (full.length === layers * heads * tokenCount(this.shape) ** 2) this.full = full;
    else this.fail();
  }

  /** Compute the outlines, once, by a module that the first paint does not need. */
  async trace() {
    if (this.outlines) return;
    const { width, height } = this.image;
    const pixels = contextOf(this.image).getImageData(0, 0, width, height);
    const { outlines, pathOf } = await import('../lib/outlines');
    this.outlines = pathOf(outlines(pixels));
  }

  fail(sentence = NO_ATTENTION) {
    this.failure = sentence;
  }

  /** Keep the rows of a query; the oldest ones make room. */
  keepRows(query: readonly number[], direction: Direction, found: Float32Array) {
    const rows = new Map(this.rows);
    for (const key of rows.keys()) {
      if ((rows.size + 1) * found.byteLength <= MAX_BYTES) break;
      rows.delete(key);
    }
    this.rows = rows.set(queryKey(query, direction), found);
  }
}

const NO_ATTENTION = 'The attention between patches could not be loaded. Choose the image again to retry.';
