import { mount as mountComponent } from 'svelte';
import { followTabs } from './address';
import Masthead from './Masthead.svelte';
import { printLight, restoreTheme } from './theme';

/** Show the wordmark and the theme switch, and open the tab of the address. */
export function mount({ element }: { element: HTMLElement }): void {
  restoreTheme();
  printLight();
  mountComponent(Masthead, { target: element.firstElementChild ?? element });
  followTabs();
}
