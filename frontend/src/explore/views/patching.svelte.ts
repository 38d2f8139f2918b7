/* State of activation patching: the second image, and what each activation recovers. */

import { imageName } from '../../lib/images';
import { MEAN, type Scale } from '../../lib/numbers';
import { canvasOf } from '../../lib/paint';
import type { Term } from '../../lib/terms';
import { type Image, type View, wholeOf } from '../../lib/view';
import { type Line, mapName, signed } from '../../lib/words';
import type { LargeMap } from '../../session/drawing.svelte';
import type { Explained } from '../../session/engine';
import type { Explanation } from '../../session/explanation.svelte';
import type { Panel } from '../../session/panel';
import type { Session } from '../../session/session.svelte';
import { Task } from '../../session/task.svelte';
import { chooseHead } from '../actions';
import type { Images } from '../images.svelte';
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

/** What is patched from and into, and what was found of it. */
interface Pair {
  explanation: Explanation;
  image: Image;
  other: Explained; // image B
  patched: Patched | null;
  tokens: ReadonlyMap<number, Float32Array>; // by layer
}

export class PatchingPanel implements Panel {
  readonly #session: Session;
  readonly #images: Images;
  #pair = $state.raw<Pair | null>(null);
  readonly task: Task;
  pointed = $state.raw<{ layer: number; column: number } | null>(null); // under the pointer, or focused
  isLoading = $state.raw(false); // another image B
  isChoosing = $state.raw(false); // the next image that is chosen is B

