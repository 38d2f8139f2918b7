import { expect, test } from 'vitest';
import { tokenName } from '../lib/words';
import { derivationOf, softmax, steps, workedRow } from './attention';
import { type Pass, rowOfHead } from './learnPage.svelte';
import { barsOf } from './logitSum';
import {
  decidedAt,
  isAbsent,
  isUnknown,
  leadLine,
  lensSentence,
  predictionOf,
  STEPS,
  stepOf,
  textOf,
  wordsOf,
} from './steps';

const MODEL = {
  img_size: [32, 32],
  patch_size: 4,
  patch: [4, 4],
  embed_dim: 192,
  head_dim: 32,
  mlp_dim: 384,
  scaled_width: 32,
  positions: true,
  position_start: 'sine-cosine',
  rotary: false,
  rel_pos_bias: false,
  patch_bias: true,
  qkv_bias: false,
  qk_norm: true,
  has_sigmoid: false,
};
const PASS = {
  explanation: {
    reply: { classes: ['cat', 'dog'], probabilities: [0.75, 0.25] },
    shape: { layers: 2, heads: 2, rows: 8, columns: 8, aspect: 1, prefix: 1, class_token: true },
    defaultRows: Float32Array.from({ length: 4 * 65 }, (_, i) => i),
  },
  lesson: {
    model: MODEL,
    patch_predictions: [[1, 0]],
    reshaped: [0.4, 0.6],
    removals: [{ patches: [1, 2] }],
    random: [{ patches: [3], probabilities: [0.5, 0.5] }],
  },
} as unknown as Pass;
const HEADLESS = { ...PASS.explanation, reply: { classes: [], probabilities: [] } };

const WORDS_A_MINUTE = 130; // read aloud
const TASK = 20; // s, to do what "Try it" says

test('a step has at most 90 words before its answer, and the whole is read aloud and tried in 12 to 15 minutes', () => {
  const other = {
    ...PASS,
    lesson: { ...PASS.lesson, patch_predictions: null, model: { ...MODEL, positions: false } },
  } as unknown as Pass;
  for (const pass of [PASS, other]) {
    for (const step of STEPS) expect(wordsOf(step, pass, false).length).toBeLessThanOrEqual(90);
    const words = STEPS.reduce((sum, step) => sum + wordsOf(step, pass).length, 0);
    const tasks = STEPS.filter((step) => !isAbsent(step, pass)).length;
    expect(words / WORDS_A_MINUTE + (tasks * TASK) / 60).toBeLessThanOrEqual(15);
  }
});

test('numbers in the words are those of the model', () => {
  const words = (id: string) => wordsOf(STEPS[stepOf(id)], PASS).join(' ');
  expect(words('overview')).toContain('64 patches');
  expect(words('patches')).toContain('both cuts, and what this model answers to each.');
  expect(words('embedding')).toContain('9,408');
  expect(words('attention')).toContain('65 keys');
});

test('words follow what the model has', () => {
  const words = (id: string, change: object) => {
    const pass = { ...PASS, lesson: { ...PASS.lesson, model: { ...MODEL, ...change } } } as unknown as Pass;
    return wordsOf(STEPS[stepOf(id)], pass).join(' ');
  };
  expect(words('embedding', { patch_bias: false })).toContain('times 192 outputs: 9,216.');
  expect(words('positions', {})).toContain('neighbors were similar before training');
  expect(words('positions', { position_start: 'unstructured' })).toContain('what neighbors have in common was learned');
  expect(words('attention', { rel_pos_bias: true })).toContain('plus a bias for their relative position');
  const unplaced = (change: object) => words('positions', { positions: false, ...change });
  expect(unplaced({ rotary: true })).toContain('it rotates queries and keys');
  expect(unplaced({ rel_pos_bias: true })).toContain('its scores have a learned bias');
  expect(unplaced({})).toContain('adds no position embedding.');
  expect(words('softmax', { has_sigmoid: true })).toContain('the sigmoid of its logit');
});

test('every name in the words is replaced', () => {
  for (const pass of [PASS, { ...PASS, lesson: { ...PASS.lesson, patch_predictions: null } } as unknown as Pass])
    for (const step of STEPS) expect(wordsOf(step, pass).join(' ')).not.toMatch(/[{}]|undefined|NaN/);
});

test('steps that need a head say so', () => {
  const headless = { ...PASS, explanation: HEADLESS } as unknown as Pass;
  for (const id of ['softmax', 'contributions', 'removal'])
    expect(textOf(STEPS[stepOf(id)], headless)[0]).toContain('needs a classifier head');
});

