/* The page on screen and the history. The query string names it as `tab`, as Gradio reserves the name "page"; Explore
   has none. Where Back changes the page it changes nothing else: the pages keep their state, and so does the query
   string. Another entry of the same page belongs to the page. */

import { tick } from 'svelte';
import { changeAddress, type ExploreLink, oneOf, onScreen, type Route } from '../lib/address';
import { PAGE_NAMES, type PageName } from './pages';

const pageOf = (search: string, names: readonly PageName[]) => oneOf(new URLSearchParams(search).get('tab'), names);

function setPage(params: URLSearchParams, page: PageName): void {
  if (page === PAGE_NAMES[0]) params.delete('tab');
  else params.set('tab', page);
}

export class Router {
  readonly #names: readonly PageName[];
  page = $state.raw<PageName>(PAGE_NAMES[0]);
  readonly #followers = new Map<PageName, () => void>();
  readonly #scrolled = new Map<PageName, number>(); // px from the top, of the pages that were left
  #showLink: ((link: ExploreLink) => void) | undefined;

  constructor(names: readonly PageName[] = PAGE_NAMES) {
    this.#names = names;
    this.page = pageOf(location.search, names);
    onScreen.search = location.search;
    window.addEventListener('popstate', () => this.#goBack());
  }

  /** Show a page in a new entry of the history. */
  open(page: PageName): void {
    if (page === this.page) return;
    changeAddress((params) => setPage(params, page), 'pushState');
    this.#show(page);
  }

  /** The part that a page has in the address. */
  route(page: PageName): Route {
    return {
      onHistory: (follow) => this.#followers.set(page, follow),
      onLink: (show) => {
        this.#showLink = show;
      },
      openLink: (link) => {
        this.open('explore');
        this.#showLink?.(link);
      },
    };
  }

  #goBack(): void {
    const page = pageOf(location.search, this.#names);
    if (page === this.page) {
      onScreen.search = location.search;
      this.#followers.get(page)?.();
    } else {
      changeAddress((params) => setPage(params, page), 'replaceState', {}, onScreen.search);
      this.#show(page);
    }
  }

  async #show(page: PageName): Promise<void> {
    this.#scrolled.set(this.page, scrollY);
    this.page = page;
    await tick();
    scrollTo(0, this.#scrolled.get(page) ?? 0);
  }
}
