/* What is compared: A is a subject and a view, and B has its own values of the fields of one kind. Layers, heads, patches,
   snapshots and classes count from 0. */

import { uniqueNames } from '../explore/predictions';
import { type Grid, middlePatch } from '../lib/grid';
import type { ImageLists } from '../lib/images';
import { largest, MEAN, POOL, type Shape, sharpestHead } from '../lib/numbers';
import type { MethodInfo, ModelInfo } from '../lib/routes';
import {
  DEFAULT_VIEW,
  type Head,
  type Image,
  isSame,
  type Layer,
  NOTHING_ABLATED,
  type Subject,
  type View,
} from '../lib/view';
import { headsIn } from '../session/ablation';
import type { Explanation } from '../session/explanation.svelte';
import { fitAblations } from '../session/fit';

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

/** The kinds that can be compared: without a server there are no snapshots, and no model can be opened. */
export const kindsFor = ({ static: isStatic, models }: { static?: boolean; models: readonly unknown[] }) =>
  KINDS.filter(([kind]) => !isStatic || (kind !== 'snapshot' && (kind !== 'model' || models.length > 1)));

/** Values of B. */
export type Own = Partial<Subject> & Partial<View>;

/** The fields in which B has its own values. */
export const FIELDS: Record<Kind, readonly (keyof (Subject & View))[]> = {
  image: ['image'],
  model: ['model'],
  snapshot: ['snapshot'],
  method: ['content', 'method', 'direction'],
  class: ['target'],
  head: ['layer', 'head'],
  ablation: ['ablations'],
};

export const OF_SUBJECT: readonly Kind[] = ['image', 'model', 'snapshot', 'ablation'];

const pick = (values: Own, names: readonly (keyof Own)[]): Own =>
  Object.fromEntries(names.filter((name) => values[name] !== undefined).map((name) => [name, values[name]]));

/** The values that are set, of the fields of a kind. */
export const ownOf = (kind: Kind, values: Own) => pick(values, FIELDS[kind]);

/** The values of B that stay when A gets another model, whose classes, heads and patches may differ. */
export const keptOf = (own: Own) => pick(own, ['image', 'model', ...FIELDS.method]);

// Maps

export const ATTENTION = 'attention-head'; // of a head or a mean
export const FEATURES = 'features'; // of the patch tokens of a layer, as colors
export const SIMILARITY = 'similar'; // of a patch of A with all patches

/** The map that a view shows: a method, `FEATURES`, `ATTENTION` or `SIMILARITY`. */
export function mapOf({ content, method, direction }: Pick<View, 'content' | 'method' | 'direction'>): string {
  if (content === 'method' && method) return method;
  if (content === 'features') return FEATURES;
  return content === 'attention' && direction === 'similar' ? SIMILARITY : ATTENTION;
}

/** The fields of a view that show a map. */
export function fieldsOf(map: string): Pick<View, 'content' | 'method' | 'direction'> {
  if (map === ATTENTION) return { content: 'attention', method: null, direction: 'from' };
  if (map === FEATURES) return { content: 'features', method: null, direction: 'from' };
  if (map === SIMILARITY) return { content: 'attention', method: null, direction: 'similar' };
  return { content: 'method', method: map, direction: 'from' };
}

/** The maps that a kind can show of what is explained, in A and, of another model, in B.
    @param lacks methods that the engine does not compute */
