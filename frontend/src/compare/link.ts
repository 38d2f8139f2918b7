/* The address of the page, read at the start and on Back. */

import { isServed, reasonOf, refreshModels } from '../lib/client';
import { firstImage } from '../lib/images';
import { readAddress } from './address';
import { refresh } from './requests';
import { ATTENTION } from './sides';
import type { ComparePage } from './state.svelte';
import { named, params, uploads } from './write';

/** Adopt the comparison of the address. */
export function follow(page: ComparePage) {
  const linked = readAddress(params(), page.catalog, uploads());
  const checkpoint = linked.a.checkpoint || page.models[0].name;
  const model = page.models.find(({ name }) => name === checkpoint);
  const image = linked.a.image ?? firstImage(page.catalog, model);
  const { mode, patch_mode: patchMode } = linked.ablation;
  Object.assign(page, { kind: linked.kind, own: linked.b, mode, patchMode, linked });
  page.a = { ...linked.a, checkpoint, image };
  page.settled = null; // if it fails, the nearest comparison is shown
  page.uploading = { a: null, b: null };
  page.followed = named();
}

/** Adopt the address and show its comparison; what is not here is named, and the nearest comparison shown. */
async function open(page: ComparePage) {
  const { model, b, compare } = Object.fromEntries(params());
  const isNewer = (name?: string) => name && !page.models.some((one) => one.name === name);
  if (isNewer(model) || (compare === 'model' && isNewer(b))) await refreshLists(page);
  follow(page);
  const { missing } = page.linked ?? { missing: [] };
  await refresh(page);
  if (page.isError) await openNearest(page);
  if (missing.length && !page.isError) page.showNotice(missing.join(' '));
}

/** Show samples in the default map where a link cannot be shown, with the reason. */
async function openNearest(page: ComparePage) {
  const reason = page.status;
  const image = firstImage(page.catalog);
  page.a = { ...page.a, image, map: ATTENTION };
  page.own = { ...page.own, image: null };
  if (page.kind === 'snapshot') page.a = { ...page.a, checkpoint: page.models[0].name };
  await refresh(page);
  if (!page.isError) page.showNotice(reason, true);
}

/** Load the images, show the comparison of the address, and follow the address while the page is on screen. */
export async function start(page: ComparePage, root: HTMLElement) {
  page.root = root;
  const images = await page.host.request('compare_images', {});
  if (!isServed(images)) {
    page.showNotice(reasonOf(images), true);
    page.state = 'error';
    return;
  }
  page.images = images;
  if (!page.models.length) {
    page.showNotice('No model found: put a checkpoint into the checkpoints folder and restart vitviz.', true);
    page.state = 'error';
    return;
  }
  await open(page);
  let isFirst = true;
  new IntersectionObserver(([entry]) => {
    if (entry.isIntersecting && !isFirst) comeBack(page);
    isFirst = false;
  }).observe(root);
  page.host.route?.onHistory(() => open(page));
}

/** Another tab may have chosen another model or image, or trained a model. */
async function comeBack(page: ComparePage) {
  page.explained.clear(); // a run may have been trained further
  await refreshLists(page);
  if (named() !== page.followed || page.state === 'error') await open(page);
}

export async function refreshLists(page: ComparePage) {
  const lists = await refreshModels(page.host.request);
  if (lists) page.models = lists.checkpoints;
}
