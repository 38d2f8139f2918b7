/* State of the Learn page. Requests are functions over this object, see requests.ts. */

import type {
  Catalog,
  ExplainReply,
  LessonFlipReply,
  LessonPatchReply,
  LessonReply,
  LessonTrainingReply,
  ModelInfo,
} from '../lib/api';
import type { Host } from '../lib/client';
import { floatsOf, type Shape } from '../lib/numbers';
import { ThemeColors } from '../lib/theme';
import type { Image } from '../lib/view';
import type { Choices } from './address';
import { STEPS } from './steps';

/** Query of the class token, keys and values of all tokens of a head. */
export interface Head {
  layer: number;
  head: number;
  size: number; // of the vectors
  query: Float32Array; // (d)
  keys: Float32Array; // (T, d)
  values: Float32Array; // (T, d)
}

/** What a lesson is about: one forward pass. */
export interface Pass {
  reply: ExplainReply;
  lesson: LessonReply;
  shape: Shape;
  /** Attention weights of the class token, or of the mean patch, (L, A, T). */
  rows: Float32Array;
}

export class LearnPage implements Choices {
  readonly host: Host<Catalog>;
  readonly theme: ThemeColors;

  root: HTMLElement | null = null; // set by Learn.svelte
  state = $state.raw<'working' | 'ready' | 'error'>('working'); // `data-state`
  models: ModelInfo[];
  checkpoint = $state.raw('');
  image = $state.raw<Image | null>(null);
  step = $state.raw(0);
  status = $state.raw('');
  isError = $state.raw(false);
  settled = $state.raw(-1); // the step whose figure has all that it needs, `data-settled`
  pass = $state.raw<Pass | null>(null);

  // What the reader has chosen in the figures.
  patch = $state.raw(0);
  layer = $state.raw(0);
  head = $state.raw(0);
  dimension = $state.raw(0);
  removed = $state.raw<readonly number[]>([]);

  // Responses to these choices.
  attention = $state.raw<Head | null>(null);
  embedding = $state.raw<LessonPatchReply | null>(null);
  similar = $state.raw<Float32Array | null>(null); // to `patch`, (L, N)
  without = $state.raw<readonly number[] | null>(null); // probabilities without the removed patches
  ownBest = $state.raw(0); // fewest patches with which the reader changed the answer, 0 for none
  answered = $state.raw<readonly number[]>([]); // the patches of `without`; `removed` may be newer
  training = $state.raw<LessonTrainingReply | null>(); // null: the model has no timeline; undefined while it is loading
  flips = $state.raw<LessonFlipReply | 'working' | null>(null); // the best known set, once it is asked for

  shown: Pick<LearnPage, 'checkpoint' | 'image'> | null = null; // those of the pass, restored after an error
  ticket = 0; // of the latest request for a pass; responses to earlier ones are dropped
  addressTimer = 0; // writes the choices into the address once the pointer rests
  followed: string | null = null; // the checkpoint and image that were last read from the address

  readonly current = $derived.by(() => STEPS[this.step]);

  constructor(host: Host<Catalog>) {
    this.host = host;
    this.models = $state.raw(host.catalog.checkpoints);
    this.theme = new ThemeColors(host.element, host.catalog.colors);
  }

  isKnown(name: string | null): boolean {
    return this.models.some((model) => model.name === name);
  }

  /** Whether a set of removed patches was offered by the page: of a method, random, or the best known one. */
  isOffered(patches: readonly number[]): boolean {
    const { removals, random } = this.pass?.lesson ?? { removals: [], random: [] };
    const best = this.flips === 'working' ? null : this.flips?.best;
    return patches === best || [...removals, ...random].some((one) => one.patches === patches);
  }

  showNotice(sentence: string, isError = false) {
    Object.assign(this, { status: sentence, isError });
  }
}

/** The parts of a pass that figures need, from the responses. */
export function passOf(reply: ExplainReply, lesson: LessonReply): Pass {
  const { layers, heads, rows, columns, aspect, prefix, classToken, distilled } = reply;
  return {
    reply,
    lesson,
    shape: { layers, heads, rows, columns, aspect, prefix, classToken, distilled },
    rows: floatsOf(reply.cls),
  };
}

/** Attention weights of a head to all tokens, (T). */
export function rowOfHead({ rows, shape }: Pass, layer: number, head: number): Float32Array {
  const tokens = shape.prefix + shape.rows * shape.columns;
  const first = (layer * shape.heads + head) * tokens;
  return rows.subarray(first, first + tokens);
}
