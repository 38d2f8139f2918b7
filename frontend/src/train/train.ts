/* The Train page: one component, mounted by Gradio. */

import { mount as mountComponent } from 'svelte';
import { type GradioContext, hostOf, isRefusal } from '../lib/client';
import { TrainPage } from './state.svelte';
import Train from './Train.svelte';

/** Mount the page once its catalog is there, which the server knows only after it has imported torch. */
export async function mount(context: GradioContext<object>): Promise<void> {
  const target = context.element.firstElementChild ?? context.element;
  const host = hostOf(context);
  const catalog = await host.request('train_catalog', {});
  if (isRefusal(catalog)) target.textContent = catalog.error;
  else mountComponent(Train, { target, props: { page: new TrainPage({ ...host, catalog }) } });
}
