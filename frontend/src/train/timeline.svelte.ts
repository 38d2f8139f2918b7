/* What the other parts of the page need of the timeline; T2 fills it in. */

import type { Shape } from '../lib/numbers';
import type { TimelineReply } from '../lib/api';
import type { TrainPage } from './state.svelte';

export class Timeline {
  readonly page: TrainPage;
  image = $state(0); // index of the probe image
  snapshot = $state(-1); // index; the last one follows the training
  past = $state.raw<{ snapshots: unknown[] } | null>(null);
  shape = $state.raw<Shape | null>(null); // of the timeline on screen, or of the last one; for the sizes of the style sheet
  count = $state<number | undefined>(undefined); // `data-count`: snapshots, 0 without a timeline, undefined before the first response
  tickets = 0; // number of requests; responses to all but the latest are dropped

  constructor(page: TrainPage) {
    this.page = page;
  }

  /** Load a timeline from its start and show a snapshot (-1: the last one), by default the one on screen. */
  async load(_name: string | null, _place: number, _at?: number): Promise<void> {}

  /** Append new snapshots; those of a new session replace all. Null: there is no timeline. */
  add(_reply: TimelineReply | null, _stays: number | null = null): void {}

  pause(): void {}
}
