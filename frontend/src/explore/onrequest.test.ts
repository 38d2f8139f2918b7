import { expect, test, vi } from 'vitest';
import { act } from './actions';
import { OnRequest } from './onrequest.svelte';
import type { Explorer } from './state.svelte';

vi.mock('./actions', () => ({ act: vi.fn(), writeAddressSoon: vi.fn() }));

/** An explorer whose server answers `map_on_request` when told to. */
function explorerWith() {
  let answer: (reply: unknown) => void = () => {};
  const request = vi.fn((name: string, _: unknown) =>
    name === 'map_on_request' ? new Promise((resolve) => (answer = resolve)) : Promise.resolve({ done: 1, total: 4 }),
  );
  const explorer = {
    host: { request },
    choices: { target: [3] },
    reply: { key: 'k' },
    shown: {},
    key: 'k',
    ablation: null,
    predictedClass: 0,
    maps: { rollout: [1] },
    faithfulness: { scores: { rollout: 0.5 }, random_baseline: [0.4, 0.1] },
    notice: null as string | null,
    method: () => ({ name: 'Shapley values' }),
  };
  return {
    explorer,
    requests: new OnRequest(explorer as unknown as Explorer),
    request,
    answer: (r: unknown) => answer(r),
  };
}

test('a computed map is added to the others with its score, and shown', async () => {
  const { explorer, requests, request, answer } = explorerWith();
  const computing = requests.compute('greedy');
  expect(requests.running).toBe('greedy');
  answer({ map: [2], score: 0.9 });
  await computing;
  expect(request).toHaveBeenCalledWith('map_on_request', {
    key: 'k',
    method: 'greedy',
    target: [3],
    task: expect.any(String),
  });
  expect(explorer.maps).toEqual({ rollout: [1], greedy: [2] });
  expect(explorer.faithfulness.scores).toEqual({ rollout: 0.5, greedy: 0.9 });
  expect(act).toHaveBeenCalledWith(explorer, { method: 'greedy' });
  expect(requests.running).toBeNull();
});

test('a map is kept although the server has evicted its explanation meanwhile', async () => {
  const { explorer, requests, answer } = explorerWith();
  const computing = requests.compute('greedy');
  Object.assign(explorer.reply, { key: 'k2' });
  explorer.key = 'k2';
  answer({ map: [2], score: 0.9 });
  await computing;
  expect(explorer.maps).toEqual({ rollout: [1], greedy: [2] });
});

test('a map of an image that was left is dropped', async () => {
  const { explorer, requests, answer } = explorerWith();
  const computing = requests.compute('shapley');
  explorer.reply = { key: 'other' };
  answer({ map: [2], score: null });
  await computing;
  expect(explorer.maps).toEqual({ rollout: [1] });
  expect(explorer.notice).toBeNull();
});

test('cancelling reaches the server, the late reply is dropped, and a sentence is shown', async () => {
  const { explorer, requests, request, answer } = explorerWith();
  const computing = requests.compute('shapley');
  const { task } = request.mock.calls[0][1] as { task: string };
  requests.interrupt();
  expect(request).toHaveBeenLastCalledWith('task_progress', { task, cancel: true });
  expect(explorer.notice).toBe('Shapley values: canceled. The map needs all of its forward passes.');
  answer({ error: 'Cancelled.' });
  await computing;
  expect(explorer.notice).toContain('Shapley values: canceled');
  expect(requests.running).toBeNull();
});

test('an error is shown', async () => {
  const { explorer, requests, answer } = explorerWith();
  const computing = requests.compute('shapley');
  answer({ error: 'The server is busy.' });
  await computing;
  expect(explorer.notice).toBe('The server is busy.');
});

test('the progress of a map is followed until it is there', async () => {
  vi.useFakeTimers();
  const { requests, answer } = explorerWith();
  const computing = requests.compute('shapley');
  await vi.advanceTimersByTimeAsync(500);
  expect(requests.task.fraction).toBe(0.25);
  answer({ map: [1], score: null });
  await computing;
  vi.useRealTimers();
});
