import { mount as mountComponent } from 'svelte';
import type { CompareCatalog } from '../lib/api';
import { type GradioContext, hostOf } from '../lib/client';

const UNAVAILABLE = 'A script of this page could not be loaded. Check that vitviz is still running, then reload.';

/** Mount the comparison, which is loaded when its tab is opened. */
export async function mount(context: GradioContext<CompareCatalog>): Promise<void> {
  const { element } = context;
  try {
    const { default: Compare, ComparePage } = await import('./comparison');
    mountComponent(Compare, {
      target: element.firstElementChild ?? element,
      props: { page: new ComparePage(hostOf(context)) },
    });
  } catch {
    element.textContent = UNAVAILABLE;
  }
}
