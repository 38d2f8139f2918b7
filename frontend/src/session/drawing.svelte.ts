/* What is drawn and said, derived from a session. While something new is computed, the last complete one stays. */

import { scoreSentence } from '../lib/faithfulness';
import {
  type Direction,
  fillRows,
  hasQuery,
  MEAN,
  makeRows,
  POOL,
  type Rows,
  rowOf,
  type Scale,
  uniformWeight,
} from '../lib/numbers';
import type { Limits, MethodInfo } from '../lib/routes';
import type { Head, Layer } from '../lib/view';
import { type Line, mapName, methodTitle, textOf } from '../lib/words';
import { ablationOf, whyEmpty } from './ablation';
import type { Explanation } from './explanation.svelte';
import type { PixelMap } from './methods.svelte';
import { readingOf } from './reading';
import { mapScale, methodScale } from './scales';
import type { Session } from './session.svelte';
import { headlineOf, lineOf, pointedLine } from './viewSentences';

/** The marks on image and map; they follow the pointer even while the maps are loading. */
export interface Marks {
  query: readonly number[];
  removed: readonly number[];
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

/** The attention that is drawn. */
interface Drawn {
  explanation: Explanation;
  query: readonly number[];
  direction: Direction;
}

/** A method that is shown large, with the classes that its map is for. */
interface ShownMethod {
  explanation: Explanation;
  info: MethodInfo;
  values: number[];
  classes: readonly string[];
}

const REMOVING = 'Click or drag over patches to remove them, again to restore them.';
const NO_LIMITS: Limits = { heads: 1, means: 1 };

export class Drawing {
  readonly #session: Session;
  #lastDrawn: Drawn | null = null;
  #lastMethod: ShownMethod | null = null;

