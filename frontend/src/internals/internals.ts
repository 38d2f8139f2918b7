import { mount as mountComponent } from 'svelte';
import type { InternalsCatalog } from '../lib/api';
import { type GradioContext, hostOf } from '../lib/client';
import Internals from './Internals.svelte';
import { InternalsPage } from './state.svelte';

export function mount(context: GradioContext<InternalsCatalog>): void {
  const { element } = context;
  mountComponent(Internals, {
    target: element.firstElementChild ?? element,
    props: { page: new InternalsPage(hostOf(context)) },
  });
}
