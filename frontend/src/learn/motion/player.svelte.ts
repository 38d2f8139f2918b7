/* The time of the motion: playing, stepping from beat to beat, and stills for readers who prefer no motion. */

import { BEATS, beatAt, END, startOf, stillOf } from './timeline';

const DONE = 0.3; // s before the end of a beat from where "next" is the next one

export class Player {
  time = $state.raw(0);
  isPlaying = $state.raw(false);
  isStill = $state.raw(false);
  readonly beat = $derived(beatAt(this.time));
  #until = END;
  #frame = 0;

  constructor() {
    const reduced = matchMedia('(prefers-reduced-motion: reduce)');
    const follow = () => {
      this.pause();
      this.isStill = reduced.matches;
      this.seek(this.time);
    };
    follow();
    reduced.addEventListener('change', follow);
  }

  seek(time: number) {
    const inside = Math.min(Math.max(time, 0), stillOf(BEATS.length - 1));
    this.time = this.isStill ? stillOf(beatAt(inside)) : inside;
  }

  pause() {
    cancelAnimationFrame(this.#frame);
    this.isPlaying = false;
  }

  play(until = END) {
    this.pause();
    if (this.isStill) return;
    this.isPlaying = true;
    this.#until = until;
    let before = performance.now();
    const tick = (now: number) => {
      this.seek(Math.min(this.time + Math.min(0.1, (now - before) / 1000), this.#until));
      before = now;
      if (this.time >= Math.min(this.#until, stillOf(BEATS.length - 1))) return this.pause();
      this.#frame = requestAnimationFrame(tick);
    };
    this.#frame = requestAnimationFrame(tick);
  }

  toggle() {
    if (this.isStill) {
      this.step(1);
      return;
    }
    if (this.isPlaying) return this.pause();
    if (this.time >= stillOf(BEATS.length - 1)) this.seek(0);
    this.play();
  }

  /** Play the next beat and wait, as in a talk; back to the start of a beat, or of the one before.
      @returns whether there was one */
  step(by: number): boolean {
    const { beat, time } = this;
    const isLast = beat === BEATS.length - 1;
    if (this.isStill) {
      this.seek(stillOf(Math.min(Math.max(beat + by, 0), BEATS.length - 1)));
      return this.beat !== beat;
    }
    this.pause();
    if (by < 0) {
      this.seek(startOf(time - startOf(beat) > 0.8 ? beat : Math.max(0, beat - 1)));
      return this.time < time;
    }
    const isDone = time > stillOf(beat) - DONE;
    const isStarted = time > startOf(beat) + 0.05;
    if (isDone && isLast) return false;
    if (isDone) this.seek(startOf(beat + 1));
    if (!isDone && isStarted) this.seek(stillOf(beat));
    else this.play(stillOf(this.beat));
    return true;
  }
}
