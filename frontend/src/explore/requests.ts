/* Requests about an image: its explanation, full attention, attribution maps, ablations. The latest request wins. */

import { parsePatches } from '../lib/address';
import type { AblateReply, ImageChoice, ModelList, Refusal, Requests } from '../lib/api';
import {
  ANNOUNCE_DELAY,
  isBusy,
  isRefusal,
  isServed,
  isUnreachable,
  NO_ANSWER,
  pause,
  RETRY_DELAY,
  reasonOf,
  refreshModels,
} from '../lib/client';
import { floatsOf, tokenCount, uint16Of } from '../lib/numbers';
import { writeAddressSoon } from './actions';
import type { ShapeParams } from './address';
import { announceSoon, showNotice, startWaiting, stopWaiting } from './notices';
import { sourceOf, storeRows } from './rows';
import { decodeImage, show } from './show';
import type { Explorer } from './state.svelte';
import { isSameTag, pixelTag } from './view.svelte';

export const METHODS_DELAY = 500; // ms an image stays on screen before its attribution maps are requested

export function fail(explorer: Explorer, sentence: string) {
  explorer.markers.state = 'error';
  stopWaiting(explorer);
  if (explorer.shown) Object.assign(explorer.choices, explorer.shown);
  showNotice(explorer, sentence, true);
}

/** Explain an image with a model and show the result, unless a later request was made.
    @param shapeParams the parts of the address that need the sizes of the reply */
export async function load(
  explorer: Explorer,
  checkpoint: string,
  image: ImageChoice,
  shapeParams: ShapeParams | null = null,
) {
  explorer.pendingImages++;
  await explain(explorer, checkpoint, image, shapeParams).finally(() => explorer.pendingImages--);
}

async function explain(explorer: Explorer, checkpoint: string, image: ImageChoice, shapeParams: ShapeParams | null) {
  const mine = ++explorer.ticket;
  Object.assign(explorer.choices, { checkpoint, image });
  startWaiting(explorer);
  const reply = await explorer.host.request('explain', { checkpoint, image });
  if (mine !== explorer.ticket) return;
  if (!reply || isRefusal(reply)) {
    if (reply && !isBusy(reply) && !isUnreachable(reply)) explorer.failedModel = checkpoint;
    return fail(explorer, reasonOf(reply));
  }
  const decoded = await decodeImage(reply.image.src);
  if (mine !== explorer.ticket) return;
  if (!decoded) return fail(explorer, 'The image could not be displayed. Choose another one.');
  // A query other than the class token waits for its attention: a new image must not appear with old maps.
  const { pins, direction } = explorer.choices;
  const { key, onDemand } = reply;
  const patches = shapeParams ? parsePatches(shapeParams.patch, reply) : pins;
  const needsMore = patches.length > 0 || direction === 'to';
  const { request } = explorer.host;
  const more = !needsMore
    ? null
    : await (onDemand ? request('rows', { key, patches, direction }) : request('attention', { key }));
  if (mine !== explorer.ticket) return;
  show(explorer, reply, decoded, shapeParams);
  if (onDemand && typeof more === 'string') storeRows(explorer, more, patches, direction);
  if (!onDemand && typeof more === 'string') storeFull(explorer, more, key);
  else fetchFull(explorer);
}

type Keyed =
  | 'attention'
  | 'rows'
  | 'methods'
  | 'scores'
  | 'contributions'
  | 'features'
  | 'similarity'
  | 'nearest'
  | 'map_on_request'
  | 'patch_heads'
  | 'pixel_map'
  | 'patch_tokens'
  | 'ablate'
  | 'figure'
  | 'code'
  | 'provenance';
export type Question<N extends Keyed> = N extends Keyed ? Omit<Requests[N][0], 'key'> : never;
export type Answer<N extends Keyed> = Requests[N][1];

const send = <N extends Keyed>({ host }: Explorer, name: N, question: Question<N>, key: string): Promise<Answer<N>> =>
  host.request(name, { ...question, key } as Requests[N][0]);

