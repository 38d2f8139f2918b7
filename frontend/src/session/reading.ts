/* The value under the pointer, at the patch and on the color bar. */

import { place } from '../lib/numbers';
import { headNumber, methodNumber } from '../lib/words';
import type { Drawing } from './drawing.svelte';
import { isRemoved } from './selection';

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

export function readingOf({ read, map, shape, layer, method, panel }: Drawing): Reading | null {
  if (read < 0 || !map || !shape) return null;
  const value = map.values[map.first + read];
  const own = () => (method ? methodNumber(value, map.scale, shape) : headNumber(value, shape, layer));
  const reading = panel?.read(read) ?? own();
  const [number, remark] = isRemoved(read, shape) ? ['removed', ''] : reading;
  const row = Math.floor(read / shape.columns);
  const middle = (100 * ((read % shape.columns) + 0.5)) / shape.columns;
  return {
    number,
    remark,
    left: `${Math.min(80, Math.max(20, middle))}%`,
    top: `${(100 * (row || 1)) / shape.rows}%`,
    isBelow: row === 0,
    place: `${100 * Math.min(1, Math.max(0, place(map.scale, value)))}%`,
  };
}
