/* State of the features view. */

import { floatsOf } from '../../lib/base64';
import type { Scale } from '../../lib/numbers';
import { layerColors } from '../../lib/patchColors';
import type { Nearest } from '../../lib/routes';
import type { Term } from '../../lib/terms';
import { type Line, written } from '../../lib/words';
import type { LargeMap } from '../../session/drawing.svelte';
import type { Explanation } from '../../session/explanation.svelte';
import type { Panel } from '../../session/panel';
import type { Session } from '../../session/session.svelte';
import { Task } from '../../session/task.svelte';
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
  explanation: Explanation;
  pixels: Uint32Array; // (L, N)
  explained: (number[] | null)[];
}
interface Similarity {
  explanation: Explanation;
  patch: number;
  values: Float32Array; // (L, N)
}

export class FeaturesPanel implements Panel {
  readonly #session: Session;
  #colors = $state.raw<Colors | null>(null); // the latest
  #similarities = $state.raw<readonly Similarity[]>([]); // of one explanation, the latest last
  #isFetching = $state.raw(false); // a similarity
  #nearest = $state.raw<{ explanation: Explanation; found: Nearest } | null>(null);
  readonly search: Task; // for the nearest images
  readonly note = '';

  /** The query patch that the others are compared with, -1 for none. */
  readonly #patch = $derived.by(() => this.#session.query.at(-1) ?? -1);
  readonly #known = $derived.by(() =>
    this.#similarities.filter(({ explanation }) => explanation === this.#session.explanation),
  );
  /** Those of the image on screen; while others of it are computed, the latest. */
  readonly colors = $derived.by(() =>
    this.#colors?.explanation.original === this.#session.explanation?.original ? this.#colors : null,
  );
  /** The similarity with the query patch, the latest one until it is there; null: colors. */
  readonly similarity = $derived.by(() => {
    if (this.#patch < 0) return null;
    return this.#known.find(({ patch }) => patch === this.#patch) ?? this.#known.at(-1) ?? null;
  });
  readonly nearest = $derived.by(() =>
    this.#nearest?.explanation === this.#session.explanation ? (this.#nearest?.found ?? null) : null,
  );
  readonly foreground = $derived.by(() => this.#session.view.foreground);
  readonly shape = $derived.by(() => this.colors?.explanation.shape ?? null);
  readonly layer = $derived.by(() => layerShown(this.#session.view.layer, this.shape?.layers ?? 1));
  readonly scale = $derived.by(() =>
    this.similarity && this.shape ? similarityScale(this.similarity.values, this.shape) : NO_SCALE,
  );
  readonly #values = $derived.by(() =>
    this.similarity && this.shape ? ofLayer(this.similarity.values, this.layer, this.shape) : null,
  );
  readonly #pixels = $derived.by(() =>
    this.colors ? ofLayer(this.colors.pixels, this.layer, this.colors.explanation.shape) : null,
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
    const { read } = this.#session.pointer;
    if (shape && similarity && this.#values) return similarityLine(similarity.patch, this.#values, read, shape);
    return colors ? colorsLine(colors.explained[layer], foreground) : [];
  });
  readonly isReady = $derived.by(() => this.colors !== null);
  readonly saved = $derived.by(() => ({ query: this.similarity ? [this.similarity.patch] : [] }));
  readonly unit = $derived.by(() => (this.similarity ? 'cosine similarity, all layers' : ''));
  readonly term: Term = 'cosine similarity';

  constructor(session: Session) {
    this.#session = session;
    this.search = new Task(session.status);
  }

  /** Fetch what is shown, while the component that calls this is mounted. */
  run() {
    const session = this.#session;
    $effect(() => session.usePanel(this));
    $effect(() => {
      const { foreground } = this;
      const { explanation } = session;
      if (!explanation) return;
      return session.status.request(
        (signal) =>
          session.engine.request('explanations/features', { subject: explanation.subject, foreground }, signal),
        ({ scores, explained }) => {
          this.#colors = { explanation, pixels: layerColors(floatsOf(scores), explained.length), explained };
        },
        (sentence) => {
          this.#colors = null;
          session.status.say(sentence, true);
        },
      );
    });
    // There is one request at a time; a query that has changed meanwhile is fetched next, so that the latest one wins.
    $effect(() => {
      const { explanation } = session;
      const patch = this.#patch;
      if (!explanation || patch < 0 || this.#isFetching || this.#known.some((one) => one.patch === patch)) return;
      this.#isFetching = true;
      session.status.request(
        (signal) => session.engine.request('explanations/similarity', { subject: explanation.subject, patch }, signal),
        ({ values }) => {
          const others = this.#similarities.filter((one) => one.explanation === explanation);
          this.#similarities = [...others, { explanation, patch, values: floatsOf(values) }];
          this.#isFetching = false;
        },
        (sentence) => {
          if (explanation === session.explanation) session.status.say(sentence, true);
          session.pointer.move({ hover: -1 }); // or it would be requested again
          this.#isFetching = false;
        },
      );
    });
    $effect(() => {
      void session.explanation;
      return () => this.search.cancel();
    });
  }

  read(patch: number): [string, string] {
    if (this.#values) return [written(this.#values[patch], 2), 'cosine'];
    return colorReading(this.#pixels?.[patch] ?? 0);
  }

  /** Fetch the nearest training images, with progress while the model computes the features of all. */
  findNearest() {
    const session = this.#session;
    const { explanation } = session;
    if (!explanation) return;
    this.search.run(
      (signal, report) =>
        session.engine.request(
          'explanations/nearest',
          { subject: explanation.subject, among: 'cifar10' },
          signal,
          report,
        ),
      (found) => {
        this.#nearest = { explanation, found };
      },
    );
  }
}