export function mapsOf(
  kind: Kind,
  methods: readonly MethodInfo[],
  sides: readonly { explanation: Pick<Explanation, 'shape' | 'reply'> | null }[],
  lacks: readonly string[] = [],
): [key: string, title: string][] {
  const known = (kind === 'model' ? sides : sides.slice(0, 1)).flatMap(({ explanation }) => explanation ?? []);
  const hasHead = known[0]?.reply.classes.length !== 0;
  const hasFeatures = !known.some(({ shape }) => shape.captured);
  const heads: [string, string] = [ATTENTION, 'Attention of a head'];
  const similar: [string, string][] = hasFeatures ? [[SIMILARITY, 'Similarity to a patch of A']] : [];
  const features: [string, string][] = hasFeatures ? [[FEATURES, 'Features as colors']] : []; // aligned by the places of one image
  const offered = methods.filter(
    ({ key, onRequest, forClass }) =>
      !onRequest &&
      !lacks.includes(key) &&
      (hasHead || !forClass) &&
      known.every(({ reply }) => reply.methods.includes(key)),
  );
  const named = offered.map(({ key, name }): [string, string] => [key, name]);
  if (kind === 'snapshot') return [heads];
  if (kind === 'class') return named.filter(([key]) => offered.some((method) => method.key === key && method.forClass));
  if (kind === 'head') return [heads, ...similar, ...features];
  if (kind === 'method') return [heads, ...named];
  if (kind === 'model') return [heads, ...features, ...named];
  return [heads, ...similar, ...(kind === 'ablation' ? features : []), ...named];
}

const FIRST_METHOD = 'average';
const SECOND_METHOD = 'relevance';
const THIRD_METHOD = 'rollout'; // which all models have
const CLASS_METHOD = 'balanced_gradients';

/** The map of A that a kind shows: the one on screen if it can be shown, else a default. */
export function mapFor(kind: Kind, map: string, offered: readonly [key: string, title: string][]): string {
  const isOffered = (key: string) => offered.some(([one]) => one === key);
  if (kind === 'method' && map === ATTENTION && isOffered(FIRST_METHOD)) return FIRST_METHOD;
  if (isOffered(map)) return map;
  return isOffered(CLASS_METHOD) && kind === 'class' ? CLASS_METHOD : (offered[0]?.[0] ?? ATTENTION);
}

/** The view of A with a map that B's model has too. */
export const sharedView = (kind: Kind, view: View, offered: readonly [key: string, title: string][]): View =>
  kind === 'model' ? { ...view, ...fieldsOf(mapFor(kind, mapOf(view), offered)) } : view;

// Defaults of B

/** The classes by decreasing probability. */
const rankClasses = (probabilities: readonly number[]) =>
  probabilities.map((_, k) => k).sort((j, k) => probabilities[k] - probabilities[j]);

type ExplanationData = Pick<Explanation, 'subject' | 'shape' | 'defaultRows'> & {
  reply: Pick<Explanation['reply'], 'probabilities' | 'methods'>;
};
type Lists = Pick<ImageLists, 'samples'> & { models: readonly Pick<ModelInfo, 'name'>[] };

/** B's values of the fields of a kind unless others are chosen: another image, model or method, the last snapshot, the
    second most probable class, another head, or the ablation of a head.
    @param snapshots their number */
export function defaultsOf(
  kind: Kind,
  { subject, ...a }: ExplanationData,
  view: View,
  lists: Lists,
  snapshots: number,
): Own {
  const { shape, reply } = a;
  if (kind === 'image') return { image: otherImage(subject.image, lists) };
  if (kind === 'model') return { model: lists.models.find(({ name }) => name !== subject.model)?.name };
  if (kind === 'snapshot') return { snapshot: snapshots - 1 };
  if (kind === 'method') {
    const isOther = (key: string) => key !== view.method && reply.methods.includes(key);
    return fieldsOf([SECOND_METHOD, FIRST_METHOD, THIRD_METHOD].find(isOther) ?? ATTENTION);
  }
  if (kind === 'class') {
    const explained = view.target[0] ?? largest(reply.probabilities);
    return { target: [rankClasses(reply.probabilities).find((k) => k !== explained) ?? explained] };
  }
  if (kind === 'head') return otherHead(view, shape);
  if (shape.captured) return { ablations: [{ ...NOTHING_ABLATED, patches: [middlePatch(shape)], patch_mode: 'gray' }] };
  const { layer, head } = effectiveHead(view) ?? sharpestHead(shape, a.defaultRows);
  return { ablations: [{ ...NOTHING_ABLATED, heads: [[layer, head]] }] };
}

function otherImage(image: Image, { samples }: Lists): Image {
  const names = ['dog', ...samples.map(({ name }) => name)].filter((name) => samples.some((one) => one.name === name));
  const other = names.find((name) => !isSame({ kind: 'sample', name }, image));
  return other ? { kind: 'sample', name: other } : image;
}

