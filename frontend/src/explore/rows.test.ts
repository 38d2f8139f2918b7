import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RETRY_DELAY } from '../lib/client';
import { hasQuery } from '../lib/numbers';
import { fallBackToClassToken } from './options';
import { requestAblated } from './requests';
import { fetchRows, sourceOf, storeRows } from './rows';
import type { Explorer } from './state.svelte';

vi.mock('./options', () => ({ fallBackToClassToken: vi.fn() }));
vi.mock('./requests', () => ({ requestAblated: vi.fn() }));

const FLOATS = btoa('\0\0\0\0');
const ONE = btoa('\xff\xff'); // 65535

const explorerOf = (onDemand = true) =>
  ({
    attention: sourceOf(FLOATS, null, onDemand),
    rowsOf: null,
    view: { scheduleDraw: vi.fn() },
  }) as unknown as Explorer & { view: { scheduleDraw: ReturnType<typeof vi.fn> } };

const sent = vi.mocked(requestAblated);
beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.clearAllMocks();
});

test('the rows of a query are stored as weights and drawn', async () => {
  const explorer = explorerOf();
  sent.mockResolvedValueOnce(ONE);
  await fetchRows(explorer, [3], 'to');
  expect(sent).toHaveBeenCalledWith(explorer, 'rows', { patches: [3], direction: 'to' });
  expect(explorer.attention?.rows?.get('to 3')).toEqual(Float32Array.of(1));
  expect(explorer.view.scheduleDraw).toHaveBeenCalledOnce();
});

test('while a request is under way there is no other one', async () => {
  const explorer = explorerOf();
  sent.mockResolvedValue(ONE);
  await Promise.all([fetchRows(explorer, [3], 'from'), fetchRows(explorer, [4], 'from')]);
  expect(sent).toHaveBeenCalledOnce();
  await fetchRows(explorer, [4], 'from');
  expect(sent).toHaveBeenCalledTimes(2);
});

test('rows of an earlier image are dropped, and do not delay those of the next', async () => {
  const explorer = explorerOf();
  let answer: (text: string) => void = () => {};
  sent.mockReturnValueOnce(
    new Promise<string>((resolve) => {
      answer = resolve;
    }),
  );
  const done = fetchRows(explorer, [3], 'from');
  explorer.attention = sourceOf(FLOATS, null, true);
  sent.mockResolvedValueOnce(ONE);
  await fetchRows(explorer, [5], 'from');
  answer(ONE);
  await done;
  expect([...(explorer.attention.rows?.keys() ?? [])]).toEqual(['from 5']);
  expect(explorer.rowsOf).toBeNull();
});

test('a busy server is asked again, and a refusal is shown', async () => {
  const explorer = explorerOf();
  sent.mockResolvedValueOnce({ error: 'busy', busy: true });
  const done = fetchRows(explorer, [3], 'from');
  await vi.advanceTimersByTimeAsync(RETRY_DELAY);
  await done;
  expect(explorer.view.scheduleDraw).toHaveBeenCalledOnce();
  expect(fallBackToClassToken).not.toHaveBeenCalled();
  sent.mockResolvedValueOnce({ error: 'no such patch' });
  await fetchRows(explorer, [3], 'from');
  expect(fallBackToClassToken).toHaveBeenCalledWith(explorer, 'no such patch');
});

test('the oldest rows make room', () => {
  const explorer = explorerOf();
  const large = btoa('\0'.repeat(2 ** 21)); // 4 MiB as floats
  for (let patch = 0; patch < 17; patch++) storeRows(explorer, large, [patch], 'from');
  expect(explorer.attention?.rows?.size).toBe(16);
  expect(explorer.attention && hasQuery(explorer.attention, [0], 'from')).toBe(false);
  expect(explorer.attention && hasQuery(explorer.attention, [16], 'from')).toBe(true);
});

test('other models have all rows or none', () => {
  const explorer = explorerOf(false);
  storeRows(explorer, ONE, [0], 'from');
  expect(explorer.attention).toMatchObject({ defaultRows: Float32Array.of(0), full: null, rows: null });
});
