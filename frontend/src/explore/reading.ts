/* The value under the pointer, at the patch and on the color bar. */

import { place } from '../lib/numbers';
import { headNumber, methodNumber } from '../lib/words';
import { isRemoved } from './selection';
import type { View } from './view.svelte';

export interface Reading {
  number: string;
  remark: string;
  /** Of the tip on the map. */
  left: string;
  top: string;
  isBelow: boolean;
  /** On the color bar. */
  place: string;
}

export function readingOf({ readoutPatch, map, shape, layer, methodInfo, panel }: View): Reading | null {
  if (readoutPatch < 0 || !map || !shape) return null;
  const value = map.values[map.first + readoutPatch];
  const own = () => (methodInfo ? methodNumber(value, map.scale, shape) : headNumber(value, shape, layer));
  const reading = panel?.read(readoutPatch) ?? own();
  const [number, remark] = isRemoved(readoutPatch, shape) ? ['removed', ''] : reading;
  const row = Math.floor(readoutPatch / shape.columns);
  const middle = (100 * ((readoutPatch % shape.columns) + 0.5)) / shape.columns;
  return {
    number,
    remark,
    left: `${Math.min(80, Math.max(20, middle))}%`,
    top: `${(100 * (row || 1)) / shape.rows}%`,
    isBelow: row === 0,
    place: `${100 * Math.min(1, Math.max(0, place(map.scale, value)))}%`,
  };
}
