/* The explorer of a saved file, whose data is next to this module, and of the notebook widget. */

import { SavedEngine, type SavedFile } from '../session/savedEngine';
import { catalogOf } from './data';
import { open, openPage } from './explorer';
import { type Model, synchronize } from './widget.svelte';

const openSaved = (element: HTMLElement, file: SavedFile) =>
  open(element, file, new SavedEngine(file), catalogOf(file.data));

openPage(openSaved);

/** What anywidget calls with the state of the widget. */
function render({ model, el }: { model: Model; el: HTMLElement }) {
  const { explorer, close } = openSaved(el, JSON.parse(model.get('data') as string));
  const end = synchronize(model, explorer.session);
  return () => {
    end();
    close();
  };
}

export default { render };
