import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { saveBlob } from '../lib/dom';
import { NO_RESPONSE } from '../lib/refused';
import type { Runs } from './runs.svelte';
import { lists, refusal, routes, run, runsOf, sent, UNCHANGED } from './runs.testdata';

vi.mock('../lib/server', async (actual) => ({ ...(await actual<object>()), post: vi.fn(), stream: vi.fn() }));
vi.mock('../lib/address', async (actual) => ({ ...(await actual<object>()), updateAddress: vi.fn() }));
vi.mock('../lib/dom', async (actual) => ({ ...(await actual<object>()), saveBlob: vi.fn() }));
vi.mock('../lib/theme.svelte', () => ({ ThemeColors: class {} }));

const GONE = refusal('No such run.');
const line = (epoch: number) => ({ epoch, loss: 1 });
const metrics = (offset: number, epoch: number, whole = true) => ({
  ...UNCHANGED,
  metrics: { session: 's', offset, whole, lines: [line(epoch)] },
});

/** Runs whose run "a" is on screen with its curves. */
async function following(replies: Record<string, unknown> = {}): Promise<Runs> {
  const runs = runsOf({ 'runs/poll': [metrics(9, 1), UNCHANGED, ...Array(9).fill(UNCHANGED)], ...replies });
  await runs.follow('runs/a');
  vi.clearAllMocks();
  return runs;
}

