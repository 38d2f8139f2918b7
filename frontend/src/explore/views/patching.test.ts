import { expect, test, vi } from 'vitest';
import type { ImageChoice } from '../../lib/api';
import { MEAN } from '../../lib/numbers';
import { textOf } from '../../lib/words';
import { chooseImage } from '../images';
import type { Explorer } from '../state.svelte';
import { isCheap, meaning, patchedOf, readLine, strongest, tokensHeadline, tokensLine, tokensNote } from './patching';
import { PatchingPanel } from './patching.svelte';

vi.mock('../actions', () => ({
  act: vi.fn(({ choices }: Explorer, change: object) => Object.assign(choices, change)),
  chooseHead: vi.fn(({ choices }: Explorer, layer: number, head: number) => Object.assign(choices, { layer, head })),
  writeAddress: vi.fn(),
  writeAddressSoon: vi.fn(),
}));

const SHAPE = { layers: 2, heads: 2, rows: 1, columns: 2, aspect: 2, prefix: 2, classToken: true };
const REPLY = {
  heads: [
    [0.1, -0.5],
    [0.25, 0],
  ],
  mlp: [0.2, 0.3],
  logit: 8,
  corruptedLogit: -2,
  target: [1, 0],
};
const NAMES = ['cat', 'dog'];

test('each layer has its heads and its MLP, on one scale', () => {
  const patched = patchedOf(REPLY, NAMES);
  expect(patched.rows).toEqual([
    [0.1, -0.5, 0.2],
    [0.25, 0, 0.3],
  ]);
  expect(patched.limits).toEqual({ heads: 0.5, mlp: 0.3 });
  expect(strongest(patched)).toEqual([1, 0]);
});

test('what 0 and 1 mean is said with the logits', () => {
  const sentence = meaning(patchedOf(REPLY, NAMES));
  expect(sentence).toContain('0: the logit of dog minus that of cat stays at −2.00, as in B.');
  expect(sentence).toContain('1: this activation alone raises it to +8.00, as in A.');
  expect(sentence).toMatch(/Heads have colors from −[\d.]+ to \+[\d.]+, MLPs colors from −[\d.]+ to \+[\d.]+\.$/);
  expect(meaning(patchedOf({ ...REPLY, logit: -3 }, NAMES))).toContain('lowers it to −3.00');
});

test('the head of the headline is read out in logits, others by what they recover', () => {
  const read = (layer: number, column: number) =>
    textOf(readLine(patchedOf({ ...REPLY, target: [0] }, NAMES), layer, column, SHAPE));
  expect(read(1, 0)).toBe('Patched, it changes the logit of cat from −2.00 in B to +0.50; A has +8.00.');
  expect(read(0, 0)).toBe('Layer 1, head 1 recovers 10\u00a0% of the difference between A and B.');
});

test('a token is named by its place or its kind', () => {
  expect(tokensHeadline(4, [0, 0, 0.1, 0.2], SHAPE)).toBe(
    'After layer 5, the token at row 1, column 2 recovers 20\u00a0% of the difference between A and B',
  );
  expect(tokensHeadline(0, [0.9, 0, 0.1, 0.2], SHAPE)).toContain('the class token recovers 90\u00a0%');
  expect(tokensNote([0.9, -0.1, 0, 0], SHAPE)).toBe('+0.90 by the class token, −0.10 by register 1');
  expect(tokensNote([0.9, -0.1, 0, 0], { ...SHAPE, classToken: false })).toContain(
    'by register 1, −0.10 by register 2',
  );
});

test('the strongest patch token is read out, unless none has an effect', () => {
  const read = (values: number[], patch: number) =>
    textOf(tokensLine(values, patch, SHAPE, patchedOf({ ...REPLY, target: [0] }, NAMES)));
  expect(read([1, 0, 0.1, 0.2], -1)).toBe(
    'Row 1, column 2: its token after this layer, taken from A, recovers 20\u00a0% of the difference.',
  );
  expect(read([1, 0, 0.1, 0.2], 0)).toContain('Row 1, column 1');
  expect(read([1, 0, 0, 0], -1)).toContain('No patch token recovers anything');
  expect(read([1, 0, 0, 0], 1)).toContain('recovers 0\u00a0%');
  expect(read([0, 0, 0.1, 0.25], -1), 'in the headline').toBe(
    'Patched, it changes the logit of cat from −2.00 in B to +0.50; A has +8.00.',
  );
});

