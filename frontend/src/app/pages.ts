/* The pages, whose modules are loaded when they are first opened. */

import type { Component } from 'svelte';
import type { Host } from '../lib/host';
import type { Catalog } from '../lib/routes';

/** A page: its component, and a function that makes its state and rejects with a sentence. */
interface PageModule<P> {
  default: Component<{ page: P }>;
  open: (host: Host) => P | Promise<P>;
}

export interface OpenedPage {
  component: Component<{ page: unknown }>;
  page: unknown;
}

const UNAVAILABLE = 'A script of this page could not be loaded. Check that vitviz is still running, then reload.';

const opener =
  <P>(load: () => Promise<PageModule<P>>) =>
  async (host: Host): Promise<OpenedPage> => {
    const module = await load().catch(() => {
      throw new Error(UNAVAILABLE);
    });
    return { component: module.default as Component<{ page: unknown }>, page: await module.open(host) };
  };

/** The pages, of which the first is the default; their names are those of their tabs. */
export const PAGES = {
  explore: opener(() => import('../explore/explore')),
  compare: opener(() => import('../compare/compare')),
  train: opener(() => import('../train/train')),
  internals: opener(() => import('../internals/internals')),
  learn: opener(() => import('../learn/learn')),
};

export type PageName = keyof typeof PAGES;
export const PAGE_NAMES = Object.keys(PAGES) as PageName[];

/** The pages that can be opened: without a server nothing is trained. */
export const namesFor = ({ static: isStatic }: Pick<Catalog, 'static'>) =>
  PAGE_NAMES.filter((name) => !isStatic || name !== 'train');
