/* The dialog "Save figure", loaded when it is first opened. */

import { flushSync, mount } from 'svelte';
import type { Explorer } from '../explorer.svelte';
import { SaveDialog } from './dialog.svelte';
import Dialog from './SaveDialog.svelte';

/** Mount the dialog in the page; the result opens it. */
export function mountDialog(explorer: Explorer): () => void {
  const saving = new SaveDialog(explorer);
  mount(Dialog, { target: explorer.root ?? explorer.host.element, props: { saving } });
  flushSync(); // the element exists before the first opening
  return () => saving.open();
}
