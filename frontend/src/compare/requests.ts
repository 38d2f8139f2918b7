/* Requests of the Compare page. */

import type { CompareReply, CompareRequest, ExplainReply, Refusal, SnapshotsReply } from '../lib/api';
import { isRefusal, isServed, NO_ANSWER, reasonOf, WORKING_DELAY } from '../lib/client';
import { inGrid, middlePatch } from '../lib/grid';
import { choiceOf } from '../lib/images';
import { floatsOf, MEAN, POOL, type Shape, sharpestHead } from '../lib/numbers';
import type { Head, Image, Layer } from '../lib/view';
import { fitAblations } from '../session/fit';
import { outside } from './address';
import {
  ATTENTION,
  ablationOfB,
  completeA,
  completeB,
  firstOfB,
  type Known,
  mapFor,
  mapsOf,
  SIMILARITY,
  targetsOf,
  type ViewState,
} from './sides';
import type { ComparePage, Shown } from './state.svelte';
import { writeAddress } from './write';

const WRITING_DELAY = 150; // ms; browsers limit the rate of address changes, and a slider makes many
const MAX_EXPLAINED = 12; // replies that are kept; the server forgets the oldest ones as well
const EXPIRED = 'An image has expired on the server. Choose it again.';
const NO_TIMELINE = (model: string) => `${model} has no snapshots: choose the shipped model or a run of Train.`;

const onlyOne = (isPublic: boolean) =>
  `Only one model is here, which is compared with itself.${isPublic ? '' : ' Open another one by Models, or train one.'}`;

/** What a comparison needs of both sides. */
interface Pair {
  a: Known;
  b: Known;
  keys: [string, string] | null; // of explanations; null of snapshots
  snapshots: SnapshotsReply | null;
}

/** Compare what is chosen and show it, unless a later choice is made; the old comparison stays until then.
    @param how of the address: in a new entry of the history, or in the current one */
export async function refresh(page: ComparePage, how: 'pushState' | 'replaceState' = 'replaceState'): Promise<void> {
  const mine = ++page.ticket;
  page.state = 'working';
  const waiting = setTimeout(() => mine === page.ticket && page.showNotice('Working…'), WORKING_DELAY);
  const isStale = () => mine !== page.ticket;
  let found = await compare(page, isStale);
  if (found === null && !isStale()) {
    page.explained.clear(); // the server has forgotten an explanation
    found = await compare(page, isStale);
  }
  clearTimeout(waiting);
  if (isStale() || found === 'stale') return;
  if (found === null || isRefusal(found)) {
    Object.assign(page, page.settled);
    page.showNotice(found ? reasonOf(found) : EXPIRED, true);
    page.state = 'error';
    return;
  }
  const isAlone = page.kind === 'model' && page.models.length < 2;
  page.showNotice(isAlone ? onlyOne(page.host.catalog.public) : '');
  const { kind, a, own, query, mode, patchMode } = page;
  Object.assign(page, { settled: { kind, a, own, query, mode, patchMode } });
  Object.assign(page, { shown: found, reading: null, state: 'ready', ready: page.ready + 1 });
  clearTimeout(page.writing);
  if (how === 'replaceState' && page.kind === 'snapshot') page.writing = setTimeout(writeAddress, WRITING_DELAY, page);
  else writeAddress(page, how);
}

async function compare(page: ComparePage, isStale: () => boolean): Promise<Shown | Refusal | null | 'stale'> {
  Object.assign(page, { own: firstOfB(page.kind, page.a, page.own, page.models, page.images.samples) });
  const pair = await pairOf(page);
  if (isStale()) return 'stale';
  if (isRefusal(pair)) return pair;
  complete(page, pair);
  const { kind, b, own, patchMode } = page;
  const keys = pair.keys && [...pair.keys];
  if (kind === 'ablation' && keys && (own.ablated.length || own.removed.length)) {
    const ablated = await page.host.request('ablate', { key: keys[0], ...ablationOfB(page, pair.a.shape) });
    if (isStale()) return 'stale';
    if (!isServed(ablated)) return ablated;
    keys[1] = ablated.key;
  }
  const request = requestOf(page, pair, keys);
  const reply: CompareReply | Refusal | null = await page.host.request('compare', request);
  if (isStale()) return 'stale';
  if (!isServed(reply)) return reply;
  const removed = kind === 'ablation' ? b.removed : [];
  const { snapshots } = pair;
  return { kind, reply, request, a: pair.a, b: pair.b, snapshots, removed, isGray: patchMode === 'gray' };
}

