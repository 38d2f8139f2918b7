/* A page that is loaded when its tab is opened. */

import { type Component, mount } from 'svelte';
import { type GradioContext, type Host, hostOf } from './client';

interface Module<C, P> {
  default: Component<{ page: P }>;
  Page: new (host: Host<C>) => P;
}

const UNAVAILABLE = 'A script of this page could not be loaded. Check that vitviz is still running, then reload.';

/** A function that loads a page and mounts it. */
export const mountOf =
  <C extends object, P>(load: () => Promise<Module<C, P>>) =>
  async (context: GradioContext<C>): Promise<void> => {
    const { element } = context;
    try {
      const { default: component, Page } = await load();
      mount(component, {
        target: element.firstElementChild ?? element,
        props: { page: new Page(hostOf(context)) },
      });
    } catch {
      element.textContent = UNAVAILABLE;
    }
  };
