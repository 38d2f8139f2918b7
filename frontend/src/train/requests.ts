/* Following a run, and polling while something runs. */

import { isOfRun, runName, sourceOf, unavailable, updateAddress } from '../lib/address';
import type { PollReply, PollRequest, RunInfo, RunLists } from '../lib/api';
import { isServed, NO_ANSWER, reasonOf } from '../lib/client';
import { listenWhile } from '../lib/dom';
import { changeForm, chooseLesson, estimatePresets } from './checks';
import { addMetrics } from './curves';
import type { TrainPage } from './state.svelte';

const EVERY = 1000; // ms between polls during a training or download

/** Show a run (runs/NAME) with its curves and timeline, or the timeline of a bundled checkpoint, by default the first.
    @param place index of the probe image
    @param at the snapshot; -1 is the last, by default the one on screen */
export async function follow(
  page: TrainPage,
  source: string | undefined = page.catalog.sources[0]?.name,
  place: number = page.timeline.image,
  at?: number,
): Promise<void> {
  page.timeline.pause();
  page.isAwaiting = false;
  const mine = source !== undefined && isOfRun(source) ? runName(source) : null;
  page.followed = mine;
  page.overlaid = page.overlaid.filter((other) => other !== mine);
  page.source = null;
  updateAddress({ run: mine });
  page.announce();
  if (mine !== null) await fetchCurves(page, mine);
  if (page.followed !== mine) return;
  if (source) await page.timeline.load(source, place, at);
  if (page.followed !== mine) return;
  if (source && page.source === source) page.chosen = source;
  page.announce();
  wake(page);
}

/** Follow the current run of a sweep, or wait for it. */
export function followNewest(page: TrainPage): Promise<void> | undefined {
  const run = page.running;
  if (run && run.name !== page.followed) return follow(page, sourceOf(run.name));
  page.isAwaiting = !run;
  wake(page);
}

/** Apply the lists of a response: runs, sweeps, datasets. A response without them means no change. */
export function applyLists(page: TrainPage, reply: Partial<RunLists>): void {
  page.version = reply.version ?? page.version;
  if (!reply.runs) return;
  const before = page.sources.join();
  page.runs = reply.runs;
  page.sweeps = reply.sweeps ?? [];
  page.data = reply.data ?? null;
  page.overlaid = page.overlaid.filter((name) => page.runOf(name)); // others may have been deleted or renamed
  const isBusy = page.running !== undefined;
  const { form } = page;
  if (form.preset && isBusy !== page.wasBusy) changeForm(page); // estimates are made only while no run is training
  if (form.open.presets && page.wasBusy && !isBusy && !page.runningSweep) estimatePresets(page);
  page.wasBusy = isBusy;
  form.suggestName();
  if (page.source && page.sources.join() !== before) page.chosen = page.source;
  form.dropMissingChoices();
  page.announce();
  if (page.followed !== null && !page.runOf(page.followed)) follow(page); // it was deleted, possibly in another window
}

// --- metrics ---

/** Request the new metrics of a run and append them to `page.curves`. */
export async function fetchCurves(page: TrainPage, name: string): Promise<void> {
  const { session, offset } = page.curves[name] ?? { session: '', offset: 0 };
  const reply = await page.host.request('poll', { version: page.version, run: name, session, offset });
  if (isServed(reply)) append(page, name, offset, reply);
}

/** Append new metrics, those after `from`. */
function append(page: TrainPage, name: string, from: number, reply: PollReply): void {
  const curve = addMetrics(page.curves[name], from, reply);
  if (curve) page.curves = { ...page.curves, [name]: curve };
}

// --- polling ---

/** Schedule the next poll if the page is visible and something runs. */
export function wake(page: TrainPage): void {
  clearTimeout(page.timer);
  const somethingRuns = page.running || page.runningSweep || page.data?.download.running;
  if (page.isShown() && somethingRuns) page.timer = setTimeout(() => poll(page), EVERY);
}

export async function poll(page: TrainPage): Promise<void> {
  if (page.isPolling) return;
  page.isPolling = true;
  try {
    await pollOnce(page);
  } finally {
    page.isPolling = false;
    wake(page);
  }
}

