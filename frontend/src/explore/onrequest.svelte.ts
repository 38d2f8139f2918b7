/* Maps that take seconds to minutes, computed on request: progress, and interruption. */

import type { Requests } from '../lib/api';
import { isServed, pause, reasonOf } from '../lib/client';
import { act } from './actions';
import { showNotice } from './notices';
import { requestAblated } from './requests';
import type { Explorer } from './state.svelte';

const PROGRESS_DELAY = 400; // ms between requests for the progress

export class OnRequest {
  readonly explorer: Explorer;
  running = $state.raw<Requests['on_request_progress'][0] | null>(null);
  progress = $state.raw(0); // 0..1

  constructor(explorer: Explorer) {
    this.explorer = explorer;
  }

  /** Compute the map of a method for the explained class, and show it. */
  async compute(method: string) {
    const { explorer } = this;
    const { ablation, choices, predictedClass, key, maps } = explorer;
    const target = ablation && !choices.target.length ? [predictedClass] : choices.target;
    const mine = { key, method, target, action: 'state' } as const;
    Object.assign(this, { running: mine, progress: 0 });
    this.#watch(mine);
    const reply = await requestAblated(explorer, 'map_on_request', { method, target });
    if (this.running === mine) this.running = null;
    if (explorer.key !== key || explorer.maps !== maps || !explorer.faithfulness) return; // of another image or class
    if (!isServed(reply)) return showNotice(explorer, reasonOf(reply), true);
    if (!reply.map) return; // interrupted
    explorer.maps = { ...explorer.maps, [method]: reply.map };
    const { scores, random_baseline } = explorer.faithfulness;
    explorer.faithfulness = { random_baseline, scores: { ...scores, [method]: reply.score } };
    act(explorer, { method });
  }

  async #watch(mine: Requests['on_request_progress'][0]) {
    for (await pause(PROGRESS_DELAY); this.running === mine; await pause(PROGRESS_DELAY)) {
      const state = await this.explorer.host.request('on_request_progress', mine);
      if (this.running === mine && isServed(state) && state.total) this.progress = state.done / state.total;
    }
  }

  cancel() {
    const { running, explorer } = this;
    this.running = null;
    if (running) explorer.host.request('on_request_progress', { ...running, action: 'cancel' });
  }
}
