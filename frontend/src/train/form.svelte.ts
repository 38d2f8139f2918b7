/* State of the form: what is typed and chosen, and what follows from it. */

import { runName } from '../lib/address';
import type {
  EstimateReply,
  FormRequest,
  LessonInfo,
  PresetInfo,
  RefusedForm,
  SettingValue,
  SurveyReply,
} from '../lib/api';
import { counted } from '../lib/words';
import { countRuns, DATASETS, fieldText, freeName, parseField, sweepGrid, type Variation } from './fields';
import { lessonNote, millions } from './sentences';
import type { TrainPage } from './state.svelte';

const SECTIONS = {
  presets: ['budget', 'device'],
  dataset: ['dataset', 'image_folder', 'init_from', 'freeze_backbone'],
  sweep: ['vary'],
};
const FIELDS = [...Object.values(SECTIONS).flat(), 'name'];

type Unit = 'epochs' | 'minutes';

/** What stands below the choice of an image folder. */
export type Survey = { note: string } | { refused: string } | SurveyReply | null;

export class FormState {
  readonly page: TrainPage;
  nameInput: HTMLInputElement | null = null; // set by Form.svelte

  isLoaded = $state(false); // whether the lists have arrived
  preset = $state.raw<PresetInfo | null>(null); // the chosen one
  settings = $state<Record<string, string>>({}); // text of each hyperparameter
  budget = $state('');
  unit = $state<Unit>('epochs');
  device = $state('auto');
  dataset = $state('cifar10');
  imageFolder = $state('');
  initFrom = $state('');
  freezesBackbone = $state(false);
  vary = $state<Variation[]>([
    { key: '', values: '' },
    { key: '', values: '' },
  ]);
  name = $state('');
  open = $state({ presets: false, hyperparameters: false, dataset: false, sweep: false });

  checked = $state<'refused' | 'fits' | 'empty' | undefined>(); // `data-checked`
  estimated = $state<string | undefined>(); // `data-estimated`
  refusal = $state.raw<RefusedForm | null>(null); // of the current form
  shownRefusal = $state.raw<RefusedForm | null>(null); // also of a start that failed
  unfit = $state(''); // why the chosen image folder cannot be trained on
  survey = $state.raw<Survey>(null);
  network = $state.raw<Record<string, SettingValue>>({}); // hyperparameters of the model in the last valid check
  plan = $state.raw<[string, string][]>([]);
  grid = $state.raw<[number, number] | null>(null); // of the patches; null before the first valid check
  sizes = $state<Record<string, string>>({}); // size and estimated time next to each preset
  isStarting = $state(false);

  // Bookkeeping of checks.ts.
  nameIsEdited = false; // whether the user typed the name
  trainings = 1; // number of runs in the current form
  checks = 0; // number of checks; responses to all but the latest are dropped
  surveys = 0; // the same of surveys
  surveyed = ''; // the image folder that was, or is being, read
  checkTimer: ReturnType<typeof setTimeout> | undefined;
  estimateTimer: ReturnType<typeof setTimeout> | undefined;
  readonly estimates: Record<string, EstimateReply> = {}; // by request

  readonly isFolder = $derived(this.dataset === 'folder');
  readonly varies = $derived.by(() => sweepGrid(this.vary));
  readonly runCount = $derived.by(() => countRuns(this.varies));
  /** The settings that differ from the preset. */
  readonly differing = $derived.by(() => this.differingSettings());
  readonly changed = $derived.by(() => Object.keys(this.differing).filter((key) => key in this.settings));
  /** The lesson that is chosen, if preset and budget are those of one. */
  readonly lesson = $derived.by(() =>
    this.page.catalog.lessons.find(
      ({ preset, minutes }) =>
        preset === this.preset?.name && this.unit === 'minutes' && parseField(this.budget) === minutes,
    ),
  );
  readonly dataIsAvailable = $derived.by(() => {
    const { data } = this.page;
    return Boolean(data && (this.isFolder ? this.imageFolder : data.available[this.dataset]));
  });
  readonly busy = $derived.by(() => this.page.running ?? this.page.runningSweep);
  readonly cannotStart = $derived.by(() =>
    Boolean(this.isStarting || this.busy || this.refusal || this.unfit || !this.dataIsAvailable),
  );
  /** The field below which the refusal stands, or null. */
  readonly refusedField = $derived.by(() => {
    const field = this.shownRefusal?.field ?? null;
    const key = field === 'epochs' || field === 'minutes' ? 'budget' : field;
    return key && (FIELDS.includes(key) || key in this.settings) ? key : null;
  });
  readonly folders = $derived.by(() => this.page.data?.image_folders ?? []);
  /** The models that a training can start from. */
  readonly models = $derived.by(() => {
    const runs = (this.page.runs ?? []).filter(({ explorable }) => explorable);
    return [...this.page.catalog.models, ...runs.map(({ name }) => `runs/${name}`)];
  });

  constructor(page: TrainPage) {
    this.page = page;
    const { settings, choices, presets } = page.catalog;
    for (const key of settings.flatMap(({ fields }) => Object.keys(fields)))
      this.settings[key] = choices[key]?.[0] ?? '';
    for (const { name, parameters } of presets) this.sizes[name] = millions(parameters);
  }

