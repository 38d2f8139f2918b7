/* The Explore page in Gradio. */

import { mount as mountComponent } from 'svelte';
import type { ExploreCatalog } from '../lib/api';
import { type GradioContext, hostOf, NO_ANSWER } from '../lib/client';
import Explore from './Explore.svelte';
import { showNotice } from './notices';
import { start } from './start';
import { Explorer } from './state.svelte';

export function mount(context: GradioContext<ExploreCatalog>) {
  const explorer = new Explorer(hostOf(context));
  explorer.openSaveDialog = () => openSaveDialog(explorer);
  mountComponent(Explore, { target: context.element, props: { explorer } });
  start(explorer);
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
