/* The theme of the page, and the color tables for it. */

import { pixelsOf } from './numbers';
import type { ColorTables } from './routes';

export class ThemeColors {
  readonly #element: HTMLElement;
  readonly #colors: ColorTables;
  readonly #tables: Record<string, Uint32Array> = {};
  #dark = $state.raw(false); // updated by the observer, so that drawing does not query the DOM

  constructor(element: HTMLElement, colors: ColorTables) {
    this.#element = element;
    this.#colors = colors;
    this.#dark = this.#pageIsDark();
    this.#observe();
  }

  #pageIsDark() {
    return this.#element.closest('.dark') !== null;
  }

  #observe() {
    const watcher = new MutationObserver(() => {
      if (!this.#element.isConnected) return watcher.disconnect();
      this.#dark = this.#pageIsDark();
    });
    for (const node of [document.body, document.documentElement, this.#element]) {
      watcher.observe(node, { attributes: true, attributeFilter: ['class'] });
    }
  }

  /** Whether the page is dark; reactive. */
  get isDark() {
    return this.#dark;
  }

  /** The colors of figures, whatever the theme of the page is. */
  light = () => new ThemeColors(document.createElement('div'), this.#colors);

  /** The color table of values from 0 ("seq") or around 0 ("div") in the current theme, 256 pixels; reactive. */
  table(kind: 'seq' | 'div') {
    const page = this.#dark ? 'dark' : 'light';
    const name = `${page} ${kind}`;
    this.#tables[name] ??= pixelsOf(this.#colors[page][kind]);
    return this.#tables[name];
  }
}