/** The request for the maps of both sides. */
export function requestOf(page: ComparePage, pair: Pair, keys: readonly string[] | null): CompareRequest {
  const { kind, a, b, query, isSimilarity } = page;
  const targets = targetsOf(kind, a, b, pair.a, pair.b);
  const [first, second] = [a, b].map((view, side) => ({
    key: keys ? keys[side] : null,
    snapshot: pair.snapshots ? snapshotOf(view, pair.snapshots) : null,
    method: view.map === ATTENTION || view.map === SIMILARITY ? null : view.map,
    layer: layerIn(view.layer, [pair.a, pair.b][side].shape),
    head: headIn(view.head, [pair.a, pair.b][side].shape),
    target: page.isForClass(view.map) ? targets[side] : [],
  }));
  const hasQuery = page.hasQuery && !isSimilarity && sameGrid(pair.a.shape, pair.b.shape);
  return { a: first, b: second, query: hasQuery ? [...query] : [], similarTo: isSimilarity ? (query[0] ?? 0) : null };
}

const sameGrid = (one: Shape, other: Shape) => one.rows === other.rows && one.columns === other.columns;
const headIn = (head: Head | null, { heads }: Shape) =>
  head === null || head === MEAN ? null : Math.min(head, heads - 1);

function layerIn(layer: Layer | null, { layers, pooled }: Shape): number | 'pool' | null {
  if (layer === POOL) return pooled ? 'pool' : layers - 1;
  return layer === null || layer === MEAN ? null : Math.min(layer, layers - 1);
}

function snapshotOf(view: ViewState, { images }: SnapshotsReply) {
  return { source: view.checkpoint, image: probeImage(view.image, images), index: view.snapshot ?? 0 };
}

/** The probe image of a timeline that is chosen: the sample of its name, else the first one. */
export function probeImage(image: Image | null, images: readonly { name: string }[]): number {
  return Math.max(
    0,
    images.findIndex(({ name }) => image?.kind === 'sample' && image.name === name),
  );
}

/** Choose what is not chosen yet, within the models of both sides, and what the link asked for. */
function complete(page: ComparePage, { a: first, snapshots }: Pair) {
  const { kind, linked } = page;
  const count = snapshots?.epochs.length ?? 1;
  const map = mapFor(kind, page.a.map, mapsOf(kind, page.host.catalog.methods, first.classes.length > 0));
  if (linked) {
    page.query = linked.query.slice(0, 1);
    if (kind === 'ablation') {
      const [{ heads, patches } = { heads: [], patches: [] }] = fitAblations([linked.ablation], first.shape).ablations;
      const ablated = heads.map(([layer, head]) => layer * first.shape.heads + head);
      page.own = { ...page.own, ablated, removed: patches };
    }
    page.linked = null;
    linked.missing.push(...outside(linked, first.shape, first.classes.length, count));
  }
  const query = page.query.filter((patch) => inGrid(patch, first.shape));
  page.a = completeA(kind, { ...page.a, map }, first, count);
  page.own = completeB(kind, page.a, page.own, first, count);
  page.query = page.isSimilarity && !query.length ? [middlePatch(first.shape)] : query;
}

/** What is known of both sides: from one explanation each, or one timeline. */
async function pairOf(page: ComparePage): Promise<Pair | Refusal> {
  const { a, b, kind } = page;
  if (kind === 'snapshot') {
    const snapshots = await page.host.request('compare_snapshots', { source: a.checkpoint });
    if (isRefusal(snapshots)) return snapshots;
    if (snapshots === null) return { error: NO_TIMELINE(a.checkpoint) };
    const { shape, classes, images } = snapshots;
    const known = {
      shape,
      classes,
      probabilities: [],
      src: images[probeImage(a.image, images)].src,
      opening: { layer: shape.layers - 1, head: MEAN },
    };
    return { a: known, b: known, keys: null, snapshots };
  }
  const first = await explain(page, a);
  if (!isServed(first)) return first ?? { error: NO_ANSWER };
  const second = await explain(page, b);
  if (!isServed(second)) return second ?? { error: NO_ANSWER };
  return { a: knownOf(first), b: knownOf(second), keys: [first.key, second.key], snapshots: null };
}

/** Explain the image of a side, once. */
async function explain(page: ComparePage, { checkpoint, image }: ViewState): Promise<ExplainReply | Refusal | null> {
  if (!image) return { error: 'No image found: choose one, or upload an image.' };
  const name = JSON.stringify([checkpoint, image]);
  const held = page.explained.get(name);
  if (held) return held;
  const reply = await page.host.request('explain', { checkpoint, image: choiceOf(image) });
  if (isServed(reply)) page.explained.set(name, reply);
  const [oldest] = page.explained.keys();
  if (page.explained.size > MAX_EXPLAINED) page.explained.delete(oldest);
  return reply;
}

function knownOf(reply: ExplainReply): Known {
  const { layers, heads, rows, columns, aspect, prefix, classToken, distilled, classes, probabilities, image, pool } =
    reply;
  const shape = { layers, heads, rows, columns, aspect, prefix, classToken, distilled, pooled: pool !== null };
  return { shape, classes, probabilities, src: image.src, opening: sharpestHead(shape, floatsOf(reply.cls)) };
}