  /** Whether a hyperparameter has no effect on this preset or optimizer. */
  isHidden(key: string): boolean {
    if (key === 'model.pos_drop_rate') return Boolean(this.preset?.plain);
    if (key === 'model.drop_path_rate') return this.preset?.plain === false;
    return key === 'muon_lr' && this.settings.optimizer !== 'muon';
  }

  /** Whether a field is fixed: fine-tuning keeps the network of the initial weights. */
  isFixed(key: string): boolean {
    return this.initFrom !== '' && key.startsWith('model.');
  }

  /** `aria-invalid` of the controls of a field. */
  invalid(field: string): 'true' | undefined {
    return this.refusedField === field ? 'true' : undefined;
  }

  private differingSettings(): Record<string, SettingValue> {
    const { preset } = this;
    if (!preset) return {};
    const changes: Record<string, SettingValue> = {};
    for (const [key, text] of Object.entries(this.settings)) {
      if (this.isFixed(key) || this.isHidden(key)) continue;
      const value = key in this.page.catalog.choices ? text : parseField(text);
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

  /** Take the values of a preset. */
  take(name: string): void {
    const preset = this.page.catalog.presets.find((other) => other.name === name);
    if (!preset) return;
    this.preset = preset;
    this.restore();
    this.unit = preset.settings.epochs == null ? 'minutes' : 'epochs';
    this.budget = fieldText(preset.settings[this.unit]);
    this.device = fieldText(preset.settings.device);
  }

  /** Take the preset of a lesson, with its time. */
  takeLesson({ preset, minutes }: LessonInfo): void {
    this.take(preset);
    [this.unit, this.budget] = ['minutes', String(minutes)];
  }

  /** The text of a hyperparameter's control: fine-tuning shows the network of the initial weights. */
  settingText(key: string): string {
    return this.isFixed(key) && key in this.network ? fieldText(this.network[key]) : this.settings[key];
  }

  /** Restore the hyperparameters of the preset. */
  restore(): void {
    for (const key of Object.keys(this.settings)) this.settings[key] = fieldText(this.preset?.settings[key]);
  }

  /** Replace the preset's budget when the unit changes; a typed budget stays. */
  changeUnit(unit: Unit): void {
    const before = this.unit;
    this.unit = unit;
    if (parseField(this.budget) === this.preset?.settings[before]) this.budget = fieldText(this.preset.settings[unit]);
  }

  /** A name that no run and no sweep has. */
  freeName(): string {
    const { page } = this;
    return freeName(
      this.initFrom ? `${runName(this.initFrom)}-finetuned` : (this.preset?.name ?? ''),
      (name) => page.runOf(name) !== undefined || page.sweeps.some((sweep) => sweep.name === name),
    );
  }

  /** Suggest a name unless the user typed one or is typing. */
  suggestName(): void {
    const isTyping = this.nameInput?.matches(':focus');
    if (!this.nameIsEdited && this.page.runs && this.preset && !isTyping) this.name = this.freeName();
  }

  /** Keep only choices that the lists still have. */
  dropMissingChoices(): void {
    if (!this.folders.includes(this.imageFolder)) this.imageFolder = this.folders[0] ?? '';
    if (!this.models.includes(this.initFrom)) this.initFrom = '';
    if (!this.initFrom) this.freezesBackbone = false;
  }

  /** Show a refusal at its field, whose section opens. */
  showRefusal(refusal: RefusedForm | null): void {
    this.shownRefusal = refusal;
    const field = this.refusedField;
    if (!field) return;
    if (SECTIONS.presets.includes(field)) this.open.presets = true;
    else if (SECTIONS.dataset.includes(field)) this.open.dataset = true;
    else if (SECTIONS.sweep.includes(field)) this.open.sweep = true;
    else if (field in this.settings) this.open.hyperparameters = true;
  }

  fillPlan(values: Record<string, string>): void {
    const plan = new Map(this.plan);
    for (const [name, value] of Object.entries(values)) plan.set(name, value);
    this.plan = [...plan];
  }

  /** Show why the images cannot be used. */
  refuseImages(sentence: string): void {
    this.survey = { refused: sentence };
    this.page.voice = sentence;
  }

  // --- sentences ---

  get startNote(): string {
    const { busy } = this;
    if (busy) return `One training at a time: ${busy.name} is ${busy.state}.`;
    if (this.refusal) return 'One field is invalid.';
    if (this.page.data && !this.dataIsAvailable) {
      return this.isFolder ? 'No image folder selected.' : 'Dataset not downloaded.';
    }
    return this.unfit ? 'These images cannot be trained on.' : 'Training continues if you close this page.';
  }

  get aboutData(): string {
    if (!this.page.data) return '';
    if (this.isFolder) return this.imageFolder ? `Images of ${this.imageFolder}.` : 'Your own images.';
    return `${DATASETS[this.dataset]}: 50,000 training and 10,000 test images.`;
  }

  /** What the chosen preset is, for a lesson with what it reached. */
  get aboutPreset(): string {
    const { preset, lesson } = this;
    if (!preset) return '';
    return `${preset.name}: ${preset.about}${lesson ? ` ${lessonNote(lesson)}` : ''}`;
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
