/* The Train page: one component, mounted by Gradio. */

import { mount as mountComponent } from 'svelte';
import type { TrainCatalog } from '../lib/api';
import { type GradioContext, hostOf } from '../lib/client';
import { TrainPage } from './state.svelte';
import Train from './Train.svelte';

export function mount(context: GradioContext<TrainCatalog>): void {
  const target = context.element.firstElementChild ?? context.element;
  mountComponent(Train, { target, props: { page: new TrainPage(hostOf(context)) } });
}
