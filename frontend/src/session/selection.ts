/* The patches of a query. */

import type { Shape } from '../lib/numbers';

export const isRemoved = (patch: number, shape: Shape) => shape.removed?.includes(patch) ?? false;

/** The selected patches: the patch under the pointer takes precedence over the pinned ones.
    @param adds whether it is added to them */
export function selectedPatches(pinned: readonly number[], hover: number, adds: boolean): readonly number[] {
  if (hover < 0) return pinned;
  if (!adds) return [hover];
  return pinned.includes(hover) ? pinned : [...pinned, hover];
}

/** Patches without removed ones, if any remain. Empty: the class token is the query. */
export function withoutRemoved(patches: readonly number[], shape: Shape): readonly number[] {
  const remaining = patches.filter((patch) => !isRemoved(patch, shape));
  return remaining.length ? remaining : patches;
}

/** A list with an item added, or removed if it is in the list. */
export const toggled = (list: readonly number[], item: number) =>
  list.includes(item) ? list.filter((other) => other !== item) : [...list, item];
