/* The explorer without a server: in a saved file, whose data is next to this module, and as a notebook widget. */

import { mount, unmount } from 'svelte';
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
import { ThemeColors } from '../lib/theme.svelte';
import { SavedEngine, type SavedFile } from '../session/savedEngine';
import { catalogOf } from './data';
import { followTheme } from './homeTheme';
import standalone from './standalone.css?inline';
import { type Model, synchronize } from './widget.svelte';

const HOME = 'vitviz-home'; // all styles are nested under it, as Gradio does on the page

/** Whether canvases can be drawn on. */
const canDraw = () => document.createElement('canvas').getContext('2d') !== null;

/** Show an explanation in an element. */
export function open(element: HTMLElement, file: SavedFile): { explorer: Explorer; close: () => void } {
  const style = document.createElement('style');
  style.textContent = `.${HOME} { ${[light, base, matrix, explore, narrow, presentation, save, standalone, print].join('\n')} }`;
  const home = document.createElement('div');
  home.className = HOME;
  element.replaceChildren(style, home);
  const endTheme = followTheme(element);
  const { subject, view, data } = file;
  const host = { element, catalog: new CatalogState(catalogOf(data)), theme: new ThemeColors(element, data.colors) };
  const explorer = new Explorer(host, new SavedEngine(file));
  let openDialog = () => {};
  const page = mount(Explore, { target: home, props: { explorer, onsave: () => openDialog() } });
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

function openFile() {
  const element = document.getElementById('vitviz');
  const data = document.getElementById('vitviz-data')?.textContent;
  if (!element || !data) return;
  if (canDraw()) open(element, JSON.parse(data));
  else element.dataset.static = '';
}

openFile();

/** What anywidget calls with the state of the widget. */
function render({ model, el }: { model: Model; el: HTMLElement }) {
  const { explorer, close } = open(el, JSON.parse(model.get('data') as string));
  const end = synchronize(model, explorer.session);
  return () => {
    end();
    close();
  };
}

export default { render };
