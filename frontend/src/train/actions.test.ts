import { beforeEach, expect, test, vi } from 'vitest';
import { deleteRun, deleteZip, downloadRun, overlay, renameRun, requestChange, resumeRun } from './actions';
import { changeForm, showSurvey } from './checks';
import { applyLists, fetchCurves, follow, poll, wake } from './requests';
import type { TrainPage } from './state.svelte';

vi.mock('./checks', () => ({ changeForm: vi.fn(), showSurvey: vi.fn() }));
vi.mock('./requests', () => ({
  applyLists: vi.fn(),
  fetchCurves: vi.fn(),
  follow: vi.fn(),
  followNewest: vi.fn(),
  poll: vi.fn(),
  wake: vi.fn(),
}));
vi.mock('../lib/address', async (actual) => ({ ...(await actual<object>()), updateAddress: vi.fn() }));

const LISTS = { version: 'v2', runs: [], sweeps: [] };
const REFUSAL = { error: 'No such run.' };

/** A page whose server gives these replies in turn. */
function pageWith(...replies: unknown[]) {
  const request = vi.fn(async (_name: string, _argument: unknown) => replies.shift() ?? LISTS);
  const page = {
    host: { request },
    acting: new Set<string>(),
    showNotice: vi.fn(),
    form: { refuseImages: vi.fn() },
    curves: { a: { lines: [] }, b: { lines: [] } },
    followed: 'a',
    source: 'runs/a',
    overlaid: ['b'],
    voice: '',
  };
  return { page: page as typeof page & TrainPage, request };
}

beforeEach(() => void vi.clearAllMocks());

test('a double click acts once', async () => {
  const { page, request } = pageWith();
  const argument = { name: 'a' };
  expect(await Promise.all([requestChange(page, 'stop', argument), requestChange(page, 'stop', argument)])).toEqual([
    true,
    false,
  ]);
  expect(request).toHaveBeenCalledOnce();
  expect(applyLists).toHaveBeenCalledWith(page, LISTS);
  expect(wake).toHaveBeenCalledOnce();
  expect(await requestChange(page, 'stop', argument)).toBe(true);
});

test('a refusal is shown, and the lists are requested again', async () => {
  const { page } = pageWith(REFUSAL);
  expect(await requestChange(page, 'delete', { name: 'gone' })).toBe(false);
  expect(page.showNotice).toHaveBeenCalledWith(REFUSAL.error, true);
  expect(poll).toHaveBeenCalledWith(page);
  expect(applyLists).not.toHaveBeenCalled();
});

test('a refusal about a run is shown in its row', async () => {
  const fail = vi.fn();
  await renameRun(pageWith(REFUSAL).page, 'a', 'b', fail);
  expect(fail).toHaveBeenCalledWith(REFUSAL.error);
});

test('a renamed run keeps its curves and stays on screen', async () => {
  const { page, request } = pageWith();
  const { a } = page.curves;
  await renameRun(page, 'a', 'c', vi.fn());
  expect(request).toHaveBeenCalledWith('rename', { name: 'a', new: 'c' });
  expect(page.curves.c).toBe(a);
  expect(Object.keys(page.curves)).toEqual(['b', 'c']);
  expect([page.followed, page.source]).toEqual(['c', 'runs/c']);
});

test('another run is renamed without changing the one on screen', async () => {
  const { page } = pageWith();
  await renameRun(page, 'b', 'c', vi.fn());
  expect([page.followed, page.source]).toEqual(['a', 'runs/a']);
});

test('the curves of a deleted run are dropped', async () => {
  const { page } = pageWith();
  expect(await deleteRun(page, 'b', vi.fn())).toBe(true);
  expect(Object.keys(page.curves)).toEqual(['a']);
  const refused = pageWith(REFUSAL).page;
  expect(await deleteRun(refused, 'b', vi.fn())).toBe(false);
  expect(Object.keys(refused.curves)).toEqual(['a', 'b']);
});

test('a resumed run is followed', async () => {
  const { page } = pageWith();
  await resumeRun(page, 'b');
  expect(follow).toHaveBeenCalledWith(page, 'runs/b');
});

test('a deleted zip is announced, and the form is checked with another folder', async () => {
  const { page, request } = pageWith();
  await deleteZip(page, 'pets.zip');
  expect(request).toHaveBeenCalledWith('delete_images', { name: 'pets.zip' });
  expect(applyLists).toHaveBeenCalledWith(page, LISTS);
  expect(page.voice).toBe('pets.zip deleted.');
  expect(showSurvey).toHaveBeenCalledWith(page);
  expect(changeForm).toHaveBeenCalledWith(page);
});

test('why a zip is not deleted is shown below it', async () => {
  const { page } = pageWith({ error: 'run-1 is training.' });
  await deleteZip(page, 'pets.zip');
  expect(page.form.refuseImages).toHaveBeenCalledWith('run-1 is training.');
  expect(changeForm).not.toHaveBeenCalled();
});

test('a checkpoint is reported until it is saved, or why it is not', async () => {
  const tell = vi.fn();
  await downloadRun(pageWith(REFUSAL).page, 'a', tell);
  expect(tell.mock.calls).toEqual([['Preparing the checkpoint…', false], [REFUSAL.error]]);
});

test('curves are overlaid and removed', async () => {
  const { page } = pageWith();
  await overlay(page, 'c', true);
  expect(page.overlaid).toEqual(['b', 'c']);
  expect(fetchCurves).toHaveBeenCalledWith(page, 'c');
  await overlay(page, 'b', false);
  expect(page.overlaid).toEqual(['c']);
});
