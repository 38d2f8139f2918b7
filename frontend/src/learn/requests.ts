/* Requests of the Learn page, and its address. */

import { unavailable, updateAddress } from '../lib/address';
import { isRefusal, isServed, reasonOf, refreshModels, WORKING_DELAY } from '../lib/client';
import { choiceOf, firstImage, heldUpload, imageName, imageTitle, parseImage } from '../lib/images';
import { floatsOf, sharpestHead } from '../lib/numbers';
import { type Choices, paramsOf, readChoices } from './address';
import { flipped } from './flips';
import type { LearnPage } from './state.svelte';
import { passOf } from './state.svelte';
import { STEPS, stepOf } from './steps';

const addressed = (name: string) => new URLSearchParams(location.search).get(name);
const POINTER_RESTS = 300; // ms after which the choices are written into the address

/** Request the pass of the chosen model on the chosen image, unless a later request was made.
    @param isLinked whether layer, head and patches are those of the address */
export async function load(page: LearnPage, isLinked = false): Promise<void> {
  const mine = ++page.ticket;
  const { checkpoint, image } = page;
  if (!image) return page.showNotice('No image found.', true);
  page.state = 'working';
  const waiting = setTimeout(() => mine === page.ticket && page.showNotice('Working…'), WORKING_DELAY);
  const reply = await page.host.request('explain', { checkpoint, image: choiceOf(image) });
  const lesson = isServed(reply) ? await page.host.request('lesson', { key: reply.key }) : reply;
  clearTimeout(waiting);
  if (mine !== page.ticket) return;
  if (!isServed(reply) || !isServed(lesson)) {
    Object.assign(page, page.shown);
    page.showNotice(reasonOf(lesson), true);
    page.state = 'error';
    return;
  }
  page.showNotice('');
  const pass = passOf(reply, lesson);
  const { layer, head } = sharpestHead(pass.shape, pass.rows);
  const isSame = page.pass?.reply.checkpoint === checkpoint;
  Object.assign(page, { pass, attention: null, embedding: null, similar: null, without: null, removed: [] });
  Object.assign(page, { training: undefined, flips: null, ownBest: 0, shown: { checkpoint, image } });
  if (!isSame) Object.assign(page, { layer, head, dimension: 0 });
  page.patch = Math.floor((pass.shape.rows * pass.shape.columns + pass.shape.columns) / 2);
  if (isLinked) await adoptChoices(page);
  page.state = 'ready';
  writeAddress(page);
  await refresh(page);
}

/** Adopt the choices of the address, and say which ones this model does not have. */
async function adoptChoices(page: LearnPage): Promise<void> {
  const { pass, current } = page;
  if (!pass) return;
  const params = new URLSearchParams(location.search);
  const { choices, missing } = readChoices(params, current.id, pass.shape, pass.lesson.model.embedDim);
  const { removed, ...others } = choices;
  Object.assign(page, others);
  if (missing.length) page.showNotice(missing.join(' '));
  if (removed?.length && String(removed) !== String(page.removed)) await remove(page, removed);
}

type Need = 'attention' | 'embedding' | 'similar' | 'training';
const NEEDS: Record<string, Need> = {
  overview: 'embedding',
  attention: 'attention',
  embedding: 'embedding',
  positions: 'embedding',
  contributions: 'similar',
  training: 'training',
};

/** Request what the figure of the step needs for the reader's choices. The latest choice wins. */
export async function refresh(page: LearnPage): Promise<void> {
  const { step } = page;
  page.settled = -1;
  await request(page);
  if (page.step === step) page.settled = step;
}

async function request(page: LearnPage): Promise<void> {
  const { pass, layer, head, patch, dimension } = page;
  const need = NEEDS[page.current.id];
  if (!pass || !need) return;
  const { key } = pass.reply;
  const isCurrent = () =>
    page.pass === pass &&
    page.patch === patch &&
    page.layer === layer &&
    page.head === head &&
    page.dimension === dimension;
  if (need === 'attention') {
    if (page.attention?.layer === layer && page.attention.head === head) return;
    const found = await page.host.request('lesson_head', { key, layer, head });
    if (!isServed(found)) return fail(page, found);
    succeed(page);
    const [query, keys, values] = [found.query, found.keys, found.values].map(floatsOf);
    if (page.pass === pass && page.layer === layer && page.head === head)
      page.attention = { layer, head, size: found.size, query, keys, values };
  } else if (need === 'embedding') {
    const found = await page.host.request('lesson_patch', { key, patch, dimension });
    if (!isServed(found)) return fail(page, found);
    succeed(page);
    if (isCurrent()) page.embedding = found;
  } else if (need === 'similar') {
    const found = await page.host.request('similarity', { key, patch });
    if (!isServed(found)) return fail(page, found);
    succeed(page);
    if (isCurrent()) page.similar = floatsOf(found.values);
  } else if (page.training === undefined) {
    const image = page.shown?.image;
    const name = image?.kind === 'sample' ? image.name : '';
    const found = await page.host.request('lesson_training', { checkpoint: pass.reply.checkpoint, name });
    if (page.pass !== pass) return;
    if (isRefusal(found)) return fail(page, found);
    page.training = found;
  }
}

/** A request was served: an error of an earlier one is over. */
function succeed(page: LearnPage) {
  if (page.isError) page.showNotice('');
}

function fail(page: LearnPage, reply: unknown) {
  page.showNotice(isRefusal(reply) ? reasonOf(reply) : 'The image has expired on the server. Reload the page.', true);
}

