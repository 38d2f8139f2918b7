/* State of the form: what is typed and chosen, and what follows from it. */

import { tick } from 'svelte';
import { runModel, runName } from '../lib/address';
import { isRefused, refusalOf } from '../lib/refused';
import type { FormRequest, PresetInfo, SettingValue } from '../lib/routes';
import { post } from '../lib/server';
import { counted } from '../lib/words';
import type { Variation } from './fields';
import { countRuns, DATASETS, fieldText, freeName, parseField, stemOf, sweepGrid, variationsOf } from './fields';
import type { Runs } from './runs.svelte';
import { lessonNote } from './sentences';
import { experimentOf } from './sweeps';

const SECTIONS = {
  presets: ['budget', 'device'],
  dataset: ['dataset', 'image_folder', 'init_from', 'freeze_backbone'],
  sweep: ['vary'],
};

type Unit = 'epochs' | 'minutes';

/** Fields that are a value each. */
type Values = Pick<Form, 'budget' | 'device' | 'dataset' | 'imageFolder' | 'initFrom' | 'freezesBackbone'>;

export class Form {
  readonly runs: Runs;

  preset = $state.raw<PresetInfo | null>(null); // the chosen one
  settings = $state<Record<string, string>>({}); // text of each hyperparameter
  budget = $state('');
  unit = $state<Unit>('epochs');
  device = $state('auto');
  dataset = $state('cifar10');
  imageFolder = $state('');
  initFrom = $state('');
  freezesBackbone = $state(false);
  vary = $state<Variation[]>(variationsOf([]));
  name = $state('');
  open = $state({ presets: false, hyperparameters: false, dataset: false, sweep: false });

  isStarting = $state(false);
  #nameIsEdited = false; // whether the user typed the name
  #isTypingName = false; // its field has the focus

  readonly isFolder = $derived(this.dataset === 'folder');
  readonly varies = $derived.by(() => sweepGrid(this.vary));
  readonly runCount = $derived.by(() => countRuns(this.varies));
  /** The settings that differ from the preset. */
  readonly differing = $derived.by(() => this.#differingSettings());
  readonly changed = $derived.by(() => Object.keys(this.differing).filter((key) => key in this.settings));
  /** The lesson that is chosen, if preset and budget are those of one. */
  readonly lesson = $derived.by(() =>
    this.runs.catalog.lessons.find(
      ({ preset, minutes }) =>
        preset === this.preset?.name && this.unit === 'minutes' && parseField(this.budget) === minutes,
    ),
  );
  /** The experiment whose grid is chosen, with any budget. */
  readonly experiment = $derived.by(() => experimentOf(this.runs.catalog.experiments, { vary: this.varies }));
  readonly dataIsAvailable = $derived.by(() => {
    const { data } = this.runs;
    return Boolean(data && (this.isFolder ? this.imageFolder : data.available[this.dataset]));
  });
  readonly busy = $derived.by(() => this.runs.running ?? this.runs.runningSweep);
  readonly cannotStart = $derived.by(() =>
    Boolean(
      this.isStarting || this.busy || this.runs.checks.refusal || this.runs.images.problem || !this.dataIsAvailable,
    ),
  );
  readonly folders = $derived.by(() => this.runs.data?.image_folders ?? []);
  /** The models that a training can start from. */
  readonly models = $derived.by(() => {
    const runs = (this.runs.all ?? []).filter(({ explorable }) => explorable);
    return [...this.runs.catalog.models, ...runs.map(({ name }) => `runs/${name}`)];
  });

  constructor(runs: Runs) {
    this.runs = runs;
    const { settings, choices } = runs.catalog;
    for (const key of settings.flatMap(({ fields }) => Object.keys(fields)))
      this.settings[key] = choices[key]?.[0] ?? '';
  }

  /** Whether a hyperparameter has no effect on this preset or optimizer. */
  isHidden(key: string): boolean {
    if (this.preset?.unused.includes(key)) return true;
    return key === 'muon_lr' && this.settings.optimizer !== 'muon';
  }

  /** Whether a field is fixed: fine-tuning keeps the network of the initial weights. */
  isFixed(key: string): boolean {
    return this.initFrom !== '' && key.startsWith('model.');
  }

  #differingSettings(): Record<string, SettingValue> {
    const { preset } = this;
    if (!preset) return {};
    const changes: Record<string, SettingValue> = {};
    for (const [key, text] of Object.entries(this.settings)) {
      if (this.isFixed(key) || this.isHidden(key)) continue;
      const value = key in this.runs.catalog.choices ? text : parseField(text);
      if (value !== preset.settings[key]) changes[key] = value;
    }
    const limit = parseField(this.budget);
    if (limit === null || limit !== preset.settings[this.unit]) changes[this.unit] = limit ?? '';
    if (this.device !== preset.settings.device) changes.device = this.device;
    if (this.dataset !== preset.settings.dataset) changes.dataset = this.dataset;
    if (this.initFrom && this.freezesBackbone) changes.freeze_backbone = true;
    return changes;
  }

