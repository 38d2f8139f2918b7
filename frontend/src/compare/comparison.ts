/* What the tab loads when it is opened. */

export { default } from './Compare.svelte';
export { ComparePage as Page } from './state.svelte';
