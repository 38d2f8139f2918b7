/* What the choices select: heads and query patches. */

import { MEAN, type Shape } from '../lib/numbers';

/** A layer or head, or all for a mean. */
export const indicesOf = (index: number, count: number) => (index === MEAN ? [...Array(count).keys()] : [index]);

/** Whether a head is ablated; for a mean, whether all of its heads are.
    @param ablated layer * heads + head */
export function isAblated(ablated: number[], shape: Shape, layer: number, head: number): boolean {
  if (!ablated.length) return false;
  const heads = indicesOf(head, shape.heads);
  return indicesOf(layer, shape.layers).every((l) => heads.every((h) => ablated.includes(l * shape.heads + h)));
}

export const isRemoved = (patch: number, shape: Shape) => shape.removed?.includes(patch) ?? false;

interface Selection {
  pins: number[];
  isMultiPatchQuery: boolean;
  hover: number;
}

/** The patches selected now: the patch under the pointer takes precedence over the pinned ones. */
export function selectedPatches({ pins, isMultiPatchQuery, hover }: Selection): number[] {
  if (hover < 0) return pins;
  if (!isMultiPatchQuery) return [hover];
  return pins.includes(hover) ? pins : [...pins, hover];
}

/** The selected patches without removed ones, if any remain. Empty: the class token is the query. */
export function queryPatches(selection: Selection, shape: Shape): number[] {
  const selected = selectedPatches(selection);
  const remaining = selected.filter((patch) => !isRemoved(patch, shape));
  return remaining.length ? remaining : selected;
}

/** A list with an item added, or removed if it is in the list. */
export const toggled = (list: number[], item: number) =>
  list.includes(item) ? list.filter((other) => other !== item) : [...list, item];