  query(): FormRequest {
    const query: FormRequest = { preset: this.preset?.name ?? '', settings: this.differing, name: this.name.trim() };
    if (this.varies.length) query.vary = this.varies;
    if (this.initFrom) query.init_from = this.initFrom;
    if (this.isFolder) query.image_folder = this.imageFolder;
    return query;
  }

  // --- what follows from a choice ---

  /** On each change: update what depends on it, and check the form after a pause. */
  edited(): void {
    this.suggestName();
    if (!this.initFrom) this.freezesBackbone = false;
    this.runs.checks.schedule();
  }

  set(values: Partial<Values>): void {
    Object.assign(this, values);
    if ('dataset' in values || 'imageFolder' in values) this.runs.images.read();
    this.edited();
  }

  /** Set the text of a hyperparameter. */
  setSetting(key: string, text: string): void {
    this.settings[key] = text;
    this.edited();
  }

  setVariation(place: number, values: Partial<Variation>): void {
    Object.assign(this.vary[place], values);
    this.edited();
  }

  setName(name: string): void {
    this.name = name;
    this.#nameIsEdited = name.trim() !== '';
    this.edited();
  }

  /** Enter the field of the name, or leave it: then a name is suggested again if there is none. */
  typeName(isTyping: boolean): void {
    const { name } = this;
    this.#isTypingName = isTyping;
    this.suggestName();
    if (this.name !== name) this.edited();
  }

  /** Apply the values of a preset, and another budget and grid of a sweep if they are given. */
  applyPreset(name: string, { minutes, epochs, vary = [] }: { [U in Unit]?: number } & { vary?: string[] } = {}): void {
    const preset = this.runs.catalog.presets.find((other) => other.name === name);
    if (!preset) return;
    if (vary.length || this.experiment) this.vary = variationsOf(vary);
    this.preset = preset;
    this.device = fieldText(preset.settings.device);
    this.unit = minutes || (!epochs && preset.settings.epochs == null) ? 'minutes' : 'epochs';
    this.budget = fieldText(minutes ?? epochs ?? preset.settings[this.unit]);
    this.restore();
  }

  /** The text of a hyperparameter's control: fine-tuning shows the network of the initial weights. */
  settingText(key: string): string {
    const { network } = this.runs.checks;
    return this.isFixed(key) && key in network ? fieldText(network[key]) : this.settings[key];
  }

  /** Restore the hyperparameters of the preset. */
  restore(): void {
    for (const key of Object.keys(this.settings)) this.settings[key] = fieldText(this.preset?.settings[key]);
    this.edited();
  }

  /** Replace the preset's budget when the unit changes; a typed budget stays. */
  changeUnit(unit: Unit): void {
    const before = this.unit;
    this.unit = unit;
    if (parseField(this.budget) === this.preset?.settings[before]) this.budget = fieldText(this.preset.settings[unit]);
    this.edited();
  }

