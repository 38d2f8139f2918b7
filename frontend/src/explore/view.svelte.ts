/* What is drawn, derived from a snapshot of the state that is taken once per frame. */

import type { Explorer } from './state.svelte';

export class View {
  readonly explorer: Explorer;
  /** The method shown large; null: a head. */
  readonly method = $state.raw<string | null>(null);

  constructor(explorer: Explorer) {
    this.explorer = explorer;
  }
}
