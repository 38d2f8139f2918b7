/* State of the features view. */

import { floatsOf } from '../../lib/base64';
import type { Scale } from '../../lib/numbers';
import { layerColors } from '../../lib/patchColors';
import type { Nearest, TunedLens } from '../../lib/routes';
import type { Term } from '../../lib/terms';
import { type Line, percent, written } from '../../lib/words';
import type { LargeMap } from '../../session/drawing.svelte';
import type { Report } from '../../session/engine';
import type { Explanation } from '../../session/explanation.svelte';
import type { Panel } from '../../session/panel';
import type { Session } from '../../session/session.svelte';
import { Task } from '../../session/task.svelte';
import {
  colorReading,
  colorsHeadline,
  colorsLine,
  layerShown,
  lensHeadline,
  lensLine,
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
interface Lens {
  explanation: Explanation;
  name: string; // of the class
  found: TunedLens | null; // null: not fit
  values: Float32Array; // (L + 1, N)
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
  #lens = $state.raw<Lens | null>(null); // the latest
  readonly search: Task; // for the nearest images
  readonly fit: Task; // of the tuned lens
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
    if (this.#patch < 0 || this.isLens) return null;
    return this.#known.find(({ patch }) => patch === this.#patch) ?? this.#known.at(-1) ?? null;
  });
  readonly nearest = $derived.by(() =>
    this.#nearest?.explanation === this.#session.explanation ? (this.#nearest?.found ?? null) : null,
  );
  readonly isLens = $derived.by(() => this.#session.view.lens);
  readonly lens = $derived.by(() =>
    this.isLens && this.#lens?.explanation.original === this.#session.explanation?.original ? this.#lens : null,
  );
  readonly foreground = $derived.by(() => this.#session.view.foreground);
  readonly shape = $derived.by(() => this.colors?.explanation.shape ?? null);
  readonly layer = $derived.by(() => layerShown(this.#session.view.layer, this.shape?.layers ?? 1));
  readonly scale = $derived.by(() =>
    !this.isLens && this.similarity && this.shape ? similarityScale(this.similarity.values, this.shape) : NO_SCALE,
  );
  readonly #values = $derived.by(() => {
    const { shape, layer, lens, similarity } = this;
    if (lens?.found && shape) return ofLayer(lens.values, layer + 1, shape);
    return similarity && shape ? ofLayer(similarity.values, layer, shape) : null;
  });
  readonly #pixels = $derived.by(() =>
    this.colors && !this.isLens ? ofLayer(this.colors.pixels, this.layer, this.colors.explanation.shape) : null,
  );
  readonly map = $derived.by((): LargeMap | null => {
    if (this.#values) return { values: this.#values, first: 0, scale: this.scale };
    return this.#pixels && { values: [], first: 0, scale: NO_SCALE, pixels: this.#pixels };
  });
  readonly title = $derived.by(
    () => `Layer ${this.layer + 1}, ${this.isLens ? 'tuned lens' : this.similarity ? 'similarity' : 'features'}`,
  );
  readonly headline = $derived.by(() => {
    const { shape, similarity, colors, layer, foreground, lens } = this;
    if (this.isLens) return lensHeadline(layer, this.#values, lens?.name ?? '', shape);
    if (shape && similarity && this.#values) return similarityHeadline(layer, similarity.patch, this.#values, shape);
    return colors ? colorsHeadline(layer, colors.explained[layer], foreground) : 'Features of the patch tokens';
  });
  readonly line = $derived.by((): Line => {
    const { shape, similarity, colors, layer, foreground } = this;
    const { read } = this.#session.pointer;
    if (this.isLens) return this.lens?.found ? lensLine(this.lens.found, layer) : [];
    if (shape && similarity && this.#values) return similarityLine(similarity.patch, this.#values, read, shape);
    return colors ? colorsLine(colors.explained[layer], foreground) : [];
  });
  readonly isReady = $derived.by(() => (this.isLens ? Boolean(this.lens?.found) : this.colors !== null));
  readonly saved = $derived.by(() => ({ query: this.similarity ? [this.similarity.patch] : [] }));
  readonly unit = $derived.by(() => {
    if (this.lens) return `probability of ${this.lens.name}`;
    return this.similarity ? 'cosine similarity, all layers' : '';
  });
  readonly term = $derived.by((): Term => (this.isLens ? 'tuned lens' : 'cosine similarity'));

  constructor(session: Session) {
    this.#session = session;
    this.search = new Task(session.status);
    this.fit = new Task(session.status);
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
    $effect(() => {
      if (!this.isLens || !session.explanation) return;
      const { request, keep } = this.#lensRequest(false);
      return session.status.request(
        (signal) => request(signal, () => {}),
        keep,
        (sentence) => session.status.say(sentence, true),
      );
    });
    // There is one request at a time; a query that has changed meanwhile is fetched next, so that the latest one wins.
    $effect(() => {
      const { explanation } = session;
      const patch = this.#patch;
      if (
        !explanation ||
        patch < 0 ||
        this.isLens ||
        this.#isFetching ||
        this.#known.some((one) => one.patch === patch)
      )
        return;
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
      return () => {
        this.search.cancel();
        this.fit.cancel();
      };
    });
  }

  read(patch: number): [string, string] {
    if (this.isLens) return [percent(this.#values?.[patch] ?? 0, 0), this.lens?.name ?? ''];
    if (this.#values) return [written(this.#values[patch], 2), 'cosine'];
    return colorReading(this.#pixels?.[patch] ?? 0);
  }

  /** Fit the tuned lens of the model on training images, with progress. */
  fitLens() {
    const { request, keep } = this.#lensRequest(true);
    this.fit.run(request, keep);
  }

  #lensRequest(fit: boolean) {
    const { engine, explanation, target, targetNames } = this.#session;
    return {
      request: (signal: AbortSignal, report: Report) =>
        engine.request(
          'explanations/lens',
          { subject: explanation!.subject, target: [...target], fit },
          signal,
          report,
        ),
      keep: ({ lens: found }: { lens: TunedLens | null }) => {
        const values = floatsOf(found?.values ?? '');
        this.#lens = { explanation: explanation!, name: targetNames[0], found, values };
      },
    };
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
