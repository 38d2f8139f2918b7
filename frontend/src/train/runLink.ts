/* The start of the page: the run or timeline of its address, and polls when it comes to the front. */

import { runModel, unavailable } from '../lib/address';
import { listenWhile } from '../lib/dom';
import type { Runs } from './runs.svelte';

/** Show the run or timeline of the address, or else the current run, the last run, or a bundled timeline. */
async function openAddress(runs: Runs): Promise<void> {
  const params = new URLSearchParams(location.search);
  const [run, bundled] = [params.get('run'), params.get('timeline')];
  const indexOf = (name: string) => Math.trunc(Number(params.get(name)) || 0) - 1; // counted from 1 in the address
  const isAvailable = runs.catalog.timelines.some(({ name }) => name === bundled);
  const ofAddress = run === null ? undefined : runs.named(run);
  const first = ofAddress ?? (isAvailable ? null : (runs.running ?? runs.all?.[0]));
  const model = first ? runModel(first.name) : isAvailable ? (bundled ?? undefined) : undefined;
  await runs.follow(model, Math.max(0, indexOf('probe')), indexOf('snapshot'));
  if (!run && !isAvailable && runs.runningSweep) runs.followNewest();
  if (run && !runs.named(run)) runs.status.say(unavailable('run', run, runs.followed));
  else if (bundled && !isAvailable) runs.status.say(unavailable('timeline', bundled, runs.timeline.model));
  runs.timeline.introduce(indexOf('snapshot') < 0 && !matchMedia('(prefers-reduced-motion: reduce)').matches);
}

/** Show the lists and the view of the address; poll, or load the lists, when the page or its window comes to the front:
    another window may have started something. */
export function open(runs: Runs, root: HTMLElement): void {
  const { host, catalog, timeline } = runs;
  runs.root = root;
  const load = async () => {
    if (!(await runs.load())) return;
    const { preset, minutes } = catalog.lessons[0];
    runs.form.applyPreset(preset, { minutes });
    await openAddress(runs);
  };
  const refresh = () => {
    if (!runs.isShown()) return;
    timeline.introduce();
    runs.all ? runs.poll() : load();
  };
  const watcher = new IntersectionObserver(([entry]) => {
    if (!host.element.isConnected) watcher.disconnect();
    else if (entry.isIntersecting) refresh();
  });
  watcher.observe(root);
  listenWhile(host.element, document, 'visibilitychange', refresh);
  listenWhile(host.element, window, 'focus', refresh);
  if (!host.catalog.lists.public) load();
  else if (catalog.timelines.length) openAddress(runs);
  else timeline.fail('No timeline found.');
}
