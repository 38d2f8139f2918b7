/* State of the contributions view. */

import { MEAN, type Scale, type Shape } from '../../lib/numbers';
import type { Head, Layer } from '../../lib/view';
import { type Line, signed } from '../../lib/words';
import type { Explanation } from '../../session/explanation.svelte';
import type { Panel } from '../../session/panel';
import type { Session } from '../../session/session.svelte';
import {
  type Contributions,
  contributionsOf,
  headLine,
  headline,
  headsName,
  layerOf,
  type Place,
  patchLine,
  prefixNote,
  stepLine,
  sumLine,
  tokenValues,
} from './contributions';

/** Contributions with what they are of. */
interface Found {
  explanation: Explanation;
  shape: Shape;
  classes: string[];
  data: Contributions;
}

export class ContributionsPanel implements Panel {
  readonly #session: Session;
  #found = $state.raw<Found | null>(null); // the latest
  pointed = $state.raw<Place | null>(null); // under the pointer, or focused
  readonly term = 'contribution';

  /** Those of the image on screen; while others of it are computed, the latest. */
  readonly #shown = $derived.by(() =>
    this.#found?.explanation.original === this.#session.explanation?.original ? this.#found : null,
  );
  readonly data = $derived.by(() => this.#shown?.data ?? null);
  readonly shape = $derived.by(() => this.#shown?.shape ?? null);
  readonly classes = $derived.by(() => this.#shown?.classes ?? []);
  readonly layer = $derived.by(() => {
    const { layer } = this.#session.view;
    return layer === 'pool' ? MEAN : layer;
  });
  readonly head = $derived.by(() => this.#session.view.head);
  /** Patches whose contributions alone are shown by head. */
  readonly patches = $derived.by(() => this.#session.drawing.query);

  readonly #values = $derived.by(() => {
    const { data, shape, layer, head } = this;
    return data && shape ? tokenValues(data.heads, shape, layer, head) : null;
  });
  readonly map = $derived.by(() => {
    const [values, shape] = [this.#values, this.shape];
    if (!values || !shape) return null;
    const limit = Math.max(...values.slice(shape.prefix).map(Math.abs)) || 1;
    return { values, first: shape.prefix, scale: { kind: 'signed', limit } satisfies Scale };
  });
  readonly title = $derived.by(() => headsName(this.layer, this.head));
  readonly note = $derived.by(() => {
    const [values, shape] = [this.#values, this.shape];
    return values && shape ? prefixNote(values, shape) : '';
  });
  readonly headline = $derived.by(() => {
    const [values, shape] = [this.#values, this.shape];
    if (!values || !shape) return 'Contributions to the logit';
    return headline(values, this.layer, this.head, this.classes, shape);
  });
  readonly line = $derived.by((): Line => {
    const { data, shape, pointed, layer, head, patches } = this;
    if (!data || !shape) return [];
    const { read } = this.#session.pointer;
    const values = this.#values;
    if (read >= 0 && values) return patchLine(values[shape.prefix + read], read, layer, head, shape);
    if (!pointed) return patches.length ? headLine(data, shape, layer, head, patches) : sumLine(data, this.classes);
    if (pointed.column > 0)
      return headLine(data, shape, layerOf(pointed.row, shape.layers), pointed.column - 1, patches);
    return pointed.row < data.steps.length ? stepLine(data.steps[pointed.row], data) : sumLine(data, this.classes);
  });
  readonly isReady = $derived.by(() => this.data !== null);
  readonly unit = $derived.by(() => `contribution to ${this.classes.length > 1 ? 'the difference' : 'the logit'}`);

  constructor(session: Session) {
    this.#session = session;
  }

  /** Fetch the contributions of the image and target on screen, while the component that calls this is mounted. */
  run() {
    const session = this.#session;
    $effect(() => session.usePanel(this));
    $effect(() => {
      const { explanation, target, targetNames: classes } = session;
      if (!explanation) return;
      const { subject, shape } = explanation;
      return session.status.request(
        (signal) => session.engine.request('explanations/contributions', { subject, target }, signal),
        (found) => {
          this.#found = { explanation, shape, classes, data: contributionsOf(found, shape) };
        },
        (sentence) => {
          this.#found = null;
          session.status.say(sentence, true);
        },
      );
    });
  }

  read(patch: number): [string, string] {
    const { map } = this;
    return [signed(map?.values[map.first + patch] ?? 0), 'logit'];
  }

  point(place: Place | null) {
    this.pointed = place;
  }

  /** What the map shows of a place: a head, a layer, or the sum of all heads. */
  choose({ row, column }: Place): { layer: Layer; head: Head } | null {
    const { shape } = this;
    if (!shape) return null;
    const layer = layerOf(row, shape.layers);
    if (typeof layer === 'number' && column > 0) return { layer, head: column - 1 };
    if (typeof layer === 'number' && row % 2 === 1) return { layer, head: MEAN };
    return row === 2 * shape.layers + 2 ? { layer: MEAN, head: MEAN } : null;
  }
}
