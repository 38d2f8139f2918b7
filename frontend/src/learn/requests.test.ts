import { expect, test, vi } from 'vitest';
import { goTo, load, refresh } from './requests';
import type { LearnPage } from './state.svelte';

const CAT = { kind: 'sample', name: 'cat' } as const;
const DOG = { kind: 'sample', name: 'dog' } as const;
const EXPLAINED = {
  ...{ layers: 1, heads: 1, rows: 1, columns: 1, aspect: 1, prefix: 1, classToken: true },
  cls: btoa('\0'.repeat(4 * 2)), // (L, A, T) of zeros
};

/** A page at the step on training, whose server gives these replies. */
function pageWith(replies: Record<string, (argument: Record<string, unknown>) => unknown>) {
  const served: typeof replies = {
    explain: ({ checkpoint }) => ({ ...EXPLAINED, checkpoint, key: 'k' }),
    lesson: () => ({}),
    lesson_training: ({ name }) => ({ name }),
    ...replies,
  };
  const request = vi.fn(async (name: string, argument: Record<string, unknown>) => served[name](argument));
  const page = {
    host: { request },
    ...{ checkpoint: 'ti4', image: CAT, step: 11, current: { id: 'training' }, ticket: 0, root: null, pass: null },
    showNotice: vi.fn(),
  };
  return page as unknown as LearnPage;
}

test('after an error model and image of the pass are chosen again', async () => {
  const page = pageWith({});
  await load(page);
  page.host.request = async () => ({ error: 'Busy.' });
  Object.assign(page, { checkpoint: 'other', image: DOG });
  await load(page);
  expect(page).toMatchObject({ checkpoint: 'ti4', image: CAT, state: 'error' });
  expect(page.showNotice).toHaveBeenLastCalledWith('Busy.', true);
});

test('each image has its own timeline, which is requested once', async () => {
  const page = pageWith({});
  await load(page);
  await refresh(page);
  page.image = DOG;
  await load(page);
  expect(page.training?.name).toBe('dog');
  const names = vi.mocked(page.host.request).mock.calls.map(([name]) => name);
  expect(names.filter((name) => name === 'lesson_training')).toHaveLength(2);
});

test('the timeline of an earlier pass is dropped', async () => {
  let answer: (reply: unknown) => void = () => {};
  const page = pageWith({ lesson_training: () => new Promise((resolve) => (answer = resolve)) });
  const first = load(page);
  await vi.waitFor(() => expect(page.host.request).toHaveBeenCalledTimes(3));
  const late = answer;
  page.image = DOG;
  const second = load(page);
  await vi.waitFor(() => expect(page.host.request).toHaveBeenCalledTimes(6));
  late({ name: 'cat' });
  await first;
  expect(page.training).toBeUndefined();
  answer({ name: 'dog' });
  await second;
  expect(page.training?.name).toBe('dog');
});

test('an error is shown until a request is served, or until another step', async () => {
  const page = pageWith({ lesson_head: () => ({ error: 'Busy.' }) });
  await load(page);
  Object.assign(page, { current: { id: 'attention' }, layer: 0, head: 0 });
  page.showNotice = vi.fn((_, isError = false) => {
    page.isError = isError;
  });
  await refresh(page);
  expect(page.showNotice).toHaveBeenLastCalledWith('Busy.', true);
  const request = page.host.request;
  const vector = { query: '', keys: '', values: '', size: 0 };
  page.host.request = (async () => vector) as typeof request;
  await refresh(page);
  expect(page.showNotice).toHaveBeenLastCalledWith('');
  page.host.request = request;
  page.attention = null;
  await refresh(page);
  expect(page.isError).toBe(true);
  goTo(page, 2);
  expect(page.showNotice).toHaveBeenLastCalledWith('');
});