/** A head whose ablation changes the map of a single head: one of the layer before. */
const effectiveHead = ({ layer, head }: View) =>
  typeof layer === 'number' && layer > 0 && head !== MEAN ? { layer: layer - 1, head } : null;

function otherHead({ layer, head }: View, shape: Shape): Pick<View, 'layer' | 'head'> {
  const heads = headsIn(layer, shape);
  if (heads > 1 && head !== MEAN) return { layer, head: (head + 1) % heads };
  return { layer: typeof layer === 'number' && layer > 0 ? layer - 1 : shape.layers - 1, head };
}

// Both views

/** The values of B that exist in the model of A. */
export function fitOwn(own: Own, { shape, reply }: Pick<Explanation, 'shape' | 'reply'>): Own {
  const found = { ...own };
  if (own.ablations) found.ablations = fitAblations(own.ablations, shape).ablations;
  if (own.target?.some((k) => k >= reply.classes.length)) delete found.target;
  return found;
}

const headIn = (head: Head, { heads }: Shape) => (head === MEAN ? MEAN : Math.min(head, heads - 1));

function layerIn(layer: Layer, { layers, pooled }: Shape): Layer {
  if (layer === POOL) return pooled ? POOL : layers - 1;
  return layer === MEAN ? MEAN : Math.min(layer, layers - 1);
}

export const sameGrid = (one: Grid, other: Grid) => one.rows === other.rows && one.columns === other.columns;

/** The index in B of a class of A, by name; null if B does not have it. */
export function classInB(k: number, a: readonly string[], b: readonly string[]): number | null {
  if (a === b || a.join('\n') === b.join('\n')) return k;
  const found = b.indexOf(a[k]);
  return found < 0 ? null : found;
}

type Side = Pick<Explanation, 'shape' | 'predictedClass'> & { reply: Pick<Explanation['reply'], 'classes'> };

/** The views of both sides in a request: what the kind does not compare is that of A, as far as B's model has it.
    @param query patches of A */
export function viewsOf(
  kind: Kind,
  view: View,
  own: Own,
  query: readonly number[],
  [a, b]: readonly [Side, Side],
  isForClass: (map: string) => boolean,
): [View, View] {
  const { layer, head } = view;
  const shown = { ...DEFAULT_VIEW, ...fieldsOf(mapOf(view)), layer, head };
  const other = { ...shown, ...(OF_SUBJECT.includes(kind) ? {} : own) };
  const isOfHead = [shown, other].some(({ content }) => content === 'attention') && kind !== 'snapshot';
  const shared = isOfHead && sameGrid(a.shape, b.shape) ? [...query] : [];
  const [first, second] = targetsOf(kind, view.target, own.target ?? [], a, b);
  return [
    { ...shown, query: shared, target: isForClass(mapOf(shown)) ? first : [] },
    {
      ...other,
      layer: layerIn(other.layer, b.shape),
      head: headIn(other.head, b.shape),
      query: shared,
      target: isForClass(mapOf(other)) ? second : [],
    },
  ];
}

/** The explained classes: that of A on both sides, by its name; of two images the class that each predicts. */
function targetsOf(
  kind: Kind,
  target: readonly number[],
  own: readonly number[],
  a: Side,
  b: Side,
): [number[], number[]] {
  if (!a.reply.classes.length || (kind === 'image' && !target.length)) return [[], []];
  const explained = target[0] ?? a.predictedClass;
  const inB = kind === 'class' ? (own[0] ?? null) : classInB(explained, a.reply.classes, b.reply.classes);
  return [[explained], inB === null ? [] : [inB]];
}

/** The classes as options, after the class that is explained without a choice. */
export const classOptions = (classes: readonly string[], predicted: string | null): [value: string, text: string][] => [
  ...(predicted === null ? [] : [['', predicted] as [string, string]]),
  ...uniqueNames(classes).map((name, k): [string, string] => [String(k), name]),
];

/** The target of an option. */
export const targetOf = (option: string) => (option === '' ? [] : [Number(option)]);
