/* The query string, which stores the view; layers, heads, rows and columns count from 1 in it. */

import type { Grid } from './grid';
import { MEAN } from './numbers';

/** Write the choices into the address and notify the page frame; empty and default values are omitted.
    @param how in a new entry of the history, or in the current one
    @param state values of the entry that the address does not show, in addition to those it has */
export function updateAddress(
  values: Record<string, string | number | null | undefined>,
  defaults: Record<string, string> = {},
  how: 'pushState' | 'replaceState' = 'replaceState',
  state: Record<string, unknown> = {},
) {
  const params = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(values)) {
    params.delete(name); // so that the order is always the same
    if (value && value !== defaults[name]) params.set(name, String(value));
  }
  history[how]({ ...history.state, ...state }, '', `${location.pathname}?${params}${location.hash}`);
  window.dispatchEvent(new Event('vitviz:address'));
}

/** Event by which Internals opens a head in Explore: Explore selects it, and the masthead opens the tab. */
export const OPEN_HEAD = 'vitviz:head';

export interface OpenHead {
  checkpoint: string;
  layer: number;
  head: number;
}

declare global {
  interface WindowEventMap {
    [OPEN_HEAD]: CustomEvent<OpenHead>;
  }
}

/** For an address whose model, image, run or timeline is unavailable; `shown` replaces it, if given. */
export const unavailable = (what: string, name: string, shown?: string | null) =>
  `The ${what} of this link, ${name.slice(0, 80)}, is not available${shown ? `: showing ${shown}` : ''}.`;

export const isOfRun = (name: unknown) => String(name).startsWith('runs/');
export const runName = (source: string) => source.slice('runs/'.length);

/** A layer or head of the address, at most `count`: "3" -> 2, "mean" -> MEAN. */
export function parseNumber(text: string | null, count: number, otherwise: number) {
  if (text === 'mean') return MEAN;
  const number = Number(text);
  if (!text || !Number.isInteger(number)) return otherwise;
  return Math.min(count, Math.max(1, number)) - 1;
}

/** "4-7_5-1" -> indices in a grid; places outside of it are ignored. */
function parsePairs(text: string | null | undefined, rows: number, columns: number) {
  const indices = (text || '').split('_').map((pair) => {
    const [row, column] = pair.split('-').map(Number);
    const inside = row >= 1 && row <= rows && column >= 1 && column <= columns;
    return inside && Number.isInteger(row + column) ? (row - 1) * columns + column - 1 : -1;
  });
  return [...new Set(indices)].filter((index) => index >= 0);
}

/** "4-7_5-1" -> patches; those outside the grid are ignored. */
export const parsePatches = (text: string | null | undefined, shape: Grid) =>
  parsePairs(text, shape.rows, shape.columns);

/** "5-3_6-1", layers and heads from 1 -> ablated heads, layer * heads + head. */
export const parseHeads = (text: string | null | undefined, shape: { layers: number; heads: number }) =>
  parsePairs(text, shape.layers, shape.heads);

const pairOf = (index: number, columns: number) => `${Math.floor(index / columns) + 1}-${(index % columns) + 1}`;

/** Patches -> "4-7_5-1". */
export const patchesParam = (patches: readonly number[], shape: Grid) =>
  patches.map((patch) => pairOf(patch, shape.columns)).join('_');

/** Heads, layer * heads + head -> "5-3_6-1". */
export const headsParam = (ablated: readonly number[], shape: { heads: number }) =>
  ablated.map((k) => pairOf(k, shape.heads)).join('_');

/** "3-5" -> class indices, at most two different ones. */
export function parseClasses(text: string | null | undefined) {
  const classes = (text || '').split('-').filter(Boolean).map(Number).filter(Number.isInteger);
  return [...new Set(classes)].slice(0, 2);
}

/** The value if it is allowed, else the first allowed one. */
export const oneOf = <T extends string>(value: string | null, allowed: readonly T[]): T =>
  allowed.find((choice) => choice === value) ?? allowed[0];