  /** A name that no run and no sweep has. */
  freeName(): string {
    const { runs } = this;
    const isTaken = (name: string) =>
      runs.named(name) !== undefined || runs.sweeps.some((sweep) => sweep.name === name);
    return freeName(this.#stem(), isTaken);
  }

  /** What is trained on which data, unless that is CIFAR-10. */
  #stem(): string {
    const data = this.isFolder ? this.imageFolder : this.dataset;
    const model = this.initFrom ? `${runName(this.initFrom)}-finetuned` : (this.experiment ?? this.preset)?.name;
    return stemOf(model ?? '', data);
  }

  /** Suggest a name unless the user typed one or is typing. */
  suggestName(): void {
    if (!this.#nameIsEdited && this.runs.all && this.preset && !this.#isTypingName) this.name = this.freeName();
  }

  /** Keep only choices that the lists still have. */
  dropMissingChoices(): void {
    if (!this.folders.includes(this.imageFolder)) this.imageFolder = this.folders[0] ?? '';
    if (!this.models.includes(this.initFrom)) this.initFrom = '';
    if (!this.initFrom) this.freezesBackbone = false;
  }

  /** Open the section of a field. */
  openSection(field: string): void {
    if (SECTIONS.presets.includes(field)) this.open.presets = true;
    else if (SECTIONS.dataset.includes(field)) this.open.dataset = true;
    else if (SECTIONS.sweep.includes(field)) this.open.sweep = true;
    else if (field in this.settings) this.open.hyperparameters = true;
  }

  // --- the start ---

  async start(): Promise<void> {
    if (this.cannotStart) return;
    const { runs } = this;
    const query = this.query();
    this.isStarting = true;
    const reply = await post('runs/start', query).catch(refusalOf);
    this.isStarting = false;
    if (isRefused(reply)) {
      runs.checks.refuseStart(reply);
      runs.poll(); // runs may have changed in another window
      return;
    }
    this.#nameIsEdited = false;
    runs.apply(reply);
    this.name = this.freeName();
    if (query.vary) runs.followNewest();
    else runs.follow(runModel(query.name));
    await tick(); // the training comes first on narrow screens
    const headline = runs.root?.querySelector<HTMLElement>('.headline');
    headline?.focus({ preventScroll: true });
    headline?.scrollIntoView({ block: 'nearest' });
  }

  // --- sentences ---

  get startNote(): string {
    const { busy } = this;
    if (busy) return `One training at a time: ${busy.name} is ${busy.state}.`;
    if (this.runs.checks.refusal) return 'One field is invalid.';
    if (this.runs.data && !this.dataIsAvailable) {
      return this.isFolder ? 'No image folder selected.' : 'Dataset not downloaded.';
    }
    return this.runs.images.problem
      ? 'These images cannot be trained on.'
      : 'Training continues if you close this page.';
  }

  get aboutData(): string {
    if (!this.runs.data) return '';
    if (this.isFolder) return this.imageFolder ? `Images of ${this.imageFolder}.` : 'Your own images.';
    return `${DATASETS[this.dataset]}: 50,000 training and 10,000 test images.`;
  }

  /** What the chosen preset is; of a lesson as it was measured also what it reached. */
  get aboutPreset(): string {
    const { preset, lesson, experiment } = this;
    if (!preset) return '';
    if (experiment) {
      return `${this.runCount} runs of ${preset.name}, one after another; those that are stopped resume. ${experiment.paper} ${experiment.differs}`;
    }
    const isMeasured = lesson && this.dataset === 'cifar10' && !this.initFrom && !this.changed.length;
    return `${preset.name}: ${preset.about}${isMeasured ? ` ${lessonNote(lesson)}` : ''}`;
  }

  get presetChanges(): string {
    if (!this.preset || this.lesson) return '';
    return `: ${this.preset.name}, ${this.budget} ${this.unit}`;
  }

  get hyperparameterChanges(): string {
    return this.changed.length ? `: ${counted(this.changed.length, 'change', 'changes')}` : '';
  }

  get dataChanges(): string {
    const words = [this.dataset !== 'cifar10' && (DATASETS[this.dataset] ?? 'image folder'), this.initFrom];
    const shown = words.filter(Boolean);
    return shown.length ? `: ${shown.join(', from ')}` : '';
  }
}