beforeEach(() => {
  vi.clearAllMocks();
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

test('a run is followed with its curves and timeline', async () => {
  const runs = runsOf({ 'runs/poll': [metrics(9, 1), UNCHANGED] });
  await runs.follow('runs/a');
  expect(sent('runs/poll')).toMatchObject([
    { run: 'a', session: '', offset: 0 },
    { timeline: { model: 'runs/a', image: 0, first: 0 } },
  ]);
  expect(runs.curves.a).toEqual({ session: 's', offset: 9, lines: [line(1)] });
  expect([runs.followed, runs.timeline.model, runs.timeline.wanted]).toEqual(['a', 'runs/a', 'runs/a']);
});

test('by default the timeline of the first bundled checkpoint is shown', async () => {
  const runs = runsOf();
  await runs.follow();
  expect([runs.followed, runs.timeline.model]).toEqual([null, 'ti4']);
});

test('only new metrics are requested', async () => {
  const runs = await following({ 'runs/poll': [metrics(9, 1), UNCHANGED, metrics(20, 2, false)] });
  await runs.fetchCurves('a');
  expect(sent('runs/poll')).toMatchObject([{ run: 'a', session: 's', offset: 9 }]);
  expect(runs.curves.a.lines).toEqual([line(1), line(2)]);
});

test('deleted runs leave the charts, and the one on screen is replaced', async () => {
  const runs = await following();
  await runs.overlay('b', true);
  runs.apply(lists([run('b')]));
  expect([runs.overlaid, runs.followed]).toEqual([['b'], null]);
  runs.apply(lists([]));
  expect(runs.overlaid).toEqual([]);
});

test('the form is checked again when a training starts or ends', () => {
  const runs = runsOf();
  runs.form.applyPreset('cifar10-ti4');
  const edited = vi.spyOn(runs.form, 'edited');
  runs.apply(lists([run('a', 'training')]));
  runs.apply(lists([run('a', 'training'), run('b')]));
  expect(edited).toHaveBeenCalledOnce();
});

test('the page polls only while something runs', async () => {
  const busy = { ...UNCHANGED, lists: lists([run('a', 'training')]) };
  const runs = runsOf({ 'runs/poll': [busy, busy, { ...UNCHANGED, lists: lists([run('a')]) }] });
  runs.wake();
  await vi.runAllTimersAsync();
  expect(routes()).toEqual([]);
  runs.apply(busy.lists);
  runs.wake();
  await vi.runAllTimersAsync();
  expect(sent('runs/poll').length).toBeGreaterThanOrEqual(3);
  expect(runs.running).toBeUndefined();
});

test('a lost response is reported, and the report disappears with the next one', async () => {
  const runs = await following({ 'runs/poll': [metrics(9, 1), UNCHANGED, refusal(NO_RESPONSE), UNCHANGED] });
  await runs.poll();
  expect([runs.status.notice, runs.status.isError]).toEqual([NO_RESPONSE, true]);
  await runs.poll();
  expect(runs.status.notice).toBeNull();
});

test('the next run of a sweep is followed once it trains', async () => {
  const sweeps = [{ name: 'grid', state: 'training' }] as never;
  const begun = lists([run('grid-1', 'training'), run('a')], { sweeps });
  const runs = runsOf({
    'runs/poll': [{ ...UNCHANGED, lists: begun }, metrics(9, 1), UNCHANGED, ...Array(9).fill(UNCHANGED)],
  });
  runs.apply(lists([run('a')], { sweeps }));
  await runs.followNewest();
  expect(runs.followed).toBeNull();
  await runs.poll();
  expect(runs.followed).toBe('grid-1');
});

test('a double click acts once', async () => {
  const runs = runsOf({ 'runs/stop': lists([]) });
  expect(await Promise.all([runs.change('runs/stop', 'a'), runs.change('runs/stop', 'a')])).toEqual([true, false]);
  expect(sent('runs/stop')).toEqual([{ name: 'a' }]);
  expect(runs.all).toEqual([]);
  expect(await runs.change('runs/stop', 'a')).toBe(true);
});

test('a refusal is shown, about a run in its row, and the lists are requested again', async () => {
  const runs = runsOf({ 'runs/delete': GONE, 'runs/rename': GONE });
  const fail = vi.fn();
  expect(await runs.change('runs/delete', 'gone')).toBe(false);
  expect([runs.status.notice, runs.status.isError]).toEqual([GONE.message, true]);
  expect(sent('runs/poll')).toHaveLength(1);
  await runs.rename('a', 'b', fail);
  expect(fail).toHaveBeenCalledWith(GONE.message);
});

test('a renamed run keeps its curves and stays on screen', async () => {
  const runs = await following({ 'runs/rename': lists([run('c'), run('b')]) });
  const { a } = runs.curves;
  await runs.rename('a', 'c', vi.fn());
  expect(sent('runs/rename')).toEqual([{ name: 'a', new: 'c' }]);
  expect(runs.curves).toEqual({ c: a });
  expect([runs.followed, runs.timeline.model, runs.timeline.wanted]).toEqual(['c', 'runs/c', 'runs/c']);
});

test('another run is renamed without changing the one on screen', async () => {
  const runs = await following({ 'runs/rename': lists([run('a'), run('c')]) });
  await runs.rename('b', 'c', vi.fn());
  expect([runs.followed, runs.timeline.model]).toEqual(['a', 'runs/a']);
});

test('a resumed run is followed', async () => {
  const runs = await following({ 'runs/resume': lists([run('a'), run('b', 'training')]) });
  await runs.resume('b');
  expect(runs.followed).toBe('b');
});

test('a checkpoint is reported until it is saved, or why it is not', async () => {
  const file = { name: 'a.safetensors', src: `data:application/octet-stream;base64,${btoa('x')}` };
  const runs = runsOf({ 'runs/download': [GONE, file] });
  const tell = vi.fn();
  await runs.save('a', tell);
  expect(tell.mock.calls).toEqual([['Preparing the checkpoint…', false], [GONE.message]]);
  await runs.save('a', tell);
  expect(saveBlob).toHaveBeenCalledWith('a.safetensors', expect.any(Blob));
  expect(tell).toHaveBeenLastCalledWith('Saved as a.safetensors.', false);
});

test('a download is shown at once, and a poll that was sent before is dropped', async () => {
  const download = { dataset: 'cifar10', running: true, progress: 0.5, message: '' };
  const late = { ...UNCHANGED, lists: lists([]) };
  const runs = runsOf({ 'data/download': download, 'runs/poll': [late] });
  await Promise.all([runs.poll(), runs.download('start')].reverse());
  expect(sent('data/download')).toEqual([{ action: 'start', dataset: 'cifar10' }]);
  expect(runs.data?.download).toEqual(download);
});
