/* Ablated heads and removed patches of a subject. */

import { MEAN, type Shape } from '../lib/numbers';
import { type Ablation, type Head, type Layer, NOTHING_ABLATED, type Subject } from '../lib/view';

/** All heads and patches of a subject's ablations; of one mode of patches, if it is given. */
export function ablationOf({ ablations }: Pick<Subject, 'ablations'>, mode?: Ablation['patch_mode']): Ablation {
  const last = ablations.at(-1) ?? NOTHING_ABLATED;
  const kept = ablations.filter(({ patch_mode }) => mode === undefined || patch_mode === mode);
  return {
    ...last,
    heads: ablations.flatMap(({ heads }) => heads),
    patches: kept.flatMap(({ patches }) => patches),
  };
}

/** The ablations of a subject after a change of them; none without heads and patches. */
export function ablationsOf(change: Ablation): Ablation[] {
  return change.heads.length || change.patches.length ? [change] : [];
}

/** A layer or head, or all for a mean. */
export const indicesOf = (index: Layer | Head, count: number) =>
  index === MEAN ? [...Array(count).keys()] : typeof index === 'number' ? [index] : [];

/** Whether a head is ablated; for a mean, whether all of its heads are. */
export function isAblated({ heads: ablated }: Ablation, shape: Shape, layer: Layer, head: Head): boolean {
  if (!ablated.length) return false;
  const [layers, heads] = [indicesOf(layer, shape.layers), indicesOf(head, shape.heads)];
  return (
    layers.length > 0 && layers.every((l) => heads.every((h) => ablated.some(([at, one]) => at === l && one === h)))
  );
}

/** The number of heads of a layer; fewer than those of the shape in some layers of a pyramid. */
export const headsIn = (layer: Layer, { layer_heads, heads }: Shape) =>
  typeof layer === 'number' ? (layer_heads?.[layer] ?? heads) : heads;

export const LACKING = 'not in this layer';

/** Why a head or a mean has no map, "ablated" or `LACKING`; empty if it has one. */
export function whyEmpty(ablation: Ablation, shape: Shape, layer: Layer, head: Head) {
  if (typeof head === 'number' && head >= headsIn(layer, shape)) return LACKING;
  return isAblated(ablation, shape, layer, head) ? 'ablated' : '';
}

/** The heads with one added, or removed if it is in the list. */
export const toggledHead = (heads: Ablation['heads'], layer: number, head: number): Ablation['heads'] => {
  const others = heads.filter(([l, h]) => l !== layer || h !== head);
  return others.length < heads.length ? others : [...heads, [layer, head]];
};
