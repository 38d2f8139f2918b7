import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NO_ANSWER, RETRY_DELAY } from '../lib/client';
import { fetchAblation, fetchMethods, fetchPixels, load, METHODS_DELAY, requestCached } from './requests';
import { show } from './show';
import type { Explorer } from './state.svelte';

vi.mock('./show', () => ({ show: vi.fn(), decodeImage: async () => ({}) }));
vi.mock('./actions', () => ({ writeAddressSoon: vi.fn() }));

const CAT = { kind: 'sample', name: 'cat' } as const;
const BUSY = { error: 'The server is busy.', busy: true };
const PROBABILITIES = [0.9, 0.1];
const ROWS = btoa('\0\0\0\0');

/** An explorer with an image on screen, whose server gives these replies in turn. */
function explorerWith(replies: Record<string, unknown[]>) {
  const request = vi.fn(async (name: string, _: unknown) => (replies[name]?.length ? replies[name].shift() : null));
  const explorer = {
    host: { request, live: true },
    catalog: { methods: [{ key: 'relevance', forClass: true }, { key: 'rollout' }] },
    choices: { checkpoint: 'm', image: CAT, pins: [], target: [], ablated: [4], removed: [], mode: 'mean' },
    markers: {},
    view: { draw: vi.fn(), flushDraw: vi.fn(), line: [], scheduleDraw: vi.fn(), releaseMethod: vi.fn(), method: null },
    reply: { key: 'k', probabilities: PROBABILITIES, cls: ROWS, maps: { rollout: [2] } },
    shown: { checkpoint: 'm', image: CAT },
    shape: { layers: 2, heads: 3, rows: 1, columns: 1, prefix: 0 },
    maps: { relevance: [1], rollout: [2] },
    mapsOf: null,
    predictedClass: 0,
    method: () => undefined,
    status: [],
    previousChanges: { ablated: [], removed: [], mode: 'zero', patch_mode: 'drop' },
    ablation: null,
    notice: null,
    ticket: 0,
    methodsTicket: 0,
    ablationTicket: 0,
    pendingImages: 0,
  };
  return { explorer: explorer as unknown as Explorer, request };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('of a large model the maps that take few passes are shown first', async () => {
  const scores = { scores: {}, random_baseline: [0, 0] };
  const { explorer, request } = explorerWith({
    methods: [
      { maps: { relevance: [3] }, leftOut: null },
      { maps: { relevance: [3], occlusion: [4] }, leftOut: null },
    ],
    scores: [scores],
  });
  Object.assign(explorer.reply ?? {}, { onDemand: true });
  await Promise.all([fetchMethods(explorer), vi.runAllTimersAsync()]);
  expect(request.mock.calls.map(([name, question]) => [name, (question as { quick?: boolean }).quick])).toEqual([
    ['methods', true],
    ['methods', undefined],
    ['scores', undefined],
  ]);
  expect(explorer).toMatchObject({ maps: { relevance: [3], occlusion: [4] }, faithfulness: scores });
});

test('where maps are left out, no others are requested', async () => {
  const { explorer, request } = explorerWith({ methods: [{ maps: { relevance: [3] }, leftOut: 'large' }] });
  Object.assign(explorer.reply ?? {}, { onDemand: true });
  await Promise.all([fetchMethods(explorer), vi.runAllTimersAsync()]);
  expect(request).toHaveBeenCalledTimes(1);
  expect(explorer).toMatchObject({ leftOut: 'large', markers: { methods: expect.anything() } });
});

test('the reply to an earlier request is dropped', async () => {
  const { explorer } = explorerWith({ explain: [{ error: 'first' }, { error: 'second' }] });
  await Promise.all([load(explorer, 'm', CAT), load(explorer, 'other', CAT)]);
  expect(explorer.notice).toBe('second');
});

test('after an error the image on screen is chosen again, and its model is not requested again', async () => {
  const { explorer } = explorerWith({ explain: [{ error: 'No such model.' }, BUSY] });
  await load(explorer, 'other', { kind: 'sample', name: 'dog' });
  expect(explorer.choices).toMatchObject({ checkpoint: 'm', image: CAT });
  expect(explorer).toMatchObject({ failedModel: 'other', notice: 'No such model.', noticeIsError: true });
  await load(explorer, 'third', CAT);
  expect(explorer.failedModel).toBe('other');
});

test('an evicted explanation is computed again', async () => {
  const again = { key: 'k2', probabilities: PROBABILITIES };
  const { explorer, request } = explorerWith({ methods: [null, { maps: {} }], explain: [again] });
  expect(await requestCached(explorer, 'methods', { target: [] })).toEqual({ maps: {} });
  expect(request).toHaveBeenLastCalledWith('methods', { target: [], key: 'k2' });
  expect(explorer.markers.ready).toBe('k2');
});

test('a map per pixel is shown after an eviction, and requested once', async () => {
  const again = { key: 'k2', probabilities: PROBABILITIES };
  const { explorer, request } = explorerWith({
    pixel_map: [null, { rows: 1, columns: 1, values: ROWS }],
    explain: [again],
  });
  await fetchPixels(explorer, 'relevance');
  expect(explorer.pixelMap?.values).toEqual(new Float32Array(1));
  await fetchPixels(explorer, 'relevance');
  expect(request).toHaveBeenCalledTimes(3);
});

test('an image whose model was trained further is explained again', async () => {
  const again = { key: 'k2', probabilities: [0.5, 0.5], image: { src: '' } };
  const { explorer } = explorerWith({ methods: [null], explain: [again, again] });
  const reply = await requestCached(explorer, 'methods', { target: [] });
  expect(reply).toMatchObject({ error: expect.stringContaining('trained further') });
  await vi.runAllTimersAsync();
  expect(vi.mocked(show).mock.lastCall?.slice(0, 2)).toEqual([explorer, again]);
});

test('maps of another class are dropped at once, and requested until the server responds', async () => {
  const scores = { scores: {}, random_baseline: [0, 1] };
  const { explorer, request } = explorerWith({
    methods: [BUSY, { error: NO_ANSWER }, { maps: { relevance: [3] } }],
    scores: [scores],
  });
  const done = fetchMethods(explorer);
  expect(explorer.maps).toEqual({ rollout: [2] });
  await vi.advanceTimersByTimeAsync(RETRY_DELAY + 1);
  expect(explorer.notice).toBe(NO_ANSWER);
  await vi.advanceTimersByTimeAsync(RETRY_DELAY);
  await done;
  expect(request).toHaveBeenCalledTimes(4);
  expect(explorer).toMatchObject({ notice: null, maps: { relevance: [3] }, faithfulness: scores });
});

test('maps of a class that is no longer chosen are not requested', async () => {
  const { explorer, request } = explorerWith({ methods: [{ error: 'first' }] });
  const done = [fetchMethods(explorer, 500), fetchMethods(explorer, 500)];
  await vi.advanceTimersByTimeAsync(500);
  await Promise.all(done);
  expect(request).toHaveBeenCalledTimes(1);
});

test('maps are not requested while another image is being explained, and are if it fails', async () => {
  const scores = { scores: {}, random_baseline: [0, 1] };
  const { explorer, request } = explorerWith({ methods: [{ maps: { relevance: [3] } }], scores: [scores] });
  let refuse = (_: { error: string }) => {};
  const queued = request.getMockImplementation();
  request.mockImplementation((name, question) =>
    name === 'explain'
      ? new Promise((resolve) => (refuse = resolve))
      : (queued?.(name, question) ?? Promise.resolve(null)),
  );
  const names = () => request.mock.calls.map(([name]) => name);
  const done = [fetchMethods(explorer, METHODS_DELAY), load(explorer, 'm', CAT)];
  await vi.advanceTimersByTimeAsync(4 * METHODS_DELAY);
  expect(names()).toEqual(['explain']);
  refuse({ error: 'No such image.' });
  await vi.advanceTimersByTimeAsync(2 * METHODS_DELAY);
  await Promise.all(done);
  expect(names()).toEqual(['explain', 'methods', 'scores']);
});

test('an ablation that fails is undone', async () => {
  const { explorer, request } = explorerWith({ ablate: [BUSY] });
  expect(await fetchAblation(explorer)).toEqual({ error: BUSY.error });
  expect(request.mock.calls[0][1]).toMatchObject({ heads: [[1, 1]], key: 'k' });
  expect(explorer.choices).toMatchObject({ ablated: [], mode: 'zero' });
  expect(explorer.notice).toBe(BUSY.error);
});

test('an ablation is shown with its key, and with maps and scores of its own', async () => {
  const scores = { scores: {}, random_baseline: [0, 1] };
  const { explorer, request } = explorerWith({
    ablate: [{ key: 'a', probabilities: [0.2, 0.8], cls: ROWS }],
    methods: [{ maps: { relevance: [7] } }],
    scores: [scores],
  });
  Object.defineProperty(explorer, 'key', { get: () => explorer.ablation?.key });
  expect(await fetchAblation(explorer)).toBeUndefined();
  expect(explorer.maps).toEqual({});
  await vi.advanceTimersByTimeAsync(METHODS_DELAY);
  expect(request).toHaveBeenCalledWith('methods', { target: [0], key: 'a' });
  expect(request).toHaveBeenCalledWith('scores', { target: [0], key: 'a' });
  expect(explorer).toMatchObject({ maps: { relevance: [7] }, faithfulness: scores });
  expect(explorer.markers.changed).toBe('a');
  expect(explorer.previousChanges).toMatchObject({ ablated: [4], mode: 'mean' });
});
