import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Player } from './player.svelte';
import { BEATS, END, startOf, stillOf } from './timeline';

let frames: ((now: number) => void)[] = [];
let now = 0;
let reduced: { matches: boolean; change?: () => void };

beforeEach(() => {
  [frames, now, reduced] = [[], 0, { matches: false }];
  vi.stubGlobal('matchMedia', () => ({
    get matches() {
      return reduced.matches;
    },
    addEventListener: (_: string, listener: () => void) => {
      reduced.change = listener;
    },
  }));
  vi.stubGlobal('requestAnimationFrame', (frame: (now: number) => void) => frames.push(frame));
  vi.stubGlobal('cancelAnimationFrame', () => {
    frames = [];
  });
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Let frames of 50 ms pass until it pauses. */
function run(player: Player, seconds = END) {
  for (let end = now + 1000 * seconds; player.isPlaying && now < end; ) {
    now += 50;
    for (const frame of frames.splice(0)) frame(now);
  }
}

test('next plays one beat and waits; before its end, it shows the end', () => {
  const player = new Player();
  player.step(1);
  run(player);
  expect([player.beat, player.isPlaying, player.time]).toEqual([0, false, stillOf(0)]);
  player.step(1);
  run(player, 1);
  expect([player.beat, player.isPlaying]).toEqual([1, true]);
  player.step(1);
  expect([player.time, player.isPlaying]).toEqual([stillOf(1), false]);
  player.step(-1);
  expect(player.time).toBe(startOf(1));
  player.step(-1);
  expect(player.time).toBe(0);
});

test('play goes to the end, and then starts again', () => {
  const player = new Player();
  player.toggle();
  run(player, 10);
  expect(player.time).toBeCloseTo(10);
  player.toggle();
  expect(player.isPlaying).toBe(false);
  player.toggle();
  run(player);
  expect(player.time).toBe(stillOf(BEATS.length - 1));
  player.toggle();
  run(player, 1);
  expect(player.time).toBeCloseTo(1);
});

test('readers who prefer no motion step through stills', () => {
  reduced.matches = true;
  const player = new Player();
  expect(player.time).toBe(stillOf(0));
  player.toggle();
  expect([player.time, player.isPlaying, frames.length]).toEqual([stillOf(1), false, 0]);
  player.seek(startOf(5) + 0.1);
  expect(player.time).toBe(stillOf(5));
  player.step(-1);
  expect(player.time).toBe(stillOf(4));
  for (let i = 0; i < 20; i++) player.step(1);
  expect(player.beat).toBe(BEATS.length - 1);
});

test('a wish for no motion stops what plays', () => {
  const player = new Player();
  player.play();
  run(player, 1);
  reduced.matches = true;
  reduced.change?.();
  expect([player.isPlaying, player.time]).toEqual([false, stillOf(0)]);
});
