/* Requests of the Internals page, and its address. */

import { flushSync } from 'svelte';
import { isOfRun, unavailable, updateAddress } from '../lib/address';
import { WORKING_DELAY } from '../lib/host';
import type { Progress } from '../lib/routes';
import { isRefusal, post, stream } from '../lib/server';
import { followScrolling, placeOf, returnToPlace } from './place';
import type { Choice, InternalsPage } from './state.svelte';

const addressed = (name: string) => new URLSearchParams(location.search).get(name);

function fail(page: InternalsPage, sentence: string): void {
  if (page.shown) page.choice = page.shown;
  page.status.say(sentence, true);
  page.state = 'error';
}

const progressLine = ({ done, total, waiting }: Progress) =>
  waiting ? `Waiting: ${waiting}.` : `Working… ${done} of ${total} images`;

/** Request the probes of a model and show them, unless a later request was made; the old figures stay until then.
    Returns true once they are shown, false after an error, undefined if superseded. */
async function load(page: InternalsPage): Promise<boolean | undefined> {
  page.request.abort();
  page.request = new AbortController();
  const { choice } = page;
  const { signal } = page.request;
  page.state = 'working';
  page.status.say(null);
  const slow = setTimeout(() => page.status.notice ?? page.status.say('Working…'), WORKING_DELAY);
  const report = (progress: Progress) => {
    if (progress.done || progress.waiting) page.status.say(progressLine(progress));
  };
  const reply = await stream('models/probes', choice, report, signal).catch(() => null);
  clearTimeout(slow);
  if (!reply || signal.aborted) return undefined;
  if (isRefusal(reply)) {
    fail(page, reply.error);
    return false;
  }
  page.reply = reply;
  page.shown = choice;
  page.status.say(null);
  page.draw();
  page.state = 'ready';
  flushSync();
  return true;
}

/** Load the user's choice. The address is updated only after success, so that a reload does not repeat the error. */
export async function choose(page: InternalsPage, change: Partial<Choice>): Promise<void> {
  page.choice = { ...page.choice, ...change };
  if (change.model !== undefined) await loadAddress(page);
  else if (!(await load(page))) return;
  writeAddress(page);
}

/** Load the model and images of the address, or a chosen model; one that does not fit the test images is shown over
    the samples, with the reason. */
async function loadAddress(page: InternalsPage): Promise<void> {
  const { choice } = page;
  if ((await load(page)) !== false || choice.images === 'samples') return;
  const reason = page.status.notice;
  page.choice = { ...choice, images: 'samples' };
  const isShown = await load(page);
  if (isShown) {
    writeAddress(page);
    page.status.say(reason);
  } else if (isShown === false) {
    page.choice = page.shown ?? choice;
  }
}

function writeAddress(page: InternalsPage): void {
  if (!page.shown || !page.root?.clientWidth) return; // another tab is shown
  page.followed = page.shown.model;
  updateAddress({ ...page.shown }, { images: 'samples' });
}

/** Adopt the model that was chosen on another tab, taken from the address. Returns whether it changed. */
function follow(page: InternalsPage): boolean {
  const chosen = addressed('model');
  const isNew = chosen !== page.followed && page.isKnown(chosen) && chosen !== page.choice.model;
  page.followed = chosen;
  if (isNew && chosen) page.choice = { ...page.choice, model: chosen };
  return isNew;
}

async function refreshLists(page: InternalsPage): Promise<void> {
  const lists = await post('models', {});
  if (!isRefusal(lists)) page.showLists(lists.models, lists.cifar);
}

async function refresh(page: InternalsPage, isBack: boolean): Promise<void> {
  await refreshLists(page);
  if (follow(page) || page.state === 'error') await loadAddress(page);
  else if (isBack) returnToPlace(page);
}

export async function retry(page: InternalsPage): Promise<void> {
  await loadAddress(page);
  if (page.shown) page.root?.querySelector<HTMLElement>('.stage')?.focus({ preventScroll: true }); // the button disappears
}

/** Redraw when the width changes; refresh the lists whenever the page comes on screen. */
function watch(page: InternalsPage, root: HTMLElement): void {
  new ResizeObserver(() => {
    if (root.clientWidth && root.clientWidth !== page.drawnWidth) page.draw();
  }).observe(root);
  let isFirst = true;
  new IntersectionObserver(([entry]) => {
    if (entry.isIntersecting) refresh(page, !isFirst);
    isFirst = false;
  }).observe(root);
  followScrolling(page, root);
}

/** Show the model and the images of the address. */
export async function start(page: InternalsPage, root: HTMLElement): Promise<void> {
  page.root = root;
  const linked = addressed('model');
  const isNew = linked !== null && !page.isKnown(linked); // opened or trained since the page was loaded
  if (isNew || isOfRun(linked) || addressed('images') !== null) await refreshLists(page);
  if (!page.models.length) {
    return fail(page, 'No model found: put a checkpoint into the checkpoints folder and restart vitviz.');
  }
  const isTest = page.cifar.available && addressed('images') === 'test';
  page.choice = { model: page.models[0].name, images: isTest ? 'test' : 'samples' };
  follow(page);
  page.place = placeOf(addressed('figure'));
  watch(page, root);
  await loadAddress(page);
  returnToPlace(page);
  const { followed } = page;
  if (page.reply && followed && !page.isKnown(followed))
    page.status.say(unavailable('model', followed, page.choice.model));
}
