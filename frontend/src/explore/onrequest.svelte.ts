/* Maps that take seconds to minutes, computed on request. */

import { isServed, reasonOf } from '../lib/client';
import { act } from './actions';
import { showNotice } from './notices';
import type { Explorer } from './state.svelte';
import { CANCELLED, Task } from './task.svelte';
import { explanationOf } from './view.svelte';

export class OnRequest {
  readonly explorer: Explorer;
  readonly task: Task;
  running = $state.raw<string | null>(null); // the method

  constructor(explorer: Explorer) {
    this.explorer = explorer;
    this.task = new Task(explorer);
  }

  /** Compute the map of a method for the explained class, and show it. */
  async compute(method: string) {
    const { explorer } = this;
    const { ablation, choices, predictedClass, maps } = explorer;
    const explanation = explanationOf(explorer);
    const target = ablation && !choices.target.length ? [predictedClass] : choices.target;
    this.running = method;
    const reply = await this.task.run('map_on_request', { method, target });
    if (reply === CANCELLED) return;
    this.running = null;
    const isCurrent = explanationOf(explorer) === explanation && explorer.maps === maps; // not of another image or class
    if (!isCurrent || !explorer.faithfulness) return;
    if (!isServed(reply)) return showNotice(explorer, reasonOf(reply), true);
    explorer.maps = { ...explorer.maps, [method]: reply.map };
    const { scores, random_baseline } = explorer.faithfulness;
    explorer.faithfulness = { random_baseline, scores: { ...scores, [method]: reply.score } };
    act(explorer, { method });
  }

  cancel() {
    this.running = null;
    this.task.cancel();
  }

  /** Cancel by the button, and say so. */
  interrupt() {
    const name = this.explorer.method(this.running)?.name;
    this.cancel();
    if (name) showNotice(this.explorer, `${name}: canceled. The map needs all of its forward passes.`);
  }
}