  readonly drawn = $derived.by((): Drawn | null => {
    const { explanation, query, direction } = this.#session;
    if (explanation && hasQuery(explanation, query, direction)) this.#lastDrawn = { explanation, query, direction };
    return this.#lastDrawn;
  });
  readonly explanation = $derived.by(() => this.drawn?.explanation ?? null);
  readonly shape = $derived.by(() => this.explanation?.shape ?? null);
  readonly layer = $derived.by(() => this.#session.view.layer);
  readonly head = $derived.by(() => this.#session.view.head);
  readonly query = $derived.by(() => this.drawn?.query ?? []);
  readonly direction = $derived.by(() => this.drawn?.direction ?? 'from');
  readonly read = $derived.by(() => this.#session.pointer.read);
  readonly ablation = $derived.by(() => this.#session.ablation);

  readonly #buffers = $derived.by(() => (this.shape ? makeRows(this.shape) : null));
  /** The rows of the query; a new object whenever the values change. */
  readonly rows = $derived.by((): Rows | null => {
    const [drawn, buffers] = [this.drawn, this.#buffers];
    if (!drawn || !buffers) return null;
    const { explanation, query, direction } = drawn;
    const ablation = ablationOf(explanation.subject);
    fillRows(buffers, explanation.shape, explanation, query, direction, (layer, head) =>
      Boolean(whyEmpty(ablation, explanation.shape, layer, head)),
    );
    return { ...buffers };
  });
  /** The upper ends of the shared scales, the same for every query and with ablations. */
  readonly limits = $derived.by(() => this.explanation?.reply.limits[this.direction] ?? NO_LIMITS);
  readonly #sharedScales = $derived.by(
    (): Record<'heads' | 'means', Scale> => ({
      heads: { kind: 'linear', limit: this.limits.heads, clips: true, isWeight: true },
      means: { kind: 'linear', limit: this.limits.means, clips: true, isWeight: true, isOfMeans: true },
    }),
  );

  /** The method to show; pointing at the image shows the heads. */
  readonly #requested = $derived.by(() => {
    const { catalog, pointer, view } = this.#session;
    return pointer.hover < 0 && view.content === 'method' ? catalog.method(view.method) : undefined;
  });
  /** The method that is shown: that of another class stays until the new map is there. */
  readonly #method = $derived.by((): ShownMethod | null => {
    const info = this.#requested;
    const { explanation, methods, targetNames } = this.#session;
    if (!info || !explanation) return null;
    const values = methods.maps[info.key];
    if (values) this.#lastMethod = { explanation, info, values, classes: targetNames };
    const last = this.#lastMethod;
    return !methods.isFailed && last?.info.key === info.key && last.explanation === explanation ? last : null;
  });
  /** The method whose map has not arrived: that of the heads is shown until then. */
  readonly awaited = $derived.by(() => {
    const { found, isFailed, canceled } = this.#session.methods;
    return this.#method || isFailed || canceled || found?.isComplete ? undefined : this.#requested;
  });
  /** Whether the map of a method is still that of another class. */
  readonly isMethodHeld = $derived.by(
    () => this.#method !== null && !this.#session.methods.maps[this.#method.info.key],
  );
  readonly method = $derived.by(() => this.#method?.info);
  /** Names of the explained class and of the contrast class, if any. */
  readonly classes = $derived.by(() => this.#method?.classes ?? this.#session.targetNames);
  /** Of a content other than the attention, unless a method is shown. */
  readonly panel = $derived.by(() => (this.method ? null : this.#session.panel));

  readonly map = $derived.by((): LargeMap | null => {
    if (this.panel?.map !== undefined) return this.panel.map;
    if (!this.shape || !this.rows) return null;
    if (this.#method) {
      const { info, values } = this.#method;
      const fine = this.#session.methods.pixels ?? undefined;
      return { values, first: 0, scale: methodScale(info, fine?.values ?? values), fine };
    }
    const row = rowOf(this.rows, this.shape, this.layer, this.head);
    return { values: row, first: this.shape.prefix, scale: this.scaleOf(row, this.layer, this.head) };
  });
  readonly scale = $derived.by(() => (this.map?.pixels ? null : (this.map?.scale ?? null)));
  /** Why the selected head has no map; empty if it has one. */
  readonly whyEmpty = $derived.by(() => (this.shape ? whyEmpty(this.ablation, this.shape, this.layer, this.head) : ''));
  readonly title = $derived.by(() => {
    if (!this.map) return '';
    if (this.panel) return this.panel.title;
    return this.method ? methodTitle(this.method, this.classes) : mapName(this.layer, this.head);
  });
  readonly reading = $derived.by(() => readingOf(this));
  readonly headline = $derived.by((): string => headlineOf(this));
  readonly line = $derived.by((): Line => lineOf(this, this.#session.methods.scores, this.#session.hasHead));

  readonly #framed = $derived.by(() => (this.method ? [] : this.#session.query));
  /** The patch under the pointer, which a click removes; -1 for none. */
  readonly #removable = $derived.by(() => (this.#session.pointer.removes ? this.#session.pointer.hover : -1));
  readonly imageMarks = $derived.by(
    (): Marks => ({
      query: this.#removable < 0 ? this.#framed : [this.#removable],
      removed: this.ablation.patches,
      readout: this.read,
    }),
  );
  readonly mapMarks = $derived.by(
    (): Marks => ({
      ...this.imageMarks,
      query: this.layer === POOL ? [] : this.#framed,
    }),
  );
  readonly isClassTokenQuery = $derived.by(
    () => !this.#session.query.length && this.#session.view.content !== 'method',
  );

  /** The status line without notices. */
  readonly status = $derived.by((): Line => {
    const { catalog, methods, pointer, status } = this.#session;
    if (status.notice !== null) return [status.notice];
    const pointed = methods.hasScores ? catalog.method(pointer.method) : undefined;
    if (pointed && pointed !== this.method) return [scoreSentence(pointed, methods.scores)];
    return pointer.removes ? [REMOVING] : this.line;
  });
  readonly spoken = $derived.by(() => {
    const [patch, shape] = [this.#removable, this.shape];
    const pointed = patch < 0 || !shape ? '' : `${pointedLine(patch, shape)} `;
    return `${pointed}${this.headline}. ${textOf(this.status)}`;
  });

  constructor(session: Session) {
    this.#session = session;
  }

  /** The scale of the row of a head or a mean. */
  scaleOf(row: Float32Array, layer: Layer, head: Head): Scale {
    const { scale } = this.#session.view;
    if (scale === 'map' && this.shape) return mapScale(row, this.shape);
    if (scale === 'uniform') {
      return { kind: 'uniform', uniform: this.shape ? uniformWeight(this.shape, layer) : 1, isWeight: true };
    }
    return this.#sharedScales[layer === MEAN || head === MEAN ? 'means' : 'heads'];
  }
}
