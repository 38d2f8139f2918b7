/* What the tab loads when it is opened. */

export { default } from './Compare.svelte';
export { ComparePage } from './state.svelte';