test('a step about what the model lacks has nothing to try', () => {
  const absent = (change: object) => {
    const shape = { ...PASS.explanation.shape, ...change };
    const pass = { ...PASS, explanation: { ...PASS.explanation, shape } } as unknown as Pass;
    return STEPS.filter((step) => isAbsent(step, pass)).map(({ id }) => id);
  };
  expect(absent({})).toEqual(['exercises']);
  expect(absent({ class_token: false })).toEqual(['question', 'exercises']);
});

test('a model without head has none that reads tokens', () => {
  const lesson = { ...PASS.lesson, patch_predictions: null };
  const headless = { lesson, explanation: HEADLESS } as unknown as Pass;
  expect(textOf(STEPS[stepOf('overview')], headless)[1]).toBe('Then 2 layers of attention and MLP update the tokens.');
  expect(textOf(STEPS[stepOf('class-token')], headless)[1]).toContain('has no classifier head');
  const words = textOf(STEPS[stepOf('overview')], PASS)[1];
  expect(words).toContain('a classifier head reads one of them, the class token.');
});

test('a lens that is most accurate after the last layer, and localizes best before, is described by its numbers', () => {
  const accuracy = [0.2, 0.5, 0.8];
  expect(lensSentence({ accuracy, localization: [0.7, 0.9, 0.62] })).toBe(
    'The lens is most accurate after the last layer: 80\u00a0%. But the AUROC of its map is 0.62, below that of the input, as by then every patch has attended to the whole image; after layer 1 it is 0.90.',
  );
  expect(lensSentence({ accuracy, localization: [0.7, 0.9, 0.75] })).toMatch(/is 0.75; after layer 1 it is 0.90.$/);
  expect(lensSentence({ accuracy, localization: [0.7, 0.8, 0.9] })).toContain('highest, too: 0.90');
  expect(lensSentence({ accuracy: [0.8, 0.5], localization: [0.5, 0.6] })).toContain('after the input: 80');
  expect(lensSentence({ accuracy, localization: null })).toBe(
    'The lens is most accurate after the last layer: 80\u00a0%.',
  );
});

test('steps have an address each; an unknown one is the first', () => {
  expect(new Set(STEPS.map(({ id }) => id)).size).toBe(STEPS.length);
  expect(stepOf('heads')).toBe(6);
  expect([stepOf(null), stepOf('lost')]).toEqual([0, 0]);
  expect(predictionOf(PASS, [0.2, 0.8])).toBe('dog, 80.0\u00a0%');
});

test('a row of a head is found among all', () => {
  expect(rowOfHead(PASS, 1, 0)[0]).toBe(130);
  expect(rowOfHead(PASS, 1, 1)).toHaveLength(65);
});

/** A row of two keys whose scores have a relative position bias of 1 and -1. */
const ROW = {
  size: 4,
  query: Float32Array.of(1, 2, 0, -1),
  keys: Float32Array.of(1, 1, 1, 1, 0, 3, 0, 0),
  values: Float32Array.of(1, 0, 0, 0, 0, 1, 0, 0),
  scores: Float32Array.of(2, 2),
  weights: Float32Array.of(0.5, 0.5),
  output: Float32Array.of(0.5, 0.5, 0, 0),
};

test('a worked row has the scores, weights and output of the reply, and names the bias', () => {
  const found = workedRow(ROW, 1, 4);
  expect([...found.products]).toEqual([0, 6, 0, -0]);
  expect([found.product, found.scaled, found.bias]).toEqual([6, 3, -1]);
  expect([found.scores, found.weights, found.output]).toEqual([ROW.scores, ROW.weights, ROW.output]);
  const biased = { ...PASS.lesson.model, scaled_width: 4, rel_pos_bias: true };
  expect(steps(found, biased).map(({ text }) => text)).toEqual([
    '+6.00',
    '+3.00',
    '−1.00',
    '+2.00',
    '7.39',
    '50.0\u00a0%',
  ]);
  const words = (part: string) => derivationOf(part, 0, found, PASS.explanation.shape, biased);
  expect(words('bias')).toContain('place of row 1, column 1 relative to the query');
  expect(words('score')).toBe('+3.00 and −1.00 make +2.00.');
});

test('a temperature flattens probabilities and keeps their order', () => {
  const [cold, warm] = [softmax([2, 1, 0], 0.5), softmax([2, 1, 0], 5)];
  expect(cold[0]).toBeGreaterThan(warm[0]);
  expect([...warm].sort((a, b) => b - a)).toEqual([...warm]);
  expect(softmax([1000, 0])[0]).toBe(1);
});

