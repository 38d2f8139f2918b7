import { mount as mountComponent } from 'svelte';
import type { LearnCatalog } from '../lib/api';
import { type GradioContext, hostOf } from '../lib/client';
import Learn from './Learn.svelte';
import { LearnPage } from './state.svelte';

export function mount(context: GradioContext<LearnCatalog>): void {
  const { element } = context;
  mountComponent(Learn, {
    target: element.firstElementChild ?? element,
    props: { page: new LearnPage(hostOf(context)) },
  });
}
