import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NO_ANSWER } from '../lib/client';
import { changeForm } from './checks';
import { applyLists, fetchCurves, follow, followNewest, poll, wake } from './requests';
import type { TrainPage } from './state.svelte';

vi.mock('./checks', () => ({ changeForm: vi.fn(), chooseLesson: vi.fn(), estimatePresets: vi.fn() }));
vi.mock('../lib/address', async (actual) => ({ ...(await actual<object>()), updateAddress: vi.fn() }));

const run = (name: string, state = 'finished') => ({ name, state });
const line = (epoch: number) => ({ epoch, loss: 1 });

function pageWith(...replies: unknown[]) {
  const request = vi.fn(async (_name: string, _argument: unknown) => replies.shift() ?? { version: 'v1' });
  const page = {
    host: { request },
    catalog: { sources: [{ name: 'ti4' }] },
    version: 'v1',
    runs: [run('a')] as { name: string; state: string }[],
    sweeps: [] as unknown[],
    data: null as unknown,
    curves: {} as Record<string, { session: string; offset: number; lines: unknown[] }>,
    overlaid: [] as string[],
    followed: null as string | null,
    source: null as string | null,
    chosen: '',
    notice: null as unknown,
    polls: 0,
    wasBusy: false,
    isPolling: false,
    isAwaiting: false,
    timer: undefined,
    form: { preset: {}, open: { presets: false }, suggestName: vi.fn(), dropMissingChoices: vi.fn() },
    timeline: {
      pause: vi.fn(),
      load: vi.fn(async (name: string) => {
        page.source = name;
      }),
      add: vi.fn(),
      image: 0,
      tickets: 0,
      past: null,
    },
    announce: vi.fn(),
    showNotice: vi.fn(),
    isShown: () => true,
    runOf: (name: string) => page.runs.find((other) => other.name === name),
    isTraining: (name: string | null) => page.runs.some((other) => other.name === name && other.state === 'training'),
    get running() {
      return page.runs.find(({ state }) => state === 'training');
    },
    runningSweep: undefined,
    get sources() {
      return [...page.runs.map(({ name }) => `runs/${name}`), 'ti4'];
    },
  };
  return { page: page as unknown as TrainPage, fake: page, request };
}

beforeEach(() => {
  vi.clearAllMocks();
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

test('a run is followed with its curves and timeline', async () => {
  const { page, request } = pageWith({ version: 'v1', session: 's', offset: 9, whole: true, metrics: [line(1)] });
  await follow(page, 'runs/a');
  expect(request).toHaveBeenCalledWith('poll', { version: 'v1', run: 'a', session: '', offset: 0 });
  expect(page.curves.a).toMatchObject({ session: 's', offset: 9, lines: [line(1)] });
  expect([page.followed, page.source, page.chosen]).toEqual(['a', 'runs/a', 'runs/a']);
});

test('by default the timeline of the first bundled checkpoint is shown', async () => {
  const { page } = pageWith();
  await follow(page);
  expect([page.followed, page.source]).toEqual([null, 'ti4']);
});

test('only new metrics are requested', async () => {
  const { page, fake, request } = pageWith({
    version: 'v1',
    session: 's',
    offset: 20,
    whole: false,
    metrics: [line(2)],
  });
  fake.curves = { a: { session: 's', offset: 9, lines: [line(1)] } };
  await fetchCurves(page, 'a');
  expect(request).toHaveBeenCalledWith('poll', { version: 'v1', run: 'a', session: 's', offset: 9 });
  expect(page.curves.a.lines).toEqual([line(1), line(2)]);
});

test('lists without change keep those on screen', () => {
  const { page, fake } = pageWith();
  applyLists(page, { version: 'v1' });
  expect(page.runs).toEqual([run('a')]);
  expect(fake.form.dropMissingChoices).not.toHaveBeenCalled();
});

test('deleted runs leave the charts, and the one on screen is replaced', () => {
  const { page } = pageWith();
  Object.assign(page, { followed: 'a', source: 'runs/a', overlaid: ['a', 'b'] });
  applyLists(page, { version: 'v2', runs: [run('b')], sweeps: [] } as never);
  expect([page.version, page.overlaid, page.followed]).toEqual(['v2', ['b'], null]);
});

test('the form is checked again when a training starts or ends', () => {
  const { page } = pageWith();
  applyLists(page, { version: 'v2', runs: [run('a', 'training')] } as never);
  expect(changeForm).toHaveBeenCalledOnce();
  applyLists(page, { version: 'v3', runs: [run('a', 'training')] } as never);
  expect(changeForm).toHaveBeenCalledOnce();
});

test('the page polls only while something runs', async () => {
  const { page, fake, request } = pageWith();
  wake(page);
  await vi.runAllTimersAsync();
  expect(request).not.toHaveBeenCalled();
  fake.runs = [run('a', 'training')];
  wake(page);
  await vi.advanceTimersByTimeAsync(3001);
  expect(request).toHaveBeenCalledTimes(3);
  fake.runs = [run('a')];
  await vi.runAllTimersAsync();
  expect(request).toHaveBeenCalledTimes(4);
});

test('a lost response is reported, and the report disappears with the next one', async () => {
  const { page, fake } = pageWith({ error: NO_ANSWER }, { version: 'v1' });
  await poll(page);
  expect(fake.showNotice).toHaveBeenCalledWith(NO_ANSWER, true);
  fake.notice = { sentence: NO_ANSWER, isError: true };
  await poll(page);
  expect(fake.showNotice).toHaveBeenLastCalledWith(null);
});

test('the next run of a sweep is followed once it trains', async () => {
  const { page, fake } = pageWith();
  await followNewest(page);
  expect(page.isAwaiting).toBe(true);
  fake.runs = [run('grid-1', 'training'), run('a')];
  await followNewest(page);
  expect(page.followed).toBe('grid-1');
});
