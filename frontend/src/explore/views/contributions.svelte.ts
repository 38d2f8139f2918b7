/* State of the contributions view. */

import type { ExplainReply } from '../../lib/api';
import { isServed, reasonOf } from '../../lib/client';
import { MEAN, type Scale, type Shape } from '../../lib/numbers';
import { type Line, signed } from '../../lib/words';
import { showNotice } from '../notices';
import type { Panel } from '../panel';
import { requestAblated } from '../requests';
import type { Explorer } from '../state.svelte';
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

export class ContributionsPanel implements Panel {
  readonly explorer: Explorer;
  data = $state.raw<Contributions | null>(null);
  shape = $state.raw<Shape | null>(null); // of `data`
  classes = $state.raw<string[]>([]); // of `data`
  pointed = $state.raw<Place | null>(null); // under the pointer, or focused
  #reply: ExplainReply | null = null; // that of `data`
  #ticket = 0;
  readonly term = 'contribution';

  readonly layer = $derived.by(() => Math.max(MEAN, this.explorer.choices.layer));
  readonly head = $derived.by(() => this.explorer.choices.head);
  /** Patches whose contributions alone are shown by head. */
  readonly patches = $derived.by(() => this.explorer.view.query);

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
    const read = this.explorer.choices.readoutPatch;
    const values = this.#values;
    if (read >= 0 && values) return patchLine(values[shape.prefix + read], read, layer, head, shape);
    if (!pointed) return patches.length ? headLine(data, shape, layer, head, patches) : sumLine(data, this.classes);
    if (pointed.column > 0)
      return headLine(data, shape, layerOf(pointed.row, shape.layers), pointed.column - 1, patches);
    return pointed.row < data.steps.length ? stepLine(data.steps[pointed.row], data) : sumLine(data, this.classes);
  });
  readonly shown = $derived.by(() => this.data && {});
  readonly unit = $derived.by(() => `contribution to ${this.classes.length > 1 ? 'the difference' : 'the logit'}`);

  constructor(explorer: Explorer) {
    this.explorer = explorer;
  }

  read(patch: number): [string, string] {
    const { map } = this;
    return [signed(map?.values[map.first + patch] ?? 0), 'logit'];
  }

  /** Fetch the contributions of the image and target on screen. */
  async load() {
    const { explorer } = this;
    const mine = ++this.#ticket;
    const { reply, shape, targetNames, choices, ablation, predictedClass } = explorer;
    if (!reply) return;
    if (this.#reply !== reply) this.data = null;
    this.#reply = reply;
    const target = ablation && !choices.target.length ? [predictedClass] : choices.target;
    const found = await requestAblated(explorer, 'contributions', { target });
    if (mine !== this.#ticket || explorer.reply !== reply) return;
    if (isServed(found)) {
      Object.assign(this, { shape, classes: targetNames, data: contributionsOf(found, shape) });
    } else {
      this.data = null;
      showNotice(explorer, reasonOf(found), true);
    }
  }

  /** Choose what the map shows: a head, a layer, or the sum of all heads. */
  choose({ row, column }: Place) {
    const { shape } = this;
    if (!shape) return null;
    const layer = layerOf(row, shape.layers);
    if (column > 0) return { layer, head: column - 1 };
    if (row % 2 === 1 && layer >= 0) return { layer, head: MEAN };
    return row === 2 * shape.layers + 2 ? { layer: MEAN, head: MEAN } : null;
  }
}
