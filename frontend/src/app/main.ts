/* What Gradio's component loads: the app, and with it the styles that all pages share. */

import { mount as mountComponent } from 'svelte';
import type { GradioContext } from '../lib/host';
import { printLight, restoreTheme } from './pageTheme';

export async function mount(context: GradioContext): Promise<void> {
  restoreTheme();
  printLight();
  const { default: App } = await import('./App.svelte');
  mountComponent(App, { target: context.element, props: { context } });
}

/** Mount the page of a site, which has no server. */
export async function mountSite(element: HTMLElement): Promise<void> {
  const { openSite } = await import('./site');
  await openSite(element, mount);
}