test('a small model is patched at once, a large one on request', () => {
  const small = { layers: 9, heads: 6, rows: 8, columns: 8, aspect: 1, prefix: 1, classToken: true };
  expect(isCheap(small, 5e6)).toBe(true);
  expect(isCheap({ ...small, layers: 12, heads: 12, rows: 14, columns: 14 }, 86e6)).toBe(false);
});

/** A panel whose server answers when told to. */
function panelWith(parameters = 100) {
  const answers = new Map<string, (reply: unknown) => void>();
  const request = vi.fn((name: string, _: unknown) => new Promise((resolve) => answers.set(name, resolve)));
  const image: ImageChoice = { kind: 'sample', name: 'cat' };
  const explorer = {
    host: { request },
    catalog: { samples: [{ name: 'ship' }, { name: 'cat' }, { name: 'dog' }] },
    choices: { image, other: null as ImageChoice | null, target: [], layer: 0, head: 1, readoutPatch: -1 },
    shape: SHAPE,
    reply: { key: 'k', checkpoint: 'c', classes: NAMES },
    shown: {},
    ablation: null,
    key: 'k',
    predictedClass: 0,
    markers: {},
    notice: null as string | null,
    takeImage: null,
    model: () => ({ parameters }),
  };
  const answer = (name: string, reply: unknown) => answers.get(name)?.(reply);
  return { panel: new PatchingPanel(explorer as unknown as Explorer), explorer, request, answer };
}

test('the other sample is image B, and a small model is patched at once', async () => {
  const { panel, request, answer } = panelWith();
  const loading = panel.load();
  expect(request).toHaveBeenCalledWith('explain', { checkpoint: 'c', image: { kind: 'sample', name: 'dog' } });
  answer('explain', { key: 'o' });
  await vi.waitFor(() => expect(request).toHaveBeenCalledWith('patch_heads', expect.anything()));
  expect(request.mock.calls.find(([name]) => name === 'patch_heads')?.[1]).toMatchObject({
    key: 'k',
    other: 'o',
    target: [],
  });
  answer('patch_heads', REPLY);
  await loading;
  expect(panel.headline).toBe(
    'Layer 2, head 1 alone recovers 25\u00a0% of the difference between A and B in the logit of dog minus that of cat',
  );
  expect(textOf(panel.line)).toBe('Layer 1, head 2 recovers −50\u00a0% of the difference between A and B.');
  expect([panel.map, panel.note, panel.unit, panel.read(0)]).toEqual([undefined, undefined, undefined, null]);
  expect(panel.title).toBe('Layer 1, head 2');
});

test('a large model waits for the button, and the tokens of a layer become the map', async () => {
  const { panel, explorer, request, answer } = panelWith(1e12);
  const loading = panel.load();
  answer('explain', { key: 'o' });
  await loading;
  expect(request).not.toHaveBeenCalledWith('patch_heads', expect.anything());
  const patching = panel.patchTokens(1);
  answer('patch_tokens', { tokens: [0.5, 0, 0.25, -0.125] });
  await patching;
  expect(explorer.choices).toMatchObject({ layer: 1, head: MEAN });
  expect(panel.map).toMatchObject({ first: 2, scale: { kind: 'signed', limit: 0.25 } });
  expect(panel.read(1)).toEqual(['−0.13', 'recovered']);
  expect(panel.title).toBe('Tokens after layer 2');
  expect(panel.headline).toContain('the class token recovers 50\u00a0%');
  await panel.patchTokens(1);
  expect(request.mock.calls.filter(([name]) => name === 'patch_tokens')).toHaveLength(1);
});

test('the next image that is chosen is B, and is not shown', async () => {
  const { panel, explorer, request } = panelWith();
  panel.choose();
  expect(explorer.notice).toContain('Choose image B');
  await chooseImage(explorer as unknown as Explorer, { kind: 'cifar', index: 3 });
  expect(explorer.choices.other).toEqual({ kind: 'cifar', index: 3 });
  expect(explorer.takeImage).toBeNull();
  expect(panel.isChoosing).toBe(false);
  expect(request).not.toHaveBeenCalled();
  panel.choose();
  panel.choose();
  expect(explorer.notice).toBeNull();
});

test('an error is shown, and after cancelling a sentence', async () => {
  const { panel, explorer, answer } = panelWith();
  const loading = panel.load();
  answer('explain', { error: 'Something went wrong.' });
  await loading;
  expect(explorer.notice).toBe('Something went wrong.');
  panel.interrupt();
  expect(explorer.notice).toContain('Canceled');
});
