/* Checks of the form by the server while typing: its validity, the size of the network, and the expected time. */

import { isRefused, type RefusedError, refusalOf } from '../lib/refused';
import type { AcceptedForm, ConfigRequest, EstimateReply, FormRequest, PresetInfo, SettingValue } from '../lib/routes';
import { post } from '../lib/server';
import { SPACE } from '../lib/words';
import { prefixWords } from './fields';
import type { Runs } from './runs.svelte';
import { duration, inEpochs, millions, roundTo2, thousands, timeWords } from './sentences';

const CHECK_DELAY = 250; // ms without typing before validation
const ESTIMATE_DELAY = 700; // ms before the speed is measured
const FIELDS = ['budget', 'device', 'dataset', 'image_folder', 'init_from', 'freeze_backbone', 'vary', 'name'];

const keyOf = ({ preset, settings, init_from, image_folder }: ConfigRequest) =>
  JSON.stringify([preset, settings, init_from, image_folder]);

export class Checks {
  readonly runs: Runs;
  checked = $state<'refused' | 'fits' | 'empty' | undefined>(); // `data-checked`
  estimated = $state<string | undefined>(); // `data-estimated`
  refusal = $state.raw<RefusedError | null>(null); // of the current form
  shown = $state.raw<RefusedError | null>(null); // also of a start that failed
  network = $state.raw<Record<string, SettingValue>>({}); // hyperparameters of the model in the last valid check
  grid = $state.raw<[number, number] | null>(null); // of the patches; null before the first valid check
  plan = $state.raw<Record<string, string>>({}); // what the form would train: terms and values
  sizes = $state<Record<string, string>>({}); // size and estimated time next to each preset

  /** The field below which the refusal stands, or null. */
  readonly field = $derived.by(() => {
    const field = this.shown?.field ?? '';
    const key = field === 'epochs' || field === 'minutes' ? 'budget' : field;
    return FIELDS.includes(key) || key in this.runs.form.settings ? key : null;
  });

  #trainings = 1; // number of runs in the current form
  #count = 0; // of checks; responses to all but the latest are dropped
  #checkTimer: ReturnType<typeof setTimeout> | undefined;
  #estimateTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #estimates: Record<string, EstimateReply> = {}; // by request

  constructor(runs: Runs) {
    this.runs = runs;
    for (const { name, parameters } of runs.catalog.presets) this.sizes[name] = millions(parameters);
  }

  /** `aria-invalid` of the controls of a field. */
  invalid(field: string): 'true' | undefined {
    return this.field === field ? 'true' : undefined;
  }

  /** Check the form after a pause. */
  schedule(): void {
    this.#count++;
    this.checked = undefined;
    clearTimeout(this.#estimateTimer);
    clearTimeout(this.#checkTimer);
    this.#checkTimer = setTimeout(() => this.check(), CHECK_DELAY);
  }

  async check(): Promise<void> {
    const { form, images } = this.runs;
    const mine = ++this.#count;
    const query = form.query();
    const isEmpty = query.image_folder === ''; // there is nothing to check
    const reply = isEmpty ? null : await post('runs/check', query).catch(refusalOf);
    if (mine !== this.#count) return;
    this.refusal = isRefused(reply) ? reply : null;
    this.#show(this.refusal);
    if (!reply || isRefused(reply)) {
      this.setTime('');
      this.checked = reply ? 'refused' : 'empty';
      return;
    }
    this.#accept(reply);
    if (query.image_folder && query.image_folder !== images.folder) images.read();
    else this.#estimateSoon(query);
  }

  /** Show why a start failed. */
  refuseStart(refusal: RefusedError): void {
    this.refusal = null;
    this.#show(refusal);
  }

  /** Show a refusal at its field, whose section opens. */
  #show(refusal: RefusedError | null): void {
    this.shown = refusal;
    if (this.field) this.runs.form.openSection(this.field);
  }

  #accept({ grid, trainings, model, prefix, parameters, tokens }: AcceptedForm): void {
    this.checked = 'fits';
    this.#trainings = trainings;
    this.grid = grid;
    this.network = model;
    const patches = `${grid[0]}${SPACE}×${SPACE}${grid[1]} patches${prefixWords(prefix)}`;
    this.plan = { Parameters: thousands(parameters), Tokens: `${tokens}: ${patches}`, Time: 'measuring…' };
  }

  setTime(words: string): void {
    this.plan = { ...this.plan, Time: words };
  }

  // --- time estimates ---

  #estimateSoon(query: FormRequest): void {
    clearTimeout(this.#estimateTimer);
    const delay = this.#estimates[keyOf(query)] ? 0 : ESTIMATE_DELAY;
    this.#estimateTimer = setTimeout(() => this.#estimateNow(query), delay);
  }

  async #estimateNow({ preset, settings, init_from, image_folder }: FormRequest): Promise<void> {
    const { form, images } = this.runs;
    const mine = this.#count;
    const query = { preset, settings, init_from, image_folder };
    const found = await this.#estimateOf(query);
    if (mine !== this.#count || this.refusal) return;
    if (images.problem) return this.setTime('');
    this.setTime(isRefused(found) ? found.message : timeWords(found, form.unit === 'epochs', this.#trainings));
    this.estimated = keyOf(query);
  }

  /** The estimate of a request, cached unless it failed. */
  async #estimateOf(query: ConfigRequest): Promise<EstimateReply | RefusedError> {
    const key = keyOf(query);
    const found = this.#estimates[key] ?? (await post('runs/estimate', query).catch(refusalOf));
    if (!isRefused(found) && !this.runs.running) this.#estimates[key] = found;
    return found;
  }

  /** Estimate all presets, one after another, for the numbers next to them. */
  async estimatePresets(): Promise<void> {
    for (const preset of this.runs.catalog.presets) {
      const found = await this.#estimateOf({ preset: preset.name, settings: {} });
      if (this.runs.running) return;
      if (!isRefused(found)) this.sizes[preset.name] = sizeOf(preset, found);
    }
  }
}

function sizeOf({ parameters, settings }: PresetInfo, { seconds, epochs }: EstimateReply): string {
  const time = duration(seconds);
  const length = settings.epochs == null ? `${inEpochs(roundTo2(epochs))} in ${time}` : `about ${time}`;
  return `${millions(parameters)}, ${length}`;
}
