/* The explorer without a server, in an element. */

import { type Component, mount, unmount } from 'svelte';
import Explore from '../explore/Explore.svelte';
import explore from '../explore/explore.css?inline';
import { Explorer } from '../explore/explorer.svelte';
import narrow from '../explore/narrow.css?inline';
import presentation from '../explore/present.css?inline';
import { mountDialog } from '../explore/save/mount';
import save from '../explore/save.css?inline';
import base from '../lib/base.css?inline';
import { CatalogState } from '../lib/catalog.svelte';
import light from '../lib/light.css?inline';
import matrix from '../lib/matrix.css?inline';
import print from '../lib/print.css?inline';
import type { Catalog } from '../lib/routes';
import { ThemeColors } from '../lib/theme.svelte';
import type { Engine } from '../session/engine';
import type { SavedFile } from '../session/savedEngine';
import { followTheme } from './homeTheme';
import standalone from './standalone.css?inline';

const HOME = 'vitviz-home'; // all styles are nested under it, as Gradio does on the page

/** Show an explanation in an element. */
export function open(
  element: HTMLElement,
  file: SavedFile,
  engine: Engine,
  lists: Catalog,
  styles: readonly string[] = [],
  root: Component<{ explorer: Explorer; onsave: () => void }> = Explore,
): { explorer: Explorer; close: () => void } {
  const style = document.createElement('style');
  style.textContent = `.${HOME} { ${[light, base, matrix, explore, narrow, presentation, save, standalone, ...styles, print].join('\n')} }`;
  const home = document.createElement('div');
  home.className = HOME;
  element.replaceChildren(style, home);
  const endTheme = followTheme(element);
  const { subject, view, data } = file;
  const host = { element, engine, catalog: new CatalogState(lists), theme: new ThemeColors(element, data.colors) };
  const explorer = new Explorer(host);
  let openDialog = () => {};
  const page = mount(root, { target: home, props: { explorer, onsave: () => openDialog() } });
  const caption = document.createElement('p');
  caption.className = 'saved-with';
  caption.textContent = data.caption;
  home.append(caption);
  openDialog = mountDialog(explorer);
  explorer.session.explain(subject, { view, missing: [] });
  return {
    explorer,
    close() {
      unmount(page);
      endTheme();
      element.replaceChildren();
    },
  };
}

/** Show the file that this module is in; where canvases cannot be drawn on, its static figure stays. */
export function openPage(show: (element: HTMLElement, file: SavedFile) => void) {
  const element = document.getElementById('vitviz');
  const data = document.getElementById('vitviz-data')?.textContent;
  if (!element || !data) return;
  if (document.createElement('canvas').getContext('2d')) show(element, JSON.parse(data));
  else element.dataset.static = '';
}