/** Remove patches, or put them back, and request the prediction without them. */
export async function remove(page: LearnPage, patches: readonly number[]): Promise<void> {
  const { pass } = page;
  page.removed = patches;
  if (!pass) return;
  writeAddress(page);
  if (!patches.length) {
    page.without = null;
    return;
  }
  const found = await page.host.request('lesson_remove', { key: pass.reply.key, patches: [...patches] });
  if (page.removed !== patches || page.pass !== pass) return;
  if (!isServed(found)) return fail(page, found);
  succeed(page);
  Object.assign(page, { without: found, answered: patches });
  if (page.isOffered(patches) || !flipped(pass.reply.probabilities, found)) return;
  page.ownBest = Math.min(page.ownBest || patches.length, patches.length);
  revealFlips(page); // the game is won
}

/** Request the fewest patches known to change the answer, and how many random ones do. */
export async function revealFlips(page: LearnPage): Promise<void> {
  const { pass } = page;
  if (!pass || page.flips) return;
  page.flips = 'working';
  const found = await page.host.request('lesson_flip', { key: pass.reply.key });
  if (page.pass !== pass) return;
  page.flips = isServed(found) ? found : null;
  if (!isServed(found)) fail(page, found);
}

/** Change what the reader has chosen in the figures. */
export function pick(page: LearnPage, change: Partial<Omit<Choices, 'removed'>>) {
  Object.assign(page, change);
  clearTimeout(page.addressTimer);
  page.addressTimer = window.setTimeout(() => writeAddress(page), POINTER_RESTS);
  refresh(page);
}

export function goTo(page: LearnPage, step: number) {
  const next = Math.min(Math.max(step, 0), STEPS.length - 1);
  const how = next === page.step ? 'replaceState' : 'pushState';
  page.step = next;
  page.showNotice(''); // of the step before
  writeAddress(page, how);
  page.root?.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  if (page.root && page.root.getBoundingClientRect().top < 0) page.root.scrollIntoView();
  refresh(page);
}

export function writeAddress(page: LearnPage, how: 'pushState' | 'replaceState' = 'replaceState') {
  if (!page.root?.clientWidth) return; // another tab is shown
  const image = page.image ? imageName(page.image) : null;
  page.followed = `${page.checkpoint} ${image}`;
  clearTimeout(page.addressTimer);
  const choices = page.pass ? paramsOf(page.current.id, page) : {};
  updateAddress({ model: page.checkpoint, image, step: page.current.id, ...choices }, { step: STEPS[0].id }, how);
}

/** Adopt step, model and image of the address; returns whether the pass is another one. */
function follow(page: LearnPage): boolean {
  page.step = stepOf(addressed('step'));
  const [checkpoint, image] = [addressed('model'), addressed('image')];
  const before = `${page.checkpoint} ${page.image && imageName(page.image)}`;
  const catalog = { ...page.host.catalog, checkpoints: page.models };
  if (checkpoint && page.isKnown(checkpoint)) page.checkpoint = checkpoint;
  page.checkpoint ||= page.models[0].name;
  const model = page.models.find(({ name }) => name === page.checkpoint);
  const upload = heldUpload(history.state);
  const held = upload && imageName(upload) === image ? upload : parseImage(image, catalog);
  page.image = held ?? page.image ?? firstImage(catalog, model);
  return `${page.checkpoint} ${page.image && imageName(page.image)}` !== before;
}

/** What of the link is not here. */
function missing(page: LearnPage, checkpoint: string | null, image: string | null, step: string | null) {
  const shown = page.image ? imageName(page.image) : '';
  const sentences = [];
  if (checkpoint && checkpoint !== page.checkpoint) sentences.push(unavailable('model', checkpoint, page.checkpoint));
  if (image && image !== shown) sentences.push(unavailable('image', image, page.image ? imageTitle(page.image) : ''));
  if (step && !STEPS.some(({ id }) => id === step)) sentences.push(unavailable('step', step, page.current.title));
  return sentences.join(' ');
}

/** Show the step, the model and the image of the address, now and whenever the page comes on screen. */
export async function start(page: LearnPage, root: HTMLElement): Promise<void> {
  page.root = root;
  if (!page.models.length)
    return page.showNotice('No model found: put a checkpoint into the checkpoints folder and restart vitviz.', true);
  const linked = addressed('model');
  if (linked !== null && !page.isKnown(linked)) await refreshLists(page);
  const asked = [linked, addressed('image'), addressed('step')] as const;
  follow(page);
  const absence = missing(page, ...asked);
  await load(page, true);
  if (absence && !page.isError) page.showNotice([absence, page.status].filter(Boolean).join(' '));
  let isFirst = true;
  new IntersectionObserver(([entry]) => {
    if (entry.isIntersecting && !isFirst) comeBack(page);
    isFirst = false;
  }).observe(root);
  page.host.route?.onHistory(() => comeBack(page));
}

async function comeBack(page: LearnPage) {
  const linked = addressed('model');
  if (linked !== null && !page.isKnown(linked)) await refreshLists(page);
  if (follow(page) || page.state === 'error') return load(page, true);
  await adoptChoices(page);
  await refresh(page);
}

async function refreshLists(page: LearnPage) {
  const lists = await refreshModels(page.host.request);
  if (lists) page.models = lists.checkpoints;
}

/** Choose a model or an image. */
export function choose(page: LearnPage, change: Partial<Pick<LearnPage, 'checkpoint' | 'image'>>) {
  Object.assign(page, change);
  load(page);
}
