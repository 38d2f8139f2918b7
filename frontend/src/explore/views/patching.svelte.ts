/* State of activation patching: the second image, and what each activation recovers. */

import type { ExplainReply, ImageChoice } from '../../lib/api';
import { isServed, reasonOf } from '../../lib/client';
import { MEAN, type Scale } from '../../lib/numbers';
import type { Term } from '../../lib/terms';
import { type Line, mapName, signed } from '../../lib/words';
import { act, chooseHead } from '../actions';
import { imageParam } from '../address';
import { showNotice, stopWaiting } from '../notices';
import type { Panel } from '../panel';
import type { Explorer } from '../state.svelte';
import { CANCELLED, Task } from '../task.svelte';
import { explanationOf, type LargeMap } from '../view.svelte';
import {
  headline,
  isCheap,
  type Patched,
  patchedOf,
  readLine,
  tokensHeadline,
  tokensLine,
  tokensNote,
} from './patching';

const CHOOSING = 'Choose image B: a sample, a test image, or an upload.';
const PREFERRED = ['dog', 'cat']; // much alike
const STOPPED = 'Canceled: the matrix needs the forward passes of all heads.';

export class PatchingPanel implements Panel {
  readonly explorer: Explorer;
  readonly task: Task;
  other = $state.raw<ExplainReply | null>(null); // image B
  patched = $state.raw<Patched | null>(null);
  tokens = $state.raw<ReadonlyMap<number, Float32Array>>(new Map()); // by layer
  pointed = $state.raw<{ layer: number; column: number } | null>(null); // under the pointer, or focused
  isLoading = $state.raw(false); // another image B
  isChoosing = $state.raw(false); // the next image that is chosen is B
  #ticket = 0;

  readonly layer = $derived.by(() => this.explorer.choices.layer);
  readonly #values = $derived.by(() => {
    const { layer, head } = this.explorer.choices;
    return layer >= 0 && head === MEAN ? (this.tokens.get(layer) ?? null) : null;
  });
  /** The tokens of a layer; undefined for the attention of a head. */
  readonly map = $derived.by((): LargeMap | undefined => {
    const [values, { shape }] = [this.#values, this.explorer];
    if (!values) return undefined;
    const limit = Math.max(...values.slice(shape.prefix).map(Math.abs)) || 1;
    return { values, first: shape.prefix, scale: { kind: 'signed', limit } satisfies Scale };
  });
  readonly title = $derived.by(() => {
    const { layer, head } = this.explorer.choices;
    return this.#values ? `Tokens after layer ${layer + 1}` : mapName(layer, head);
  });
  readonly headline = $derived.by(() => {
    const { patched, layer } = this;
    const [values, shape] = [this.#values, this.explorer.shape];
    if (values) return tokensHeadline(layer, values, shape);
    return patched ? headline(patched, shape) : 'Which activations carry the difference between two images?';
  });
  readonly line = $derived.by((): Line => {
    const { patched, pointed } = this;
    const { shape, choices } = this.explorer;
    const { layer, head, readoutPatch } = choices;
    if (this.#values) return tokensLine(this.#values, readoutPatch, shape, patched);
    if (!patched) return ['Activation patching replaces one activation at a time by that of another image.'];
    if (pointed) return readLine(patched, pointed.layer, pointed.column, shape);
    if (layer === MEAN || head === MEAN)
      return ['Choose a head to see what it attends to in A, or a layer to patch its tokens.'];
    return readLine(patched, layer, head, shape);
  });
  readonly note = $derived.by(() => (this.#values ? tokensNote(this.#values, this.explorer.shape) : undefined));
  readonly shown = $derived.by(() => {
    const { other, patched } = this;
    if (!other || !patched) return null;
    const { layer, head } = this.explorer.choices;
    const isLeftOut = layer >= 0 && head === MEAN && !this.tokens.has(layer); // tokens that were not patched
    return { other: other.key, target: this.#target, ...(isLeftOut ? { layer: null } : {}) };
  });
  readonly unit = $derived.by(() => (this.#values ? 'recovered difference of A and B' : undefined));
  readonly term = $derived.by((): Term | undefined => (this.#values ? 'recovered difference' : undefined));

  constructor(explorer: Explorer) {
    this.explorer = explorer;
    this.task = new Task(explorer);
  }

  read(patch: number): [string, string] | null {
    const { map } = this;
    return map ? [signed(map.values[map.first + patch]), 'recovered'] : null;
  }

  /** The choice of image B: the user's, or a sample that is not on screen. */
  get choice(): ImageChoice {
    const { choices, catalog } = this.explorer;
    const shown = choices.image ? imageParam(choices.image) : '';
    const others = catalog.samples.filter(({ name }) => name !== shown);
    const { name } = others.find((sample) => PREFERRED.includes(sample.name)) ?? others[0];
    return choices.other ?? { kind: 'sample', name };
  }

  /** Let the next image that is chosen be B. */
  choose() {
    const { explorer } = this;
    if (this.isChoosing) return this.endChoosing();
    this.isChoosing = true;
    showNotice(explorer, CHOOSING);
    explorer.takeImage = (image) => {
      this.endChoosing();
      stopWaiting(explorer);
      explorer.markers.state = 'ready';
      act(explorer, { other: image });
    };
  }

  endChoosing() {
    this.isChoosing = false;
    this.explorer.takeImage = null;
    if (this.explorer.notice === CHOOSING) showNotice(this.explorer, null);
  }

  /** Explain image B with the model on screen, and patch at once where that takes a moment. */
  async load() {
    const { explorer, choice } = this;
    const mine = ++this.#ticket;
    const { reply } = explorer;
    const explanation = explanationOf(explorer);
    this.task.cancel();
    Object.assign(this, { patched: null, tokens: new Map(), isLoading: false });
    if (!reply?.classes.length) return;
    this.isLoading = true;
    const found = await explorer.host.request('explain', { checkpoint: reply.checkpoint, image: choice });
    if (mine !== this.#ticket || explanationOf(explorer) !== explanation) return;
    this.isLoading = false;
    this.other = isServed(found) ? found : null;
    if (!isServed(found)) return showNotice(explorer, reasonOf(found), true);
    const model = explorer.model(reply.checkpoint);
    if (model && isCheap(explorer.shape, model.parameters)) await this.patchHeads();
  }

  async patchHeads() {
    const { explorer, other } = this;
    if (!other || !explorer.reply) return;
    const { classes } = explorer.reply;
    const found = await this.task.run('patch_heads', this.#question(other));
    if (found === CANCELLED) return;
    if (!isServed(found)) return showNotice(explorer, reasonOf(found), true);
    this.patched = patchedOf(found, classes);
  }

  /** Show the tokens of a layer, computed at the first time. */
  async patchTokens(layer: number) {
    const { explorer, other } = this;
    chooseHead(explorer, layer, MEAN, 0);
    if (!other || this.tokens.has(layer)) return;
    const found = await this.task.run('patch_tokens', { ...this.#question(other), layer });
    if (found === CANCELLED) return;
    if (!isServed(found)) return showNotice(explorer, reasonOf(found), true);
    this.tokens = new Map([...this.tokens, [layer, new Float32Array(found.tokens)]]);
  }

  interrupt() {
    this.task.cancel();
    showNotice(this.explorer, STOPPED);
  }

  #question({ key }: ExplainReply) {
    return { other: key, target: this.#target };
  }

  get #target() {
    const { ablation, choices, predictedClass } = this.explorer;
    return ablation && !choices.target.length ? [predictedClass] : choices.target;
  }
}