test('bars of contributions continue one another up to the logit', () => {
  const { bars, low, high } = barsOf({ embedding: 0.5, attention: [1, -2], mlp: [0, 1], bias: 0.25, logit: 0.75 });
  expect(bars.map(({ name }) => name)).toEqual([
    'embedding',
    ...['attention 1', 'MLP 1', 'attention 2', 'MLP 2'],
    'biases',
    'logit',
  ]);
  for (const [i, bar] of bars.slice(1, -1).entries()) expect(bar.start).toBeCloseTo(bars[i].start + bars[i].value);
  expect([low, high]).toEqual([-0.5, 1.5]);
  expect(bars.at(-1)).toMatchObject({ start: 0, value: 0.75, isOn: true });
});

test('each number of a worked row has a derivation', () => {
  const weights = softmax([1, 3]);
  const row = workedRow(
    { ...ROW, scores: Float32Array.of(1, 3), weights, output: Float32Array.of(...weights, 0, 0) },
    1,
    4,
  );
  const model = { ...PASS.lesson.model, scaled_width: 4 };
  const derivation = (part: string, index = 0) => derivationOf(part, index, row, PASS.explanation.shape, model);
  expect(derivation('query', 1)).toBe(
    'Number 2 of q, +2.00: row 2 of the query weights of this head times the class token after the norm of the layer, 192 products, then normalized with the other numbers of the head (QK norm).',
  );
  expect(derivation('key', 1)).toContain('key weights of this head times row 1, column 1');
  expect(derivation('product', 1)).toBe('Number 2 of q × k: +2.00 × +3.00 = +6.00');
  expect(derivation('sum')).toBe('The 4 numbers of q × k: +6.00 of positive ones, 0.00 of negative ones.');
  expect(derivation('scaled')).toBe('+6.00 / √4 = +6.00 / 2.00 = +3.00');
  expect(derivation('power')).toBe('e to the power of +3.00 is 20.1: positive, whatever the score is.');
  expect(derivation('weight')).toBe('20.1 / 22.8 = 88.1\u00a0%. The divisor is the sum over all 2 keys.');
  expect(derivation('token', 0)).toBe('11.9\u00a0% for the class token, whose score is +1.00.');
  expect(derivation('output', 1)).toBe(
    'Number 2, +0.88: 88.1\u00a0% × +1.00 (row 1, column 1), 11.9\u00a0% × 0.00 (the class token), and 0.00 from 0 others.',
  );
  expect(steps(row, model).map(({ text }) => text)).toEqual(['+6.00', '+3.00', '20.1', '88.1\u00a0%']);
});

test('tokens before the patches are the class token and registers', () => {
  const shape = { ...PASS.explanation.shape, prefix: 3 };
  expect([0, 1, 3].map((token) => tokenName(token, shape))).toEqual([
    'the class token',
    'register 1',
    'row 1, column 1',
  ]);
  expect(tokenName(0, { ...shape, class_token: false })).toBe('register 1');
});

test('the prediction is decided after the last layer with another one', () => {
  const [cat, dog] = [
    [0.9, 0.1],
    [0.2, 0.8],
  ];
  expect(decidedAt([dog, cat, dog, cat, cat], 0)).toBe(3);
  expect(decidedAt([cat, cat, cat], 0)).toBe(0);
  expect(decidedAt([dog, dog, cat], 0)).toBe(2);
  const tie = [0.16902, 0.16898]; // both are printed as 16.9 %
  expect(decidedAt([cat, tie, cat], 0)).toBe(2);
  expect(leadLine([dog, cat, tie, [0.3, 0.2]], ['cat', 'dog'], 0)).toBe(
    'From layer 3 on cat leads: there with 30.0\u00a0%, before dog with 20.0\u00a0%.',
  );
  expect(leadLine([cat, tie], ['cat', 'dog'], 0)).toBe('');
});

test('steps that need the inside of a model say so', () => {
  const explanation = {
    ...PASS.explanation,
    shape: { ...PASS.explanation.shape, captured: true },
  } as Pass['explanation'];
  const pass = { ...PASS, explanation };
  const known = STEPS.filter((step) => !isUnknown(step, pass)).map(({ id }) => id);
  expect(known).toEqual(['patches', 'heads', 'softmax', 'removal', 'exercises']);
  expect(textOf(STEPS[0], pass)[0]).toMatch(/^This step needs the inside of the model/);
  expect(known.map((id) => textOf(STEPS[stepOf(id)], pass).join(' ')).join(' ')).not.toMatch(/balanced|undefined/);
  expect(STEPS.some((step) => isUnknown(step, PASS))).toBe(false);
});
