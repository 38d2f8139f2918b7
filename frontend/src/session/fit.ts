/* Which parts of a view an explanation has: those of a link or file are replaced by defaults and named, those of the
   view on screen follow another image or model. */

import { type Grid, inGrid } from '../lib/grid';
import { MEAN, POOL, type Shape, sharpestHead } from '../lib/numbers';
import { type Ablation, DEFAULT_VIEW, type Head, isSame, type Layer, type View } from '../lib/view';
import { ablationsOf } from './ablation';
import type { Explanation } from './explanation.svelte';
import { whyNot } from './panel';

type ExplanationData = Pick<Explanation, 'shape' | 'reply' | 'defaultRows' | 'subject'>;

const hasLayer = (layer: Layer, { layers, pooled }: Shape) =>
  layer === POOL ? Boolean(pooled) : layer === MEAN || layer < layers;
const hasHead = (head: Head, { heads }: Shape) => head === MEAN || head < heads;

/** The view that an explanation opens with, where a link names neither layer nor head: its sharpest late head. */
export function openingOf({ shape, defaultRows }: ExplanationData, { layer, head }: Partial<View>): View {
  const isNamed = layer !== undefined || head !== undefined;
  return { ...DEFAULT_VIEW, ...(isNamed ? {} : sharpestHead(shape, defaultRows)) };
}

/** The part of a view that an explanation has, and sentences on the rest, which has its default. */
export function fitView(view: View, explanation: ExplanationData): { view: View; missing: string[] } {
  const { shape, reply } = explanation;
  const missing: string[] = [];
  const opening = sharpestHead(shape, explanation.defaultRows);
  const query = view.query.filter((patch) => inGrid(patch, shape));
  const isNamed = hasLayer(view.layer, shape) && hasHead(view.head, shape);
  if (!isNamed) {
    missing.push(`This model has no ${headOf(view)}: ${headOf(opening)} is shown.`);
  }
  if (query.length < view.query.length) missing.push(outside(shape));
  const hasClasses = view.target.every((k) => k < reply.classes.length);
  if (!hasClasses) missing.push(`This model has ${reply.classes.length} classes: the predicted class is explained.`);
  const reason = whyGone(view, explanation);
  if (reason) missing.push(reason);
  return {
    view: {
      ...view,
      ...(isNamed ? {} : opening),
      query,
      target: hasClasses ? view.target : [],
      ...(reason ? AS_ATTENTION : {}),
    },
    missing,
  };
}

/** A view as Explore draws it: the similarity to a patch is among the features. */
export const drawable = (view: View): View =>
  view.direction === 'similar' ? { ...view, content: 'features', direction: 'from' } : view;

const AS_ATTENTION = { content: 'attention', method: null, direction: 'from' } as const;

/** Why an explanation does not have what a view shows; undefined if it does. */
function whyGone(view: View, explanation: ExplanationData): string | undefined {
  const { content, method } = drawable(view);
  if (content !== 'method' || !method) return whyNot(content, explanation);
  return explanation.reply.methods.includes(method)
    ? undefined
    : `This model has no map by ${method.replaceAll('_', ' ')}: its attention is shown.`;
}

const nameOf = (what: string, index: Layer) => `${what} ${typeof index === 'number' ? index + 1 : index}`;
const headOf = ({ layer, head }: Pick<View, 'layer' | 'head'>) => `${nameOf('layer', layer)}, ${nameOf('head', head)}`;
const outside = ({ rows, columns }: Grid) =>
  `This model has a grid of ${rows} × ${columns} patches: those outside of it are left out.`;

/** The ablations that a model has, and a sentence on the others. */
export function fitAblations(
  ablations: readonly Ablation[],
  shape: Shape,
): { ablations: Ablation[]; missing: string[] } {
  const hasHead = ([layer, head]: readonly [number, number]) =>
    !shape.captured && layer < shape.layers && head < shape.heads;
  const fitted = ablations.flatMap((ablation) =>
    ablationsOf({
      ...ablation,
      heads: ablation.heads.filter(hasHead),
      patches: ablation.patches.filter((patch) => inGrid(patch, shape)),
    }),
  );
  const isWhole = isSame(fitted, ablations);
  return {
    ablations: shape.captured ? fitted.map((one) => ({ ...one, patch_mode: 'gray' })) : fitted,
    missing: isWhole ? [] : ['Ablated heads or removed patches that this model does not have are left out.'],
  };
}

/** The view on screen after another model, image or ablation was explained. Another model opens with its sharpest late
    head; an explained class stays for the same image, by its name. */
export function viewAfter(
  view: View,
  before: ExplanationData | null,
  now: ExplanationData,
): { view: View; missing: string[] } {
  if (!before) return { view: { ...view, ...sharpestHead(now.shape, now.defaultRows) }, missing: [] };
  const isSameModel = before.subject.model === now.subject.model;
  const isSameGrid = before.shape.rows === now.shape.rows && before.shape.columns === now.shape.columns;
  const target = isSame(before.subject.image, now.subject.image)
    ? view.target.map((k) => now.reply.classes.indexOf(before.reply.classes[k]))
    : [];
  const reason = whyGone(view, now);
  return {
    view: {
      ...view,
      ...(isSameModel ? {} : sharpestHead(now.shape, now.defaultRows)),
      query: isSameGrid ? view.query : [],
      target: target.every((k) => k >= 0) ? target : [],
      ...(reason ? AS_ATTENTION : {}),
    },
    missing: reason ? [reason] : [],
  };
}