/** Send a request about the image on screen; if the server has evicted its explanation, recompute that first. */
export async function requestCached<N extends Keyed>(
  explorer: Explorer,
  name: N,
  question: Question<N>,
): Promise<Answer<N> | Refusal> {
  const { reply: mine, shown } = explorer;
  if (!mine || !shown) return { error: NO_ANSWER };
  const reply = await send(explorer, name, question, mine.key);
  if (reply !== null || explorer.reply !== mine) return reply;
  const again = await explorer.host.request('explain', shown);
  if (!again || isRefusal(again)) return again ?? { error: NO_ANSWER };
  if (explorer.reply !== mine) return { error: NO_ANSWER }; // dropped by the caller
  if (!areClose(again.probabilities, mine.probabilities)) {
    // its model has been trained further
    const { checkpoint, image } = explorer.choices;
    load(explorer, checkpoint, image ?? shown.image);
    return { error: 'This model has been trained further: the image is explained again.' };
  }
  mine.key = again.key;
  explorer.markers.ready = again.key;
  return send(explorer, name, question, again.key);
}

/** Whether probabilities are equal up to rounding: those of the first image may have been computed on another machine. */
const areClose = (first: number[], second: number[]) => first.every((value, k) => Math.abs(value - second[k]) < 1e-4);

/** Like `requestCached`, about the image with its ablated heads and removed patches. */
export async function requestAblated<N extends Keyed>(
  explorer: Explorer,
  name: N,
  question: Question<N>,
): Promise<Answer<N> | Refusal> {
  if (!explorer.ablation) return requestCached(explorer, name, question);
  const reply = await send(explorer, name, question, explorer.ablation.key);
  if (reply !== null) return reply;
  const failure = await fetchAblation(explorer);
  if (failure) return failure;
  return explorer.ablation
    ? send(explorer, name, question, explorer.ablation.key)
    : requestCached(explorer, name, question);
}

/** Fetch the attention between all tokens, unless the rows of each query are fetched when they are shown. */
export async function fetchFull(explorer: Explorer) {
  const { reply: mine, ablation } = explorer;
  if (mine?.onDemand) {
    explorer.markers.full = explorer.key;
    return;
  }
  const full = await (ablation
    ? explorer.host.request('attention', { key: ablation.key })
    : requestCached(explorer, 'attention', {}));
  if (explorer.reply !== mine || explorer.ablation !== ablation) return;
  if (typeof full === 'string') return storeFull(explorer, full, explorer.key);
  explorer.fullAttentionFailed = true;
  explorer.view.scheduleDraw();
}

function storeFull(explorer: Explorer, text: string, key: string) {
  const full = (explorer.host.weights ?? uint16Of)(text);
  const { shape, attention } = explorer;
  explorer.fullAttentionFailed = full.length !== shape.layers * shape.heads * tokenCount(shape) ** 2;
  if (!explorer.fullAttentionFailed && attention) {
    attention.full = full;
    explorer.markers.full = key;
  }
  explorer.view.scheduleDraw();
}

/** Fetch the maps of all methods for the explained class, then their faithfulness scores, with the heads and patches
    that are ablated now. Both are slow on the server, so they are not requested for what is shown only briefly. */
export async function fetchMethods(explorer: Explorer, delay = 0) {
  const mine = ++explorer.methodsTicket;
  const { reply: about, ablation, choices, predictedClass } = explorer;
  const target = ablation && !choices.target.length ? [predictedClass] : choices.target; // not what it predicts now
  const isStale = () => mine !== explorer.methodsTicket || explorer.reply !== about;
  if (explorer.method(choices.method)?.onRequest) {
    choices.method = null; // its map does not follow
    explorer.view.releaseMethod();
  }
  Object.assign(explorer, { faithfulness: null, leftOut: null });
  Object.assign(explorer.markers, { methods: undefined, scores: undefined });
  const state = ablation ?? about;
  if (explorer.mapsOf !== state) explorer.maps = ablation || !about ? {} : about.maps;
  explorer.mapsOf = state;
  const ofClass = new Set(explorer.catalog.methods.filter(({ forClass }) => forClass).map(({ key }) => key));
  explorer.maps = Object.fromEntries(Object.entries(explorer.maps).filter(([key]) => !ofClass.has(key))); // those of another class
  await pause(delay);
  const first = about?.onDemand && explorer.host.live ? (['quick'] as const) : []; // of large models
  for (const step of [...first, 'methods', 'scores'] as const) {
    while (explorer.pendingImages && !isStale()) await pause(METHODS_DELAY); // which they would delay
    if (isStale()) return;
    const name = step === 'scores' ? step : 'methods';
    const reply = await requestPatiently(
      explorer,
      name,
      step === 'quick' ? { target, quick: true } : { target },
      isStale,
    );
    if (isStale()) return;
    if (!reply && !explorer.host.live) return; // a notebook may have no scores
    if (!reply || isRefusal(reply)) return abandonMethod(explorer, reasonOf(reply));
    if (explorer.notice === NO_ANSWER) showNotice(explorer, null);
    if ('maps' in reply) Object.assign(explorer, { maps: reply.maps, leftOut: reply.leftOut });
    else explorer.faithfulness = reply;
    if (step !== 'quick' || explorer.leftOut) explorer.markers[name] = `${explorer.key} ${target}`;
    explorer.view.draw();
    if (explorer.view.method !== null) announceSoon(explorer, ANNOUNCE_DELAY);
    if (explorer.leftOut) return;
  }
}

