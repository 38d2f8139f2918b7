/* The timeline: attention of the class token, snapshot by snapshot. All snapshots of one image are in the browser, so
   that stepping through them needs no request. */

import { flushSync } from 'svelte';
import { runModel, updateAddress } from '../lib/address';
import { markPainted } from '../lib/dom';
import { ANNOUNCE_DELAY } from '../lib/host';
import { fillRows, MEAN, makeRows, type Rows, rowOf, type Scale, type Shape, sharpestHead } from '../lib/numbers';
import { isRefused, refusalOf } from '../lib/refused';
import type { TimelineReply, TimelineRequest } from '../lib/routes';
import { post } from '../lib/server';
import type { Head, Layer } from '../lib/view';
import { type Line, textOf } from '../lib/words';
import type { Runs } from './runs.svelte';
import { mapLine, noSnapshotsReason } from './sentences';
import { addSnapshots, type Past, type Snapshot } from './snapshots';

const STEP = 200; // ms per snapshot while playing

export class Timeline {
  readonly runs: Runs;
  state = $state<'working' | 'ready' | 'error'>('working'); // `data-state`
  wanted = $state<string | null>(null); // a bundled checkpoint, or runs/NAME: the one that was requested last
  model = $state<string | null>(null); // the one on screen; null while another one loads
  image = $state(0); // index of the probe image
  snapshot = $state(-1); // index; the last one follows the training
  past = $state.raw<Past | null>(null);
  shape = $state.raw<Shape | null>(null); // of the timeline on screen, or of the last one
  images = $state.raw<Past['images']>([]); // likewise
  count = $state<number | undefined>(undefined); // `data-count`: snapshots, 0 without a timeline, undefined before the first response
  isLive = $state<boolean | null>(null); // whether there is a timeline; null before the first response
  readonly reason = $derived.by(() => noSnapshotsReason(this.runs.run)); // if there is none
  chosen = $state.raw<{ layer: Layer; head: Head }>({ layer: MEAN, head: MEAN });
  read = $state(-1); // the patch under the pointer
  isPlaying = $state(false);
  cursor = $state<number | null>(null); // epoch of the snapshot in the charts, which are drawn at most once per frame
  tickets = 0; // number of requests; responses to all but the latest are dropped

