/* Requests of the Internals page, and its address. */

import { flushSync } from 'svelte';
import { isOfRun, unavailable, updateAddress } from '../lib/address';
import type { ProbesRequest } from '../lib/api';
import { isRefusal, reasonOf, refreshModels, WORKING_DELAY } from '../lib/client';
import { followScrolling, placeOf, returnToPlace } from './place';
import type { InternalsPage } from './state.svelte';

const addressed = (name: string) => new URLSearchParams(location.search).get(name);

function fail(page: InternalsPage, sentence: string): void {
  if (page.shown) Object.assign(page, page.shown);
  else page.isEmpty = true;
  page.showNotice(sentence, true);
  page.state = 'error';
}

/** Request the probes of a model and show them, unless a later request was made; the old figures stay until then.
    Returns true once they are shown, false after an error, undefined if superseded. */
async function load(page: InternalsPage): Promise<boolean | undefined> {
  const mine = ++page.ticket;
  const { request } = page;
  page.state = 'working';
  page.showNotice(null);
  const waiting = setTimeout(() => mine === page.ticket && page.showNotice('Working…'), WORKING_DELAY);
  const reply = await page.host.request('probes', request);
  clearTimeout(waiting);
  if (mine !== page.ticket) return undefined;
  if (!reply || isRefusal(reply)) {
    fail(page, reasonOf(reply));
    return false;
  }
  page.reply = reply;
  page.shown = request;
  page.showNotice(null);
  page.isEmpty = false;
  page.draw();
  page.state = 'ready';
  page.ready = `${request.checkpoint} ${request.images}`;
  flushSync();
  return true;
}

/** Load the user's choice. The address is updated only after success, so that a reload does not repeat the error. */
export async function choose(page: InternalsPage, change: Partial<ProbesRequest>): Promise<void> {
  Object.assign(page, change);
  if (change.checkpoint !== undefined) await loadAddress(page);
  else if (!(await load(page))) return;
  writeAddress(page);
}

/** Load the model and images of the address, or a chosen model; one that does not fit the test images is shown over
    the samples, with the reason. */
async function loadAddress(page: InternalsPage): Promise<void> {
  const { request } = page;
  if ((await load(page)) !== false || request.images === 'samples') return;
  const reason = page.status;
  Object.assign(page, request, { images: 'samples' });
  const isShown = await load(page);
  if (isShown) {
    writeAddress(page);
    page.showNotice(reason);
  } else if (isShown === false) {
    Object.assign(page, page.shown ?? request);
  }
}

function writeAddress(page: InternalsPage): void {
  if (!page.shown || !page.root?.clientWidth) return; // another tab is shown
  page.followed = page.shown.checkpoint;
  const { checkpoint: model, ...rest } = page.shown;
  updateAddress({ model, ...rest }, { images: 'samples' });
}

/** Adopt the model that was chosen on another tab, taken from the address. Returns whether it changed. */
function follow(page: InternalsPage): boolean {
  const chosen = addressed('model');
  const isNew = chosen !== page.followed && page.isKnown(chosen) && chosen !== page.checkpoint;
  page.followed = chosen;
  if (isNew && chosen) page.checkpoint = chosen;
  return isNew;
}

async function refreshLists(page: InternalsPage): Promise<void> {
  const lists = await refreshModels(page.host.request);
  if (lists) page.showLists(lists);
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
  page.checkpoint = page.models[0].name;
  if (page.cifar.available && addressed('images') === 'test') page.images = 'test';
  follow(page);
  page.place = placeOf(addressed('figure'));
  watch(page, root);
  await loadAddress(page);
  returnToPlace(page);
  const { followed } = page;
  if (page.reply && followed && !page.isKnown(followed))
    page.showNotice(unavailable('model', followed, page.checkpoint));
}
