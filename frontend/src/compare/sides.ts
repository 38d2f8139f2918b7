/* The two sides of a comparison: each is a whole view, and B differs from A in the fields of one kind.
   Layers, heads, patches, snapshots and classes count from 0. */

import type { MethodInfo, ModelInfo, NamedImage } from '../lib/api';
import { largest, MEAN, POOL, type Shape } from '../lib/numbers';
import { type Ablation, type Head, type Image, isSame, type Layer } from '../lib/view';

export type Kind = 'image' | 'model' | 'snapshot' | 'method' | 'class' | 'head' | 'ablation';
export const KINDS: readonly [kind: Kind, title: string][] = [
  ['image', 'Images'],
  ['model', 'Models'],
  ['snapshot', 'Snapshots'],
  ['method', 'Methods'],
  ['class', 'Classes'],
  ['head', 'Layers and heads'],
  ['ablation', 'Ablation'],
];

export const ATTENTION = 'attention-head'; // in place of a method: the attention of a head or a mean
export const SIMILARITY = 'similarity'; // the similarity of a patch of A with all patches

/** What a side shows; null where the default is not chosen yet. */
export interface ViewState {
  checkpoint: string;
  image: Image | null;
  map: string; // a method, `ATTENTION` or `SIMILARITY`
  layer: Layer | null;
  head: Head | null;
  target: number | null; // a class; null: the predicted one
  snapshot: number | null;
  ablated: readonly number[]; // heads, layer * heads + head
  removed: readonly number[]; // patches
}

export const EMPTY: ViewState = {
  checkpoint: '',
  image: null,
  map: ATTENTION,
  layer: null,
  head: null,
  target: null,
  snapshot: null,
  ablated: [],
  removed: [],
};

/** The fields in which B has its own values. */
export const FIELDS: Record<Kind, readonly (keyof ViewState)[]> = {
  image: ['image'],
  model: ['checkpoint'],
  snapshot: ['snapshot'],
  method: ['map'],
  class: ['target'],
  head: ['layer', 'head'],
  ablation: ['ablated', 'removed'],
};

/** The view of B: that of A but for the fields of the kind. */
export function viewOfB(kind: Kind, a: ViewState, own: ViewState): ViewState {
  return { ...a, ...Object.fromEntries(FIELDS[kind].map((field) => [field, own[field]])) };
}

/** What is ablated in B. */
export function ablationOfB(
  { own, mode, patchMode }: { own: ViewState; mode: Ablation['mode']; patchMode: Ablation['patch_mode'] },
  { heads }: Shape,
): Ablation {
  const pairs = own.ablated.map((k): [number, number] => [Math.floor(k / heads), k % heads]);
  return { heads: pairs, patches: [...own.removed], mode, patch_mode: patchMode };
}

/** What is known of a side's model and image. */
export interface Known {
  shape: Shape;
  classes: readonly string[];
  probabilities: readonly number[]; // empty of snapshots
  src: string; // of the model input
  /** The head that an image opens with. */
  opening: { layer: number; head: Head };
}

/** The maps that a kind can show. */
export function mapsOf(kind: Kind, methods: readonly MethodInfo[], hasHead: boolean): [key: string, title: string][] {
  const heads: [string, string] = [ATTENTION, 'Attention of a head'];
  const similar: [string, string] = [SIMILARITY, 'Similarity to a patch of A'];
  const offered = methods.filter(({ onRequest, forClass }) => !onRequest && (hasHead || !forClass));
  const named = offered.map(({ key, name }): [string, string] => [key, name]);
  if (kind === 'snapshot') return [heads];
  if (kind === 'class') return named.filter(([key]) => offered.some((method) => method.key === key && method.forClass));
  if (kind === 'head') return [heads, similar];
  if (kind === 'method') return [heads, ...named];
  return kind === 'model' ? [heads, ...named] : [heads, similar, ...named];
}

const FIRST_METHOD = 'average';
const SECOND_METHOD = 'relevance';
const CLASS_METHOD = 'balanced_gradients';

/** The map of A that a kind shows: the one on screen if it can be shown, else a default. */
export function mapFor(kind: Kind, map: string, offered: readonly [key: string, title: string][]): string {
  const isOffered = (key: string) => offered.some(([one]) => one === key);
  if (kind === 'method' && map === ATTENTION && isOffered(FIRST_METHOD)) return FIRST_METHOD;
  if (isOffered(map)) return map;
  return isOffered(CLASS_METHOD) && kind === 'class' ? CLASS_METHOD : (offered[0]?.[0] ?? ATTENTION);
}