  readonly now: Snapshot | undefined = $derived(this.past?.snapshots[this.snapshot]);
  /** The rows of the snapshot on screen, with means: a new object around the same buffers. */
  readonly maps: { rows: Rows } | null = $derived.by(() => this.#fillMaps());
  /** Limits of the color scales of all snapshots. */
  readonly limits = $derived.by(() => {
    const { snapshots } = this.past ?? {};
    return {
      heads: Math.max(...(snapshots?.map(({ limit }) => limit) ?? [1])),
      means: Math.max(...(snapshots?.map(({ meanLimit }) => meanLimit) ?? [1])),
    };
  });
  readonly #scales: { heads: Scale; means: Scale } = $derived({
    heads: { kind: 'linear', limit: this.limits.heads, clips: true, isWeight: true },
    means: { kind: 'linear', limit: this.limits.means, clips: true, isWeight: true },
  });
  readonly mapLine: Line = $derived.by(() => {
    const { maps, past, chosen, read } = this;
    if (!maps || !past) return [];
    return mapLine(rowOf(maps.rows, past.shape, chosen.layer, chosen.head), past.shape, chosen, read);
  });
  /** The epoch of the cursor in the curves, null without one. */
  readonly epochShown = $derived.by(() => {
    const { followed } = this.runs;
    return this.past && followed !== null && this.model === runModel(followed) ? this.cursor : null;
  });

  #isChosen = false; // whether the user chose a map
  #buffers: { shape: Shape; rows: Rows } | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;
  #addressTimer: ReturnType<typeof setTimeout> | undefined;
  #isDue = false; // whether the introduction is to be played
  #introduction: AbortController | null = null; // of the listeners that stop it
  #frame = 0;
  #measures = 0;

  constructor(runs: Runs) {
    this.runs = runs;
  }

  // --- loading ---

  /** Leave the timeline on screen, as another one is to be loaded. */
  leave(wanted: string | null = null) {
    this.pause();
    this.wanted = wanted;
    this.model = null;
  }

  rename(model: string, name: string) {
    if (this.wanted === model) this.wanted = name;
    if (this.model === model) this.model = name;
  }

  fail(sentence: string) {
    this.state = 'error';
    this.runs.status.say(sentence, true);
  }

  /** Load a timeline from its start and show a snapshot (-1: the last one), by default the one on screen. */
  async load(model: string | null, place: number, at = this.#stay(model)) {
    if (!model) return; // another one is loading
    const mine = ++this.tickets;
    this.state = 'working';
    const reply = await post('runs/poll', { timeline: { model, image: place, first: 0 } }).catch(refusalOf);
    if (mine !== this.tickets) return;
    if (isRefused(reply)) {
      if (this.model !== model) {
        this.model = model; // requested again by the next poll
        this.#clear();
      }
      return this.fail(reply.message);
    }
    this.runs.apply(reply.lists);
    if (mine !== this.tickets) return; // another run is followed now
    this.model = model;
    this.image = reply.timeline?.image ?? place;
    this.past = null;
    this.add(reply.timeline, at);
  }

  /** The snapshot that stays on screen when this timeline is loaded again. */
  #stay(name: string | null): number {
    const { past, snapshot, model } = this;
    return model === name && past && snapshot < past.snapshots.length - 1 ? snapshot : -1;
  }

  /** The request for the next snapshots of the followed run; null if its timeline is not on screen. */
  next(): TimelineRequest | null {
    const { followed } = this.runs;
    if (followed === null || this.model !== runModel(followed)) return null;
    return { model: this.model, image: this.image, first: this.past?.snapshots.length ?? 0 };
  }

  /** Append new snapshots, if there are any. */
  extend(reply: TimelineReply | null) {
    if (reply && (reply.first === 0 || reply.epoch.length)) this.add(reply);
  }

  /** Append new snapshots; those of a new session replace all. Null: there is no timeline. */
  add(reply: TimelineReply | null, stays: number | null = null) {
    if (!reply) return this.#clear();
    const follows = !this.past || this.snapshot >= this.past.snapshots.length - 1;
    const past = addSnapshots(this.past, reply);
    if (!past) return this.#clear();
    if (!reply.first) this.#start(past, reply.image ?? 0);
    const last = past.snapshots.length - 1;
    this.state = 'ready';
    this.count = past.snapshots.length;
    this.isLive = true;
    this.show(
      stays !== null && stays >= 0 ? Math.min(stays, last) : follows ? last : Math.min(this.snapshot, last),
      past,
    );
    this.#markPainted();
  }

  /** Begin a timeline; `image` may differ from the requested one if there are fewer. */
  #start({ shape, images, snapshots }: Past, image: number) {
    this.past = null; // until the matrix has the new shape
    this.image = image;
    if (JSON.stringify(shape) !== JSON.stringify(this.shape)) this.shape = shape;
    if (JSON.stringify(images) !== JSON.stringify(this.images)) this.images = images;
    const { layer, head } = this.chosen;
    if (!this.#isChosen || Number(layer) >= shape.layers || Number(head) >= shape.heads) {
      this.chosen = sharpestHead(shape, snapshots[snapshots.length - 1].defaultRows);
    }
  }

  #clear() {
    this.past = null;
    this.snapshot = -1;
    this.count = 0;
    this.isLive = false;
    this.state = 'ready';
    this.#markPainted();
  }

  #markPainted() {
    if (this.runs.root) markPainted(this.runs.root, `${this.model} ${this.image}`);
  }

  // --- the snapshot on screen ---

  show(place: number, past = this.past) {
    flushSync(); // what the first snapshot of a timeline needs, outside of the measurement
    const start = performance.now();
    this.past = past;
    this.snapshot = place;
    flushSync();
    if (++this.#measures % 1000 === 0) performance.clearMeasures('vitviz:snapshot');
    performance.measure('vitviz:snapshot', { start, end: performance.now() });
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.cursor = this.now?.epoch ?? null;
    });
    clearTimeout(this.#addressTimer); // not at each snapshot while playing: browsers limit the rate of changes
    this.#addressTimer = setTimeout(() => this.#updateAddress(), ANNOUNCE_DELAY);
  }

  /** Write the view into the address: images and snapshots count from 1; the last snapshot is the default. */
  #updateAddress() {
    const { followed, catalog, root } = this.runs;
    const { model } = this;
    if (!root?.clientWidth) return; // another tab is shown
    const isFirst = model === catalog.timelines[0]?.name;
    const isLast = !this.past || this.snapshot === this.past.snapshots.length - 1;
    updateAddress({
      run: followed,
      timeline: followed || isFirst ? null : model,
      probe: this.image && this.image + 1,
      snapshot: isLast ? null : this.snapshot + 1,
    });
  }

  /** Show a snapshot that was chosen by hand. */
  goTo(place: number) {
    this.pause();
    if (this.past) this.show(place);
  }

  /** Move by some snapshots. */
  step(by: number) {
    this.pause();
    if (this.past) this.show(Math.min(this.past.snapshots.length - 1, Math.max(0, this.snapshot + by)));
  }

  /** Play the timeline of a bundled checkpoint from the start, once it is on screen, until the next click or key.
      @param isDue whether this is still to be done */
  introduce(isDue = this.#isDue) {
    this.#isDue = isDue;
    if (!isDue || this.runs.followed !== null || !this.past || !this.runs.isShown()) return;
    this.#isDue = false;
    this.show(0);
    this.play();
    const stop = ({ target, key }: Event & { key?: string }) => {
      const isPlayKey = key === ' ' || (target instanceof Element && target.closest('[data-do=play]')); // it toggles playback itself
      if (!isPlayKey) this.pause();
      this.#introduction?.abort();
    };
    this.#introduction = new AbortController();
    const { signal } = this.#introduction;
    for (const type of ['pointerdown', 'keydown']) document.addEventListener(type, stop, { capture: true, signal });
  }

  play() {
    if (this.isPlaying) return this.pause();
    if (this.past && this.snapshot >= this.past.snapshots.length - 1) this.show(0);
    this.isPlaying = true;
    this.#timer = setInterval(() => {
      const isOver = !this.past || this.snapshot >= this.past.snapshots.length - 1;
      if (isOver || !this.runs.host.element.isConnected) return this.pause();
      this.show(this.snapshot + 1);
    }, STEP);
  }

  pause() {
    this.#introduction?.abort();
    clearInterval(this.#timer);
    this.isPlaying = false;
  }

  /** The scale of a map. */
  scaleOf(layer: Layer, head: Head): Scale {
    return layer === MEAN || head === MEAN ? this.#scales.means : this.#scales.heads;
  }

  // --- the selected map ---

  choose(layer: Layer, head: Head) {
    this.#isChosen = true;
    this.chosen = { layer, head };
    this.read = -1;
    this.#announce();
  }

  /** Read the value of a patch; -1: of none. */
  readPatch(patch: number) {
    if (!this.past || this.read === patch) return;
    this.read = patch;
    if (patch >= 0) this.#announce();
  }

  /** Announce the line of the map once the selection is stable. */
  #announce() {
    this.runs.status.announce(() => textOf(this.mapLine), ANNOUNCE_DELAY);
  }

  #fillMaps(): { rows: Rows } | null {
    if (!this.past || !this.now) return null;
    const { shape } = this.past;
    if (this.#buffers?.shape !== shape) this.#buffers = { shape, rows: makeRows(shape) };
    const { rows } = this.#buffers;
    fillRows(rows, shape, { defaultRows: this.now.defaultRows, full: null }, [], 'from', () => false);
    return { rows };
  }
}
