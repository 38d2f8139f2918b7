/* Runs, sweeps and datasets: which there are, the run on screen with its curves, and changes. They are polled while
   something runs. */

import { isOfRun, runModel, runName, updateAddress } from '../lib/address';
import { blobOf, saveBlob } from '../lib/dom';
import type { Host } from '../lib/host';
import { isRefused, NO_RESPONSE, type RefusedError, refusalOf } from '../lib/refused';
import type { DataInfo, Metrics, Routes, RunInfo, RunLists, SweepInfo, TrainCatalog } from '../lib/routes';
import { post, type Route } from '../lib/server';
import { Status } from '../lib/status.svelte';
import { Checks } from './checks.svelte';
import { addMetrics, type Curve } from './curves';
import { Form } from './form.svelte';
import { Images } from './imageFolder.svelte';
import { bundledWords, isRunning, runWords, type Words } from './sentences';
import { Timeline } from './timeline.svelte';

const EVERY = 1000; // ms between polls during a training or download

type Fail = (sentence: string) => void;
/** Routes that change what a name stands for. */
type Change = 'runs/stop' | 'runs/resume' | 'runs/delete' | 'data/folders/delete';

export class Runs {
  readonly host: Host;
  readonly catalog: TrainCatalog;
  readonly theme: Host['theme'];
  root: HTMLElement | null = null; // set by Train.svelte

  polls = $state(0);
  all = $state.raw<RunInfo[] | null>(null); // newest first; null before the first response
  sweeps = $state.raw<SweepInfo[]>([]); // newest first
  data = $state.raw<DataInfo | null>(null);
  followed = $state<string | null>(null); // the run on screen; null if the timeline of a bundled checkpoint is shown
  curves = $state.raw<Record<string, Curve>>({}); // by run; replaced at each change
  overlaid = $state.raw<string[]>([]); // further runs whose curves are drawn

  readonly status = new Status();
  readonly form: Form;
  readonly checks: Checks;
  readonly images: Images;
  readonly timeline: Timeline;

  #version = ''; // of the lists
  #isPolling = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAwaiting = false; // whether to follow the next run of a sweep once it starts
  #wasBusy = false; // whether a run was training at the last update
  #announced: string | null = null; // state of the followed run at the last call of `announce`
  readonly #acting = new Set<string>(); // pending actions, so that a double click acts once

  readonly run = $derived.by(() => (this.followed === null ? undefined : this.named(this.followed)));
  readonly running = $derived.by(() => this.all?.find(isRunning));
  readonly runningSweep = $derived.by(() => this.sweeps.find(isRunning));
  readonly bundled = $derived.by(() => this.catalog.timelines.find(({ name }) => name === this.timeline.model));
  readonly words: Words = $derived.by(() => {
    if (this.run) return runWords(this.run);
    if (this.bundled) return bundledWords(this.bundled);
    return { headline: this.all || this.status.notice ? 'Training' : '', line: '' };
  });
  /** The choices of the select of timelines: runs, then bundled checkpoints. */
  readonly timelines = $derived.by(() => [
    ...(this.all ?? []).map(({ name }) => runModel(name)),
    ...this.catalog.timelines.map(({ name }) => name),
  ]);

  constructor(host: Host, catalog: TrainCatalog) {
    this.host = host;
    this.catalog = catalog;
    this.theme = host.theme;
    if (host.catalog.lists.public) this.all = [];
    this.form = new Form(this);
    this.checks = new Checks(this);
    this.images = new Images(this);
    this.timeline = new Timeline(this);
  }

  named(name: string): RunInfo | undefined {
    return this.all?.find((run) => run.name === name);
  }

  isTraining(name: string | null): boolean {
    const run = name === null ? undefined : this.named(name);
    return run !== undefined && isRunning(run);
  }

  /** Whether the page is on screen; it neither polls nor takes keys elsewhere. */
  isShown(): boolean {
    return this.host.element.isConnected && this.root?.offsetParent != null && !document.hidden;
  }

