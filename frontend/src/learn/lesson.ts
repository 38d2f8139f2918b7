/* What the tab loads when it is opened. */

export { default } from './Learn.svelte';
export { LearnPage as Page } from './state.svelte';
