/* The query string, which stores the view; layers, heads, rows and columns count from 1 in it. */

import type { Grid } from './grid';
import { MEAN } from './numbers';

/** The query string of what is on screen. On Back and Forward the address has that of the new entry first. */
export const onScreen = { search: '' };

/** Change the parameters of a query string, by default the current one, and show it in the address.
    @param how in a new entry of the history, or in the current one
    @param state values of the entry that the address does not show, in addition to those it has */
export function changeAddress(
  change: (params: URLSearchParams) => void,
  how: 'pushState' | 'replaceState',
  state: Record<string, unknown> = {},
  search = location.search,
) {
  const params = new URLSearchParams(search);
  change(params);
  history[how]({ ...history.state, ...state }, '', `${location.pathname}?${params}${location.hash}`);
  onScreen.search = location.search;
}

/** Write the choices into the address; empty and default values are omitted. */
export function updateAddress(
  values: Record<string, string | number | null | undefined>,
  defaults: Record<string, string> = {},
  how: 'pushState' | 'replaceState' = 'replaceState',
  state: Record<string, unknown> = {},
) {
  const write = (params: URLSearchParams) => {
    for (const [name, value] of Object.entries(values)) {
      params.delete(name); // so that the order is always the same
      if (value && value !== defaults[name]) params.set(name, String(value));
    }
  };
  changeAddress(write, how, state);
}

export interface HeadLink {
  checkpoint: string;
  layer: number;
  head: number;
}

/** The part that a page has in the address, given by the router of the app. */
export interface Route {
  /** Call `follow` on Back and Forward within the page. */
  onHistory: (follow: () => void) => void;
  /** Call `show` when a head is to be shown in Explore. */
  onHead: (show: (head: HeadLink) => void) => void;
  /** Show a head in Explore, which may be loaded only now and then follows the address. */
  openHead: (head: HeadLink) => void;
}

/** For an address whose model, image, run or timeline is unavailable; `shown` replaces it, if given. */
export const unavailable = (what: string, name: string, shown?: string | null) =>
  `The ${what} of this link, ${name.slice(0, 80)}, is not available${shown ? `: showing ${shown}` : ''}.`;

export const isOfRun = (name: unknown) => String(name).startsWith('runs/');
export const runName = (source: string) => source.slice('runs/'.length);
/** The source of a run's timeline and the model name of its checkpoint. */
export const sourceOf = (run: string) => `runs/${run}`;

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

/** The address of the view on screen, as figures print it: without the theme. */
export function printedAddress(): string {
  const address = new URL(location.href);
  address.searchParams.delete('__theme');
  return address.href;
}
