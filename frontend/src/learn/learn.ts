import { mount as mountComponent } from 'svelte';
import type { LearnCatalog } from '../lib/api';
import { type GradioContext, hostOf } from '../lib/client';

const UNAVAILABLE = 'A script of this page could not be loaded. Check that vitviz is still running, then reload.';

/** Mount the lesson, which is loaded when its tab is opened. */
export async function mount(context: GradioContext<LearnCatalog>): Promise<void> {
  const { element } = context;
  try {
    const { default: Lesson, LearnPage } = await import('./lesson');
    mountComponent(Lesson, {
      target: element.firstElementChild ?? element,
      props: { page: new LearnPage(hostOf(context)) },
    });
  } catch {
    element.textContent = UNAVAILABLE;
  }
}