/** Default values of B that need no response: another image, model or method. */
export function firstOfB(
  kind: Kind,
  a: ViewState,
  b: ViewState,
  models: readonly ModelInfo[],
  samples: readonly NamedImage[],
) {
  const found = { ...b };
  if (kind === 'image' && (!b.image || isSame(b.image, a.image))) {
    const other = ['dog', ...samples.map(({ name }) => name)].find(
      (name) => samples.some((sample) => sample.name === name) && !isSame({ kind: 'sample', name }, a.image),
    );
    found.image = b.image ?? (other ? { kind: 'sample', name: other } : a.image);
  }
  if (kind === 'model' && !b.checkpoint)
    found.checkpoint = models.find(({ name }) => name !== a.checkpoint)?.name ?? a.checkpoint;
  if (kind === 'method' && (!b.map || b.map === ATTENTION))
    found.map = a.map === SECOND_METHOD ? FIRST_METHOD : SECOND_METHOD;
  return found;
}

/** A layer or head within the model, or the mean. */
export const clamped = <T extends Layer>(index: T | null, count: number, otherwise: T): T =>
  index === null ? otherwise : typeof index === 'number' ? (Math.min(index, count - 1) as T) : index;

/** The classes by falling probability. */
export const ranked = (probabilities: readonly number[]) =>
  probabilities.map((_, k) => k).sort((j, k) => probabilities[k] - probabilities[j]);

/** A side with its layer and head in its model; those of the kind "ablation" open with the mean of a layer. */
export function completeA(kind: Kind, a: ViewState, known: Known, count: number): ViewState {
  const { shape, opening } = known;
  return {
    ...a,
    layer: a.layer === POOL && !shape.pooled ? opening.layer : clamped(a.layer, shape.layers, opening.layer),
    head: clamped(a.head, shape.heads, kind === 'ablation' ? MEAN : opening.head),
    target: a.target !== null && a.target < known.classes.length ? a.target : null,
    snapshot: clamped(a.snapshot, count, 0),
  };
}

/** B's own values, completed by defaults: another head, the second most probable class, the last snapshot. */
export function completeB(kind: Kind, a: ViewState, b: ViewState, known: Known, count: number): ViewState {
  const { shape, opening } = known;
  const found = { ...b, snapshot: clamped(b.snapshot, count, count - 1) };
  if (kind === 'head') {
    const isNext = shape.heads > 1 && typeof a.head === 'number';
    const head = isNext ? (Number(a.head) + 1) % shape.heads : (a.head ?? MEAN);
    const before = typeof a.layer === 'number' && a.layer > 0 ? a.layer - 1 : shape.layers - 1;
    const layer: Layer = isNext || a.layer === null ? (a.layer ?? opening.layer) : before;
    Object.assign(found, { layer: clamped(b.layer, shape.layers, layer), head: clamped(b.head, shape.heads, head) });
  }
  if (kind === 'class' && (b.target === null || b.target >= known.classes.length)) {
    const explained = a.target ?? largest(known.probabilities);
    found.target = ranked(known.probabilities).find((k) => k !== explained) ?? explained;
  }
  if (kind === 'ablation' && !b.ablated.length && !b.removed.length)
    found.ablated = [opening.layer * shape.heads + (opening.head === MEAN ? 0 : opening.head)];
  return found;
}

/** The class of A by its name in B, for the kinds that explain the same class on both sides; null: not in B. */
export function classInB(k: number, a: readonly string[], b: readonly string[]): number | null {
  if (a === b || a.join('\n') === b.join('\n')) return k;
  const found = b.indexOf(a[k]);
  return found < 0 ? null : found;
}

/** The explained classes of both sides in a request; empty for the class that a side predicts. */
export function targetsOf(kind: Kind, a: ViewState, b: ViewState, first: Known, second: Known): [number[], number[]] {
  if (!first.classes.length) return [[], []];
  if (kind === 'image' && a.target === null) return [[], []];
  const explained = a.target ?? largest(first.probabilities);
  const inB = kind === 'class' ? b.target : classInB(explained, first.classes, second.classes);
  return [[explained], inB === null ? [] : [inB]];
}
