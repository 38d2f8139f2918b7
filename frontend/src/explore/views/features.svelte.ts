/* State of the features view. */

import type { ExplainReply, NearestReply } from '../../lib/api';
import { isServed, reasonOf } from '../../lib/client';
import { bytesOf, floatsOf, type Scale, type Shape } from '../../lib/numbers';
import type { Term } from '../../lib/terms';
import { type Line, written } from '../../lib/words';
import { showNotice } from '../notices';
import type { Panel } from '../panel';
import { requestAblated } from '../requests';
import { queryPatches } from '../selection';
import type { Explorer } from '../state.svelte';
import { CANCELLED, Task } from '../task.svelte';
import { explanationOf, type LargeMap } from '../view.svelte';
import {
  colorReading,
  colorsHeadline,
  colorsLine,
  layerShown,
  ofLayer,
  similarityHeadline,
  similarityLine,
  similarityScale,
} from './features';

const NO_SCALE: Scale = { kind: 'linear', limit: 1 };

interface Colors {
  shape: Shape;
  pixels: Uint32Array; // (L, N)
  explained: (number[] | null)[];
}
interface Similarity {
  explanation: object | null;
  patch: number;
  values: Float32Array; // (L, N)
}

export class FeaturesPanel implements Panel {
  readonly explorer: Explorer;
  colors = $state.raw<Colors | null>(null);
  similarity = $state.raw<Similarity | null>(null); // shown; null: colors
  foreground = $state.raw(false);
  nearest = $state.raw<NearestReply | null>(null);
  nearestOf = $state.raw<object | null>(null); // the explanation of its image
  readonly task: Task; // the search for the nearest images
  #known = new Map<number, Float32Array>(); // similarities of `#knownOf`, by patch
  #knownOf: object | null = null;
  #reply: ExplainReply | null = null; // that of `colors`
  #isFetching = false;
  #ticket = 0;
  readonly note = '';

  /** The query patch that the others are compared with, -1 for none. */
  readonly patch = $derived.by(() => {
    const { choices, shape } = this.explorer;
    return shape ? (queryPatches(choices, shape).at(-1) ?? -1) : -1;
  });
  readonly shape = $derived.by(() => this.colors?.shape ?? null);
  readonly layer = $derived.by(() => layerShown(this.explorer.choices.layer, this.shape?.layers ?? 1));
  readonly scale = $derived.by(() =>
    this.similarity && this.shape ? similarityScale(this.similarity.values, this.shape) : NO_SCALE,
  );
  readonly #values = $derived.by(() =>
    this.similarity && this.shape ? ofLayer(this.similarity.values, this.layer, this.shape) : null,
  );
  readonly #pixels = $derived.by(() =>
    this.colors ? ofLayer(this.colors.pixels, this.layer, this.colors.shape) : null,
  );
  readonly map = $derived.by((): LargeMap | null => {
    if (this.#values) return { values: this.#values, first: 0, scale: this.scale };
    return this.#pixels && { values: [], first: 0, scale: NO_SCALE, pixels: this.#pixels };
  });
  readonly title = $derived.by(() => `Layer ${this.layer + 1}, ${this.similarity ? 'similarity' : 'features'}`);
  readonly headline = $derived.by(() => {
    const { shape, similarity, colors, layer, foreground } = this;
    if (shape && similarity && this.#values) return similarityHeadline(layer, similarity.patch, this.#values, shape);
    return colors ? colorsHeadline(layer, colors.explained[layer], foreground) : 'Features of the patch tokens';
  });
  readonly line = $derived.by((): Line => {
    const { shape, similarity, colors, layer, foreground } = this;
    const { readoutPatch } = this.explorer.choices;
    if (shape && similarity && this.#values) return similarityLine(similarity.patch, this.#values, readoutPatch, shape);
    return colors ? colorsLine(colors.explained[layer], foreground) : [];
  });
  readonly shown = $derived.by(() => {
    const { colors, foreground, similarity } = this;
    return colors && { foreground, patches: similarity ? [similarity.patch] : [] };
  });
  readonly unit = $derived.by(() => (this.similarity ? 'cosine similarity, all layers' : ''));
  readonly term: Term = 'cosine similarity';

  constructor(explorer: Explorer) {
    this.explorer = explorer;
    this.task = new Task(explorer);
  }

  read(patch: number): [string, string] {
    if (this.#values) return [written(this.#values[patch], 2), 'cosine'];
    return colorReading(this.#pixels?.[patch] ?? 0);
  }

  /** Fetch the principal components of the image on screen. */
  async load() {
    const { explorer, foreground } = this;
    const mine = ++this.#ticket;
    const { reply, shape } = explorer;
    if (!reply) return;
    if (this.#reply !== reply) this.colors = this.similarity = null;
    this.#reply = reply;
    const found = await requestAblated(explorer, 'features', { foreground });
    if (mine !== this.#ticket || explorer.reply !== reply) return;
    if (isServed(found)) {
      const pixels = new Uint32Array(bytesOf(found.pixels).buffer);
      if (this.similarity?.explanation !== explanationOf(explorer)) this.similarity = null;
      this.colors = { shape, pixels, explained: found.explained };
      this.showSimilarity();
    } else {
      this.colors = this.similarity = null;
      showNotice(explorer, reasonOf(found), true);
    }
  }

  /** Show the similarity with the query patch, or the colors without one. There is one request at a time; a query that
      has changed meanwhile is fetched next, so that the latest one wins. */
  async showSimilarity(): Promise<void> {
    const { explorer, patch } = this;
    const explanation = explanationOf(explorer);
    if (patch < 0) {
      this.similarity = null;
      return;
    }
    if (this.#knownOf !== explanation) this.#known.clear();
    this.#knownOf = explanation;
    const known = this.#known.get(patch);
    if (known) {
      this.similarity = { explanation, patch, values: known };
      return;
    }
    if (this.#isFetching) return;
    this.#isFetching = true;
    const found = await requestAblated(explorer, 'similarity', { patch });
    this.#isFetching = false;
    if (isServed(found)) {
      if (this.#knownOf === explanation) this.#known.set(patch, floatsOf(found.values));
      return this.showSimilarity();
    }
    if (explanation === explanationOf(explorer)) showNotice(explorer, reasonOf(found), true);
  }

  /** Fetch the nearest training images, with progress while the model computes the features of all. */
  async fetchNearest() {
    const { explorer } = this;
    const explanation = explanationOf(explorer);
    const found = await this.task.run('nearest', {});
    if (found === CANCELLED || explanationOf(explorer) !== explanation) return;
    if (isServed(found)) Object.assign(this, { nearest: found, nearestOf: explanation });
    else showNotice(explorer, reasonOf(found), true);
  }
}
