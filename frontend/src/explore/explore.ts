/* The Explore page. */

import type { Catalog } from '../lib/api';
import { type Host, NO_ANSWER } from '../lib/client';
import { showNotice } from './notices';
import { Explorer } from './state.svelte';
import './explore.css';
import './narrow.css';
import './present.css';
import './save.css';

export { default } from './Page.svelte';

export function open(host: Host<Catalog>): Explorer {
  const explorer = new Explorer(host);
  explorer.openSaveDialog = () => openSaveDialog(explorer);
  return explorer;
}

/** Load and mount the dialog at its first use; then open it. */
async function openSaveDialog(explorer: Explorer) {
  try {
    const { mountDialog } = await import('./save/save');
    explorer.openSaveDialog = mountDialog(explorer);
    explorer.openSaveDialog();
  } catch {
    showNotice(explorer, NO_ANSWER, true);
  }
}
