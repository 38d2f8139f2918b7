import { afterEach, expect, test, vi } from 'vitest';
import {
  hostOf,
  isBusy,
  isRefusal,
  isUnreachable,
  NO_ANSWER,
  pause,
  reasonOf,
  refreshModels,
  requestTo,
} from './client';

afterEach(() => {
  vi.useRealTimers();
});

test('a request returns the reply, also null', async () => {
  const calls: unknown[] = [];
  const request = requestTo({
    attention: async (argument) => {
      calls.push(argument);
      return calls.length > 1 ? null : 'abc';
    },
  });
  expect(await request('attention', { key: 'k' })).toBe('abc');
  expect(await request('attention', { key: 'k' })).toBeNull();
  expect(calls).toEqual([{ key: 'k' }, { key: 'k' }]);
});

test.each([
  ['fails', async () => Promise.reject(new Error('offline'))],
  [
    'throws',
    () => {
      throw new Error('closed');
    },
  ],
  ['answers nothing', async () => undefined],
  ['is missing', undefined],
])('a function that %s is unreachable', async (_, gallery) => {
  const reply = await requestTo({ gallery })('gallery', { dataset: 'cifar10', label: -1, page: 0, shown: 'all' });
  expect(reply).toEqual({ error: NO_ANSWER });
  expect(isUnreachable(reply)).toBe(true);
});

test('kinds of replies', () => {
  const busy = { error: 'The server is busy.', busy: true };
  expect([busy, { error: '' }, { src: 'x' }, null, 'text', undefined].map(isRefusal)).toEqual([
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
  expect([busy, { error: 'x' }, null].map(isBusy)).toEqual([true, false, false]);
  expect(isUnreachable(busy)).toBe(false);
  expect([busy, null].map(reasonOf)).toEqual([busy.error, NO_ANSWER]);
});

test('the host copies the catalog, which Gradio keeps', () => {
  const catalog = { models: ['a'] };
  const upload = async () => ({ path: 'p' });
  const host = hostOf({ element: {} as HTMLElement, props: { catalog }, server: {}, upload });
  expect(host.catalog).toEqual(catalog);
  expect(host.catalog).not.toBe(catalog);
  expect(host.upload).toBe(upload);
});

test('the lists of models are null if they cannot be loaded', async () => {
  const lists = { checkpoints: [], cifar: { available: false, classes: [], message: '' } };
  expect(await refreshModels(requestTo({ list_models: async () => lists }))).toEqual(lists);
  expect(await refreshModels(requestTo({}))).toBeNull();
  expect(await refreshModels(requestTo({ list_models: async () => ({ checkpoints: 'no' }) }))).toBeNull();
});

test('a pause takes its time', async () => {
  vi.useFakeTimers();
  let done = false;
  const waiting = pause(300).then(() => {
    done = true;
  });
  await vi.advanceTimersByTimeAsync(299);
  expect(done).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await waiting;
  expect(done).toBe(true);
});