  readonly other = $derived.by(() => this.#pair?.other ?? null);
  readonly otherImage = $derived.by(() => this.other && canvasOf(this.other.image));
  readonly patched = $derived.by(() => this.#pair?.patched ?? null);
  readonly #shape = $derived.by(() => this.#session.explanation?.shape ?? null);
  /** The recovered differences of the tokens of the chosen layer. */
  readonly #tokens = $derived.by(() => {
    const [{ layer, head }, shape] = [this.#session.view, this.#shape];
    const values = typeof layer === 'number' && head === MEAN ? this.#pair?.tokens.get(layer) : undefined;
    return values && shape && typeof layer === 'number' ? { layer, values, shape } : null;
  });
  /** The tokens of a layer; undefined for the attention of a head. */
  readonly map = $derived.by((): LargeMap | undefined => {
    if (!this.#tokens) return undefined;
    const { values, shape } = this.#tokens;
    const limit = Math.max(...values.slice(shape.prefix).map(Math.abs)) || 1;
    return { values, first: shape.prefix, scale: { kind: 'signed', limit } satisfies Scale };
  });
  readonly title = $derived.by(() => {
    const { layer, head } = this.#session.view;
    return this.#tokens ? `Tokens after layer ${this.#tokens.layer + 1}` : mapName(layer, head);
  });
  readonly headline = $derived.by(() => {
    const [tokens, patched, shape] = [this.#tokens, this.patched, this.#shape];
    if (tokens) return tokensHeadline(tokens.layer, tokens.values, tokens.shape);
    return patched && shape ? headline(patched, shape) : 'Which activations carry the difference between two images?';
  });
  readonly line = $derived.by((): Line => {
    const [tokens, patched, pointed, shape] = [this.#tokens, this.patched, this.pointed, this.#shape];
    const { layer, head } = this.#session.view;
    if (tokens) return tokensLine(tokens.values, this.#session.pointer.read, tokens.shape, patched);
    if (!patched || !shape) return ['Activation patching replaces one activation at a time by that of another image.'];
    if (pointed) return readLine(patched, pointed.layer, pointed.column, shape);
    if (typeof layer !== 'number' || head === MEAN)
      return ['Choose a head to see what it attends to in A, or a layer to patch its tokens.'];
    return readLine(patched, layer, head, shape);
  });
  readonly note = $derived.by(() => (this.#tokens ? tokensNote(this.#tokens.values, this.#tokens.shape) : undefined));
  readonly isReady = $derived.by(() => this.patched !== null);
  readonly saved = $derived.by((): Partial<View> => {
    const { layer, head } = this.#session.view;
    const isLeftOut = typeof layer === 'number' && head === MEAN && !this.#tokens; // tokens that were not patched
    return { other: this.image, target: this.#session.target, ...(isLeftOut ? { layer: MEAN } : {}) };
  });
  readonly unit = $derived.by(() => (this.#tokens ? 'recovered difference of A and B' : undefined));
  readonly term = $derived.by((): Term | undefined => (this.#tokens ? 'recovered difference' : undefined));
  /** Image B: the user's, or a sample that is not on screen. */
  readonly image = $derived.by((): Image => {
    const { catalog, explanation, view } = this.#session;
    if (view.other) return view.other;
    const shown = explanation ? imageName(explanation.subject.image) : '';
    const others = catalog.lists.samples.filter(({ name }) => name !== shown);
    const { name } = others.find((sample) => PREFERRED.includes(sample.name)) ?? others[0];
    return { kind: 'sample', name };
  });

  constructor(session: Session, images: Images) {
    this.#session = session;
    this.#images = images;
    this.task = new Task(session.status);
  }

  /** Explain image B with the model on screen, and patch at once where that takes a moment, while the component that
      calls this is mounted. */
  run() {
    const session = this.#session;
    $effect(() => {
      const end = session.usePanel(this);
      return () => {
        end();
        this.endChoosing();
      };
    });
    $effect(() => {
      const { explanation, target } = session;
      const { image } = this;
      this.#pair = null;
      this.isLoading = false;
      if (!explanation?.reply.classes.length) return;
      this.isLoading = true;
      const end = session.status.request(
        (signal) =>
          session.engine.request(
            'explanations',
            { subject: { ...wholeOf(explanation.subject), image } },
            signal,
            () => {},
          ),
        (other) => {
          this.isLoading = false;
          this.#pair = { explanation, image, other, patched: null, tokens: new Map() };
          const model = session.catalog.model(explanation.subject.model);
          if (model && isCheap(explanation.shape, model.parameters)) this.patchHeads(target);
        },
        (sentence) => {
          this.isLoading = false;
          session.status.say(sentence, true);
        },
      );
      return () => {
        end();
        this.task.cancel();
      };
    });
  }

  read(patch: number): [string, string] | null {
    const { map } = this;
    return map ? [signed(map.values[map.first + patch]), 'recovered'] : null;
  }

  point(place: PatchingPanel['pointed']) {
    this.pointed = place;
  }

  /** Let the next image that is chosen be B. */
  choose() {
    const { status } = this.#session;
    if (this.isChoosing) return this.endChoosing();
    this.isChoosing = true;
    status.say(CHOOSING);
    this.#images.divert((other) => {
      this.endChoosing();
      this.#session.show({ other });
    });
  }

  endChoosing() {
    const { status } = this.#session;
    this.isChoosing = false;
    this.#images.divert(null);
    if (status.notice === CHOOSING) status.say(null);
  }

  patchHeads(target = this.#session.target) {
    const [pair, { engine }] = [this.#pair, this.#session];
    if (!pair) return;
    const { explanation, image: other } = pair;
    this.task.run(
      (signal, report) =>
        engine.request(
          'explanations/patching',
          { subject: explanation.subject, other, target, part: 'heads' },
          signal,
          report,
        ),
      (found) => {
        this.#pair = { ...pair, patched: patchedOf(found, explanation.reply.classes) };
      },
    );
  }

  /** Show the tokens of a layer, computed at the first time. */
  patchTokens(layer: number) {
    const [pair, { engine, target }] = [this.#pair, this.#session];
    chooseHead(this.#session, layer, MEAN, 0);
    if (!pair || pair.tokens.has(layer)) return;
    const { explanation, image: other } = pair;
    this.task.run(
      (signal, report) =>
        engine.request(
          'explanations/patching',
          { subject: explanation.subject, other, target, part: 'tokens', layer },
          signal,
          report,
        ),
      ({ tokens }) => {
        this.#pair = { ...pair, tokens: new Map([...pair.tokens, [layer, new Float32Array(tokens)]]) };
      },
    );
  }

  interrupt() {
    this.task.cancel();
    this.#session.status.say(STOPPED);
  }
}
