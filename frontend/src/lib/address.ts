/* The query string, which stores the view; layers, heads, patches and classes count from 0 in it. */

import { MEAN, POOL } from './numbers';
import type { Status } from './status.svelte';
import type { Head, Layer, Subject, View } from './view';

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
  history[how]({ ...history.state, ...state }, '', `${location.pathname}?${readable(params)}${location.hash}`);
  onScreen.search = location.search;
}

/** A query string in which commas, colons, semicolons and slashes are themselves. */
const readable = (params: URLSearchParams) => String(params).replace(/%(2C|3A|3B|2F)/g, decodeURIComponent);

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

/** What another page shows in Explore. */
export interface ExploreLink {
  subject: Partial<Subject>;
  view: Partial<View>;
}

/** The part that a page has in the address, given by the router of the app. */
export interface Route {
  /** Call `follow` on Back and Forward within the page. */
  onHistory: (follow: () => void) => void;
  /** Call `show` when something is to be shown in Explore. */
  onLink: (show: (link: ExploreLink) => void) => void;
  /** Show something in Explore, which may be loaded only now and then follows the address. */
  openLink: (link: ExploreLink) => void;
}

/** For an address whose model, image, run or timeline is unavailable; `shown` replaces it, if given. */
export const unavailable = (what: string, name: string, shown?: string | null) =>
  `The ${what} of this link, ${name.slice(0, 80)}, is not available${shown ? `: showing ${shown}` : ''}.`;

export const isOfRun = (name: unknown) => String(name).startsWith('runs/');
export const runName = (model: string) => model.slice('runs/'.length);
/** The model name of a run's checkpoint, by which its timeline is requested, too. */
export const runModel = (run: string) => `runs/${run}`;

/** "3,5" -> [3, 5]; what is not an index is ignored. */
export const parseIndices = (text: string | null | undefined) => [
  ...new Set(
    (text || '')
      .split(',')
      .filter((part) => /^\d{1,6}$/.test(part))
      .map(Number),
  ),
];

/** A layer or head: "3", "mean" or "pool"; null for anything else. */
export function parseLayer(text: string | null | undefined): Layer | null {
  if (text === MEAN || text === POOL) return text;
  return parseIndices(text)[0] ?? null;
}

export function parseHead(text: string | null | undefined): Head | null {
  const head = parseLayer(text);
  return head === POOL ? null : head;
}

/** The value if it is allowed, else the first allowed one. */
export const oneOf = <const T extends string>(value: string | null | undefined, allowed: readonly T[]): T =>
  allowed.find((choice) => choice === value) ?? allowed[0];

/** Copy the address.
    @param hasUpload whether it names an uploaded image */
export async function copyLink(status: Status, hasUpload: boolean) {
  const rest = hasUpload ? ' It shows the uploaded image for an hour, and afterwards another one.' : '';
  try {
    await navigator.clipboard.writeText(location.href);
    status.say(`Link copied.${rest}`);
  } catch {
    status.say(`The browser does not allow copying: copy the link from the address bar.${rest}`);
  }
}

/** The address of the view on screen, as figures print it: without the theme. */
export function printedAddress(): string {
  const address = new URL(location.href);
  address.searchParams.delete('__theme');
  return address.href;
}
