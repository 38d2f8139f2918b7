/* Time: the beats of the motion, and how far a movement is at a time. */

export const BEATS = [
  { id: 'patches', name: 'Patches', seconds: 4, step: 'patches' },
  { id: 'embedding', name: 'Embedding', seconds: 5, step: 'embedding' },
  { id: 'position', name: 'Position', seconds: 4, step: 'positions' },
  { id: 'tokens', name: 'Tokens', seconds: 4.5, step: 'class-token' },
  { id: 'query', name: 'Query', seconds: 4.5, step: 'attention' },
  { id: 'scores', name: 'Scores', seconds: 5, step: 'attention' },
  { id: 'weights', name: 'Weights', seconds: 5, step: 'attention' },
  { id: 'values', name: 'Values', seconds: 5, step: 'attention' },
  { id: 'heads', name: 'Heads', seconds: 5, step: 'heads' },
  { id: 'mlp', name: 'MLP', seconds: 5, step: 'layers' },
  { id: 'layers', name: 'Layers', seconds: 5, step: 'layers' },
  { id: 'answer', name: 'Answer', seconds: 5, step: 'softmax' },
  { id: 'whole', name: 'The whole', seconds: 4, step: 'contributions' },
] as const;
export type BeatId = (typeof BEATS)[number]['id'];

const STARTS = BEATS.map((_, i) => BEATS.slice(0, i).reduce((sum, { seconds }) => sum + seconds, 0));
export const END = STARTS[BEATS.length - 1] + BEATS[BEATS.length - 1].seconds;
const LAST = 0.001; // s before the end of a beat, where all its numbers are the final ones

export const startOf = (beat: number) => STARTS[beat] ?? END;
export const beatAt = (time: number) => STARTS.findLastIndex((start) => time >= start - 1e-6);
/** The last moment of a beat, which reduced motion shows. */
export const stillOf = (beat: number) => startOf(beat + 1) - LAST;

export const clamp = (x: number, low = 0, high = 1) => Math.min(high, Math.max(low, x));
export const mix = (a: number, b: number, f: number) => a + (b - a) * f;
export const soft = (x: number) => x * x * (3 - 2 * x);
const ease = (x: number) => (x < 0.5 ? 4 * x ** 3 : 1 - (2 - 2 * x) ** 3 / 2);

/** A moment. Movements are named by their beat and its seconds: 0 before `from`, 1 after `to`. */
export class Moment {
  readonly beat: number;
  constructor(readonly time: number) {
    this.beat = beatAt(time);
  }
  after(id: BeatId, seconds = 0) {
    return this.time - STARTS[BEATS.findIndex((one) => one.id === id)] - seconds;
  }
  lin = (id: BeatId, from: number, to: number) => clamp(this.after(id, from) / (to - from));
  go = (id: BeatId, from: number, to: number) => ease(this.lin(id, from, to));
  /** Whether it is within these beats. */
  isIn = (first: BeatId, last: BeatId = first) =>
    this.after(first) >= -1e-6 && this.beat <= BEATS.findIndex((one) => one.id === last);
}
