/* State of the Train page: runs, sweeps, datasets, the followed run, its metrics, and the notice in the status line.
   Requests are functions over this object, see requests.ts. */

import { isOfRun, sourceOf } from '../lib/address';
import type { DataInfo, MetricsLine, RunInfo, SweepInfo, TrainCatalog } from '../lib/api';
import type { Host } from '../lib/client';
import { ThemeColors } from '../lib/theme.svelte';
import { FormState } from './form.svelte';
import { isRunning, runWords, sourceWords, type Words } from './sentences';
import { Timeline } from './timeline.svelte';

const BRIEF_NOTICE = 8000; // ms

/** Known metrics of a run: those up to `offset` of its current session. */
export interface Curve {
  session: string;
  offset: number;
  lines: MetricsLine[];
}

interface Notice {
  sentence: string;
  isError: boolean;
}

export const exploreAddress = (run: string) => `?model=${encodeURIComponent(sourceOf(run))}`;

export class TrainPage {
  readonly host: Host<TrainCatalog>;
  readonly catalog: TrainCatalog;
  readonly theme: ThemeColors;

  root: HTMLElement | null = null; // set by Train.svelte
  state = $state<'working' | 'ready' | 'error'>('working'); // `data-state`
  voice = $state(''); // spoken by screen readers
  notice = $state.raw<Notice | null>(null); // shown in the status line until the next action
  polls = $state(0);

  version = ''; // of the lists
  runs = $state.raw<RunInfo[] | null>(null); // newest first; null before the first response
  sweeps = $state.raw<SweepInfo[]>([]); // newest first
  data = $state.raw<DataInfo | null>(null);
  followed = $state<string | null>(null); // name of the run on screen; null if the timeline of a bundled checkpoint is shown
  source = $state<string | null>(null); // of the timeline on screen: a bundled checkpoint, or runs/NAME; null while one loads
  chosen = $state(''); // value of the select of timelines
  curves = $state.raw<Record<string, Curve>>({}); // by run; replaced at each change
  overlaid = $state.raw<string[]>([]); // further runs whose curves are drawn

  readonly form: FormState;
  readonly timeline: Timeline;

  // Bookkeeping of requests.ts.
  isPolling = false;
  timer: ReturnType<typeof setTimeout> | undefined;
  isAwaiting = false; // whether to follow the next run of a sweep once it starts
  isIntroduced = true; // whether the timeline is not, or no longer, to be played on its own
  wasBusy = false; // whether a run was training at the last update
  readonly acting = new Set<string>(); // pending actions, so that a double click acts once
  announced: string | null = null; // state of the followed run at the last call of `announce`

  readonly run = $derived.by(() => (this.followed === null ? undefined : this.runOf(this.followed)));
  readonly running = $derived.by(() => this.runs?.find(isRunning));
  readonly runningSweep = $derived.by(() => this.sweeps.find(isRunning));
  readonly bundled = $derived.by(() => this.catalog.sources.find(({ name }) => name === this.source));
  readonly words: Words = $derived.by(() => this.wordsNow());
  /** The choices of the select of timelines: runs, then bundled checkpoints. */
  readonly sources = $derived.by(() => [
    ...(this.runs ?? []).map(({ name }) => sourceOf(name)),
    ...this.catalog.sources.map(({ name }) => name),
  ]);

  constructor(host: Host<TrainCatalog>) {
    this.host = host;
    this.catalog = host.catalog;
    this.theme = new ThemeColors(host.element, host.catalog.colors);
    if (host.catalog.public) this.runs = [];
    this.form = new FormState(this);
    this.timeline = new Timeline(this);
  }

  runOf(name: string): RunInfo | undefined {
    return this.runs?.find((run) => run.name === name);
  }

  isTraining(name: string | null): boolean {
    const run = name === null ? undefined : this.runOf(name);
    return run !== undefined && isRunning(run);
  }

  /** Whether the page is on screen; it neither polls nor takes keys elsewhere. */
  isShown(): boolean {
    return this.host.element.isConnected && this.root?.offsetParent != null && !document.hidden;
  }

  /** A color table of the current theme, 256 pixels; reactive. */
  table(kind: 'seq' | 'div'): Uint32Array {
    return this.theme.table(kind);
  }

  // --- headline and status line ---

  private wordsNow(): Words {
    if (this.run) return runWords(this.run);
    if (this.bundled) return sourceWords(this.bundled);
    return { headline: this.runs || this.notice ? 'Training' : '', line: '' };
  }

  /** Announce a change of the followed run's state. */
  announce(): void {
    const { run, words } = this;
    if (run && this.announced !== null && run.state !== this.announced) this.voice = `${words.headline}. ${words.line}`;
    this.announced = run?.state ?? '';
  }

  showNotice(sentence: string | null, isError = false): void {
    this.notice = sentence ? { sentence, isError } : null;
    this.announce();
    if (sentence) this.voice = sentence;
  }

  /** Show a notice briefly, then the status of the run again. */
  showBriefly(sentence: string): void {
    this.showNotice(sentence);
    const mine = this.notice;
    setTimeout(() => {
      if (this.notice === mine) this.showNotice(null);
    }, BRIEF_NOTICE);
  }

  fail(sentence: string): void {
    this.state = 'error';
    this.showNotice(sentence, true);
  }
}

/** The name that a timeline has in the select. */
export const sourceName = (source: string) => (isOfRun(source) ? source.slice('runs/'.length) : `${source} (bundled)`);