  /** Announce a change of the followed run's state. */
  #announce(): void {
    const { run, words } = this;
    if (run && this.#announced !== null && run.state !== this.#announced) {
      this.status.speak(`${words.headline}. ${words.line}`);
    }
    this.#announced = run?.state ?? '';
  }

  // --- the run on screen ---

  /** Show a run (runs/NAME) with its curves and timeline, or the timeline of a bundled checkpoint, by default the first.
      @param place index of the probe image
      @param at the snapshot; -1 is the last, by default the one on screen */
  async follow(
    model: string | undefined = this.catalog.timelines[0]?.name,
    place = this.timeline.image,
    at?: number,
  ): Promise<void> {
    const mine = model !== undefined && isOfRun(model) ? runName(model) : null;
    this.timeline.leave(model);
    this.#isAwaiting = false;
    this.followed = mine;
    this.overlaid = this.overlaid.filter((other) => other !== mine);
    updateAddress({ run: mine });
    this.#announce();
    if (mine !== null) await this.fetchCurves(mine);
    if (this.followed !== mine) return;
    if (model) await this.timeline.load(model, place, at);
    if (this.followed !== mine) return;
    this.#announce();
    this.wake();
  }

  /** Follow the current run of a sweep, or wait for it. */
  followNewest(): Promise<void> | undefined {
    const run = this.running;
    if (run && run.name !== this.followed) return this.follow(runModel(run.name));
    this.#isAwaiting = !run;
    this.wake();
  }

  /** Overlay the curves of a run on those of the followed one, or remove them. */
  async overlay(name: string, isOn: boolean): Promise<void> {
    this.overlaid = isOn ? [...this.overlaid, name] : this.overlaid.filter((other) => other !== name);
    if (isOn) await this.fetchCurves(name);
  }

  /** Request the new metrics of a run and append them to its curves. */
  async fetchCurves(name: string): Promise<void> {
    const { session, offset } = this.#known(name);
    const reply = await post('runs/poll', { version: this.#version, run: name, session, offset }).catch(refusalOf);
    if (!isRefused(reply)) this.#append(name, offset, reply.metrics);
  }

  #known(name: string | null): { session: string; offset: number } {
    return (name !== null && this.curves[name]) || { session: '', offset: 0 };
  }

  /** Append new metrics, those after `from`. */
  #append(name: string, from: number, metrics: Metrics | null): void {
    const curve = metrics && addMetrics(this.curves[name], from, metrics);
    if (curve) this.curves = { ...this.curves, [name]: curve };
  }

  // --- what there is ---

  /** Apply the lists of a response; null means no change. */
  apply(lists: RunLists | null): void {
    if (!lists) return;
    this.#version = lists.version;
    this.all = lists.runs;
    this.sweeps = lists.sweeps;
    this.data = lists.data;
    this.overlaid = this.overlaid.filter((name) => this.named(name)); // others may have been deleted or renamed
    const isBusy = this.running !== undefined;
    const { form, checks } = this;
    if (form.preset && isBusy !== this.#wasBusy) form.edited(); // estimates are made only while no run is training
    if (form.open.presets && this.#wasBusy && !isBusy && !this.runningSweep) checks.estimatePresets();
    this.#wasBusy = isBusy;
    form.suggestName();
    form.dropMissingChoices();
    this.#announce();
    if (this.followed !== null && !this.named(this.followed)) this.follow(); // it was deleted, possibly in another window
  }

  /** Load the lists, once. Returns whether they have arrived just now. */
  async load(): Promise<boolean> {
    if (this.#isPolling) return false;
    this.#isPolling = true;
    const reply = await post('runs/poll', {}).catch(refusalOf);
    this.#isPolling = false;
    if (isRefused(reply)) {
      this.timeline.fail(reply.message);
      return false;
    }
    this.status.say(null);
    this.apply(reply.lists);
    return true;
  }

  /** Schedule the next poll if the page is visible and something runs. */
  wake(): void {
    clearTimeout(this.#timer);
    const somethingRuns = this.running || this.runningSweep || this.data?.download.running;
    if (this.isShown() && somethingRuns) this.#timer = setTimeout(() => this.poll(), EVERY);
  }

  async poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      await this.#pollOnce();
    } finally {
      this.#isPolling = false;
      this.wake();
    }
  }

  async #pollOnce(): Promise<void> {
    const { followed: run, timeline } = this;
    const { tickets } = timeline;
    const version = this.#version;
    const { session, offset } = this.#known(run);
    const reply = await post('runs/poll', { version, run, session, offset, timeline: timeline.next() }).catch(
      refusalOf,
    );
    this.polls++;
    if (isRefused(reply)) return this.status.say(reply.message, true);
    if (this.status.notice === NO_RESPONSE) this.status.say(null);
    if (this.#version !== version) return; // another response has arrived since, possibly with newer lists
    const trained = this.isTraining(run);
    this.apply(reply.lists);
    if (run !== this.followed) return;
    if (trained && !this.isTraining(run)) this.#isAwaiting = this.runningSweep !== undefined;
    if (this.#isAwaiting && this.runningSweep && this.running) return this.followNewest();
    if (run !== null) this.#append(run, offset, reply.metrics);
    const hasBegun = reply.metrics?.whole && session !== '';
    const isLost = run === null && !timeline.past; // the timeline's response
    if (hasBegun || isLost) await timeline.load(timeline.model, timeline.image);
    else if (tickets === timeline.tickets) timeline.extend(reply.timeline);
    for (const name of this.overlaid) if (this.isTraining(name)) await this.fetchCurves(name);
  }

  // --- changes ---

  /** Send a request once, however often it is clicked. Returns null if it failed or is pending. */
  async #act<R extends Route>(route: R, request: Routes[R][0], fail?: Fail): Promise<Routes[R][1] | null> {
    const mine = route + JSON.stringify(request);
    if (this.#acting.has(mine)) return null;
    this.#acting.add(mine);
    const reply: Routes[R][1] | RefusedError = await post(route, request).catch(refusalOf);
    this.#acting.delete(mine);
    if (isRefused(reply)) {
      if (fail) fail(reply.message);
      else this.status.say(reply.message, true);
      this.poll(); // runs may have changed in another window
      return null;
    }
    this.status.say(null);
    return reply;
  }

  /** Send a request that changes the lists. Returns whether it succeeded.
      @param fail shows why it failed, by default in the status line */
  async change(route: Change, name: string, fail?: Fail): Promise<boolean> {
    const lists = await this.#act(route, { name }, fail);
    this.apply(lists);
    if (lists) this.wake();
    return lists !== null;
  }

  async resume(name: string, fail?: Fail): Promise<void> {
    if (!(await this.change('runs/resume', name, fail))) return;
    if (this.named(name)) await this.follow(runModel(name));
    else await this.followNewest();
  }

  async rename(name: string, newName: string, fail: Fail): Promise<void> {
    const lists = await this.#act('runs/rename', { name, new: newName }, fail);
    if (!lists) return;
    if (this.followed === name) {
      this.followed = newName;
      updateAddress({ run: newName });
    }
    const { [name]: known, ...others } = this.curves;
    this.curves = known ? { ...others, [newName]: known } : others;
    this.timeline.rename(runModel(name), runModel(newName));
    this.apply(lists);
  }

  /** Save the checkpoint of a run. */
  async save(name: string, tell: (sentence: string, isError?: boolean) => void): Promise<void> {
    tell('Preparing the checkpoint…', false);
    const file = await this.#act('runs/download', { name }, tell);
    if (!file) return;
    const fileName = `${name}.safetensors`;
    saveBlob(fileName, blobOf(file.src));
    tell(`Saved as ${fileName}.`, false);
  }

  /** Start or cancel the download of the dataset of the form. */
  async download(action: 'start' | 'cancel'): Promise<void> {
    const dataset = this.form.dataset === 'cifar100' ? 'cifar100' : 'cifar10';
    const download = await this.#act('data/download', { action, dataset });
    if (!download || !this.data) return;
    this.#version = ''; // a pending poll is older
    this.data = { ...this.data, download };
    this.wake();
  }
}