/** Fetch the map of a method per pixel, unless it is there. */
export async function fetchPixels(explorer: Explorer, method: string) {
  const { ablation, choices, predictedClass } = explorer;
  const tag = pixelTag(explorer, method);
  if (isSameTag(explorer.pixelMap?.tag, tag)) return;
  const target = ablation && !choices.target.length ? [predictedClass] : choices.target;
  const reply = await requestAblated(explorer, 'pixel_map', { method, target });
  if (!isSameTag(pixelTag(explorer, method), tag)) return;
  if (isServed(reply)) explorer.pixelMap = { ...reply, tag, values: floatsOf(reply.values) };
  else showNotice(explorer, reasonOf(reply), true);
}

/** Repeat a request until the server is reachable and not busy. */
async function requestPatiently(
  explorer: Explorer,
  name: 'methods' | 'scores',
  question: Question<'methods' | 'scores'>,
  isStale: () => boolean,
) {
  for (;;) {
    const reply = await requestAblated(explorer, name, question);
    if (isStale() || !(isBusy(reply) || isUnreachable(reply))) return reply;
    if (isUnreachable(reply)) abandonMethod(explorer, NO_ANSWER);
    await pause(RETRY_DELAY);
    if (isStale()) return reply;
  }
}

/** Show why a map is missing; a map of another class that is still shown large is replaced by the head. */
function abandonMethod(explorer: Explorer, sentence: string) {
  explorer.view.releaseMethod();
  explorer.view.draw();
  showNotice(explorer, sentence, true);
}

/** Fetch and show the prediction with the ablated heads and removed patches; without any, restore the unchanged image.
    Returns the error, if there is one. */
export async function fetchAblation(explorer: Explorer): Promise<{ error: string } | undefined> {
  const mine = ++explorer.ablationTicket;
  const { reply: about, shape, choices } = explorer;
  const { ablated, removed, mode, patch_mode } = choices;
  if (!about) return undefined;
  explorer.markers.changed = undefined;
  if (!ablated.length && !removed.length) {
    showAblation(explorer, null, about.cls);
    return undefined;
  }
  const heads = ablated.map((k): [number, number] => [Math.floor(k / shape.heads), k % shape.heads]);
  const reply = await requestCached(explorer, 'ablate', { heads, patches: removed, mode, patch_mode });
  if (mine !== explorer.ablationTicket || explorer.reply !== about) return undefined;
  if (reply && !isRefusal(reply)) {
    showAblation(explorer, reply, reply.cls);
    return undefined;
  }
  Object.assign(choices, explorer.previousChanges);
  if (explorer.mapsOf !== (explorer.ablation ?? about)) fetchMethods(explorer);
  const failure = { error: reasonOf(reply) };
  showNotice(explorer, failure.error, true);
  explorer.view.scheduleDraw();
  writeAddressSoon(explorer);
  return failure;
}

function showAblation(explorer: Explorer, result: AblateReply | null, rows: string) {
  const { ablated, removed, mode, patch_mode } = explorer.choices;
  explorer.ablation = result;
  explorer.previousChanges = { ablated, removed, mode, patch_mode };
  explorer.attention = sourceOf(rows, (result ?? explorer.reply)?.pool, explorer.reply?.onDemand);
  explorer.fullAttentionFailed = false;
  explorer.shape = { ...explorer.shape, removed: result && patch_mode === 'drop' ? removed : [] };
  explorer.view.releaseMethod();
  explorer.view.draw();
  explorer.markers.changed = explorer.key;
  explorer.markers.full = undefined;
  fetchFull(explorer);
  fetchMethods(explorer, explorer.host.live ? METHODS_DELAY : 0);
  announceSoon(explorer, 0);
}

/** Refresh the lists of models and datasets: they may have changed on another tab. */
export async function refreshLists(explorer: Explorer) {
  const lists = await refreshModels(explorer.host.request);
  if (lists) showLists(explorer, lists);
}

export function showLists(explorer: Explorer, lists: ModelList) {
  explorer.catalog = { ...explorer.catalog, ...lists };
}
