import { expect, test } from 'vitest';
import { signed, textOf } from '../../lib/words';
import type { Motion, Pass } from '../learnPage.svelte';
import { PASS, passOf, recorder, stageOf } from './motion.testdata';
import { sentenceAt } from './sentences';
import { draw } from './stage';
import { BEATS, beatAt, END, Moment, startOf, stillOf } from './timeline';
import { cameraAt } from './world';

const TIMES = Array.from({ length: 2 * Math.ceil(END) }, (_, i) => i / 2 + 0.123);
const SIZES = [
  [1140, 520],
  [358, 480],
];

/** What is drawn at a time, on a context that may have been drawn on. */
function callsAt(time: number, stage: ReturnType<typeof stageOf>, context = recorder(), pointed = -1) {
  context.calls.length = 0;
  draw({ g: context.g, ratio: 2 }, stage, time, pointed);
  return [...context.calls];
}
const broken = (calls: readonly string[]) => calls.filter((call) => /NaN|Infinity|undefined/.test(call));
const textsAt = (time: number, stage = stageOf()) => draw({ g: recorder().g, ratio: 1 }, stage, time).texts;
const still = (id: string) => stillOf(BEATS.findIndex((beat) => beat.id === id));

test('what is drawn depends on the time alone: forwards, backwards and afresh', () => {
  for (const [width, height] of SIZES) {
    const [stage, context] = [stageOf(width, height), recorder()];
    const forwards = TIMES.map((time) => callsAt(time, stage, context));
    const backwards = TIMES.toReversed().map((time) => callsAt(time, stage, context));
    expect(backwards.reverse()).toEqual(forwards);
    expect(TIMES.map((time) => callsAt(time, stage))).toEqual(forwards);
    expect(new Set(forwards.map(String)).size).toBeGreaterThan(0.6 * TIMES.length);
  }
});

test('no number is drawn that is not finite', () => {
  for (const [width, height] of SIZES)
    for (const time of TIMES) expect(broken(callsAt(time, stageOf(width, height), recorder(), 2))).toEqual([]);
});

test('the whole takes about a minute, in beats of at most 5 s', () => {
  expect(Math.max(...BEATS.map(({ seconds }) => seconds))).toBeLessThanOrEqual(5);
  expect(END).toBeGreaterThan(50);
  expect(END).toBeLessThan(65);
  expect(BEATS.map((_, i) => [beatAt(startOf(i)), beatAt(stillOf(i))])).toEqual(BEATS.map((_, i) => [i, i]));
});

test('the camera moves without jumps', () => {
  const { world, width, height } = stageOf();
  const step = 1 / 240;
  let before = cameraAt(world, new Moment(0), width, height);
  for (let time = step; time < END; time += step) {
    const now = cameraAt(world, new Moment(time), width, height);
    expect(Math.hypot(now[0] - before[0], now[1] - before[1])).toBeLessThan(0.1 * Math.max(now[2], before[2]));
    before = now;
  }
});

test('numbers on the stage are those of the reply', () => {
  const { story } = stageOf();
  const { weights, scores, output } = story.block;
  expect(textsAt(still('scores'))).toEqual(
    expect.arrayContaining([...scores].map((score) => score.toFixed(1).replace('-', '−'))),
  );
  expect(textsAt(still('scores'))).toContain(`score ${signed(scores[4])}`);
  expect(textsAt(still('weights'))).toEqual(
    expect.arrayContaining([...weights].map((weight) => (100 * weight).toFixed(1))),
  );
  expect(textsAt(still('weights'))).toContain(`${(100 * weights[2]).toFixed(1)}\u00a0%`);
  expect(textsAt(still('answer'))).toEqual(expect.arrayContaining(['70.0\u00a0%', '20.0\u00a0%', '10.0\u00a0%']));
  expect(textsAt(startOf(11) + 2.4)).toEqual(expect.arrayContaining(['+1.50', '+0.25', '−0.44']));
  expect(textsAt(still('layers'))).toEqual(expect.arrayContaining(['cat 50\u00a0%', 'dog 40\u00a0%', 'dog 70\u00a0%']));
  const vector = draw({ g: recorder().g, ratio: 1 }, stageOf(), still('values')).hits.find(({ says }) =>
    says(0).startsWith('Output'),
  );
  expect([0, 1, 2].map((i) => vector?.says(i))).toEqual(
    [...output].map((value, i) => `Output, number ${i + 1}: ${signed(value)}`),
  );
});

