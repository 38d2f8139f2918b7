/* The Explore page in Gradio. */

import { mount as mountComponent } from 'svelte';
import type { ExploreCatalog } from '../lib/api';
import { type GradioContext, hostOf } from '../lib/client';
import Explore from './Explore.svelte';
import { start } from './start';
import { Explorer } from './state.svelte';

export function mount(context: GradioContext<ExploreCatalog>) {
  const explorer = new Explorer(hostOf(context));
  mountComponent(Explore, { target: context.element, props: { explorer } });
  start(explorer);
}