async function pollOnce(page: TrainPage): Promise<void> {
  const { followed: run, timeline, source } = page;
  const { session, offset } = (run !== null && page.curves[run]) || { session: '', offset: 0 };
  const query: PollRequest = { version: page.version };
  if (run !== null) Object.assign(query, { run, session, offset });
  if (run !== null && source === sourceOf(run)) {
    query.timeline = { source, image: timeline.image, from: timeline.past ? timeline.past.snapshots.length : 0 };
  }
  const mine = timeline.tickets;
  const reply = await page.host.request('poll', query);
  page.polls++;
  if (!isServed(reply)) return page.showNotice(reasonOf(reply), true);
  if (page.notice?.sentence === NO_ANSWER) page.showNotice(null);
  if (page.version !== query.version) return; // another request was answered since, possibly with newer lists
  const trained = page.isTraining(run);
  applyLists(page, reply);
  if (run !== page.followed) return;
  if (trained && !page.isTraining(run)) page.isAwaiting = page.runningSweep !== undefined;
  if (page.isAwaiting && page.runningSweep && page.running) return followNewest(page);
  if (run !== null) append(page, run, offset, reply);
  const hasBegun = reply.whole && session !== '';
  const snapshots = reply.timeline;
  if (hasBegun) await timeline.load(page.source, timeline.image);
  else if (mine === timeline.tickets && snapshots && (snapshots.from === 0 || snapshots.epoch.length)) {
    timeline.add(snapshots);
  }
  for (const name of page.overlaid) if (page.isTraining(name)) await fetchCurves(page, name);
  if (run === null && !timeline.past) await timeline.load(page.source, timeline.image); // its response was lost
}

// --- the start ---

/** Show the run or timeline of the address, or else the current run, the last run, or a bundled timeline. */
async function openAddress(page: TrainPage): Promise<void> {
  const params = new URLSearchParams(location.search);
  const [run, bundled] = [params.get('run'), params.get('timeline')];
  const indexOf = (name: string) => Math.trunc(Number(params.get(name)) || 0) - 1; // counted from 1 in the address
  const isAvailable = page.catalog.sources.some(({ name }) => name === bundled);
  const ofAddress = run === null ? undefined : page.runOf(run);
  const first: RunInfo | null | undefined = ofAddress ?? (isAvailable ? null : (page.running ?? page.runs?.[0]));
  const source = first ? sourceOf(first.name) : isAvailable ? (bundled ?? undefined) : undefined;
  await follow(page, source, Math.max(0, indexOf('probe')), indexOf('snapshot'));
  if (!run && !isAvailable && page.runningSweep) followNewest(page);
  if (run && !page.runOf(run)) page.showNotice(unavailable('run', run, page.followed ?? undefined));
  else if (bundled && !isAvailable) page.showNotice(unavailable('timeline', bundled, page.source ?? undefined));
  page.isIntroduced = indexOf('snapshot') >= 0 || matchMedia('(prefers-reduced-motion: reduce)').matches;
  introduce(page);
}

/** Play the timeline of a bundled checkpoint once, when it is first on screen. */
function introduce(page: TrainPage): void {
  if (page.isIntroduced || page.followed !== null || !page.timeline.past || !page.isShown()) return;
  page.isIntroduced = true;
  page.timeline.introduce();
}

/** Load the lists and show the view of the address. */
async function open(page: TrainPage): Promise<void> {
  if (page.isPolling) return;
  page.isPolling = true;
  const reply = await page.host.request('poll', { version: page.version });
  page.isPolling = false;
  if (!isServed(reply)) return page.fail(reasonOf(reply));
  page.showNotice(null);
  page.form.isLoaded = true;
  applyLists(page, reply);
  chooseLesson(page, page.catalog.lessons[0]);
  await openAddress(page);
}

/** Poll, or load the lists, when the page or its window comes to the front: another window may have started something. */
function listen(page: TrainPage, root: HTMLElement): void {
  const { element } = page.host;
  const refresh = () => {
    if (!page.isShown()) return;
    introduce(page);
    page.runs ? poll(page) : open(page);
  };
  const watcher = new IntersectionObserver(([entry]) => {
    if (!element.isConnected) watcher.disconnect();
    else if (entry.isIntersecting) refresh();
  });
  watcher.observe(root);
  listenWhile(element, document, 'visibilitychange', refresh);
  listenWhile(element, window, 'focus', refresh);
}

/** Show the lists and the view of the address. */
export function start(page: TrainPage, root: HTMLElement): void {
  page.root = root;
  listen(page, root);
  if (!page.catalog.public) open(page);
  else if (page.catalog.sources.length) openAddress(page);
  else page.fail('No timeline found.');
}