test('a movement has no labels but those of its ends', () => {
  expect(textsAt(startOf(6) + 3).filter((text) => /^[\d.−]+$/.test(text))).toEqual([]);
});

test('a click follows a patch or magnifies a head', () => {
  const { hits } = draw({ g: recorder().g, ratio: 1 }, stageOf(), still('layers'));
  expect(hits.map(({ head }) => head).filter(Boolean)).toHaveLength(4);
  expect(hits.find(({ patch }) => patch)?.patch?.(5)).toBe(5);
});

test('each beat has a sentence, also of models that lack something', () => {
  const models: [string, object, object][] = [
    ['classifier head', { reply: { classes: [], probabilities: [] } }, {}],
    ['positions rotate', {}, { model: { ...PASS.lesson.model, positions: false, rotary: true } }],
    ['positions are a bias', {}, { model: { ...PASS.lesson.model, positions: false, rel_pos_bias: true } }],
    ['the last tokens', {}, { patch_predictions: null }],
  ];
  const all = (pass: Pass) =>
    BEATS.map((_, i) => textOf(sentenceAt(stageOf(1140, 520, pass).story, stillOf(i)))).join(' ');
  expect(all(PASS)).not.toMatch(/undefined|NaN/);
  for (const [words, explanation, lesson] of models) {
    const pass = { explanation: { ...PASS.explanation, ...explanation }, lesson: { ...PASS.lesson, ...lesson } };
    expect(all(pass as Pass)).toContain(words);
    for (const time of TIMES)
      expect(textsAt(time, stageOf(1140, 520, pass as Pass)).join()).not.toMatch(/undefined|NaN/);
  }
});

test('of a large network some is drawn, and said', () => {
  const sizes = { layers: 24, heads: 16, rows: 37, columns: 37, prefix: 5, every: 22 };
  const { pass, motion } = passOf(sizes);
  for (const [width, height] of SIZES) {
    const stage = stageOf(width, height, pass, motion);
    for (const { seconds, id } of BEATS)
      for (let after = 0.1; after < seconds; after += 0.8)
        expect(broken(callsAt(still(id) - after, stage))).toEqual([]);
    const { whole } = stage.world.frames;
    for (const { x, y, w, h } of [...stage.world.tables, ...stage.world.tiles.flat()])
      expect(x > whole.x && y > whole.y && x + w < whole.x + whole.w && y + h < whole.y + whole.h).toBe(true);
  }
  const stage = stageOf(1140, 520, pass, motion);
  expect(textsAt(still('tokens'), stage)).toContain('1374 tokens, 63 patches drawn');
  expect(textsAt(startOf(6) + 2, stage).join()).toContain('the 65 largest of 1374 scores');
  expect(stage.story.rows[stage.story.row]).toBe(8); // the patch that is followed is among them
});

test('without a class token the patch is the query', () => {
  const { story } = stageOf();
  const motion = { followed: 3, patch: story.patch, head: { ...story.block, token: 4 } } as unknown as Motion;
  const explanation = { ...PASS.explanation, shape: { ...PASS.explanation.shape, class_token: false } };
  const stage = stageOf(1140, 520, { ...PASS, explanation } as Pass, motion);
  expect(textOf(sentenceAt(stage.story, still('whole')))).toContain('where it asks as the query');
  expect(textsAt(still('query'), stage)).toContain('row 2, column 1 after layer 1');
});
