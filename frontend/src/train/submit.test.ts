import { beforeEach, expect, test, vi } from 'vitest';
import { changeForm, showSurvey } from './checks';
import { applyLists, follow, followNewest, poll } from './requests';
import type { TrainPage } from './state.svelte';
import { startTraining, uploadZip } from './submit';

vi.mock('./checks', () => ({ changeForm: vi.fn(), showSurvey: vi.fn() }));
vi.mock('./requests', () => ({ applyLists: vi.fn(), follow: vi.fn(), followNewest: vi.fn(), poll: vi.fn() }));

const LISTS = { version: 'v2', runs: [], sweeps: [] };
const MIB = 2 ** 20;

function pageWith(reply: unknown, query: Record<string, unknown> = { name: 'run-1' }) {
  const headline = { focus: vi.fn(), scrollIntoView: vi.fn() };
  const form = {
    cannotStart: false,
    isStarting: false,
    nameIsEdited: true,
    name: 'run-1',
    refusal: null as unknown,
    survey: null as unknown,
    imageFolder: '',
    query: () => query,
    freeName: () => 'run-2',
    showRefusal: vi.fn(),
    refuseImages: vi.fn(),
  };
  const page = {
    form,
    root: { querySelector: () => headline },
    catalog: { max_upload: MIB, folder: '/data' },
    host: {
      request: vi.fn(async (_name: string, _argument: unknown) => reply),
      upload: vi.fn(async () => ({ path: '/tmp/x.zip' })) as (() => Promise<{ path: string }>) | null,
    },
  };
  return { page: page as typeof page & TrainPage, form, headline };
}

const zip = (size = 10) => ({ name: 'pets.zip', size }) as File;

beforeEach(() => void vi.clearAllMocks());

test('a started run is followed, its headline is in view, and the next name is suggested', async () => {
  const { page, form, headline } = pageWith(LISTS);
  await startTraining(page);
  expect(applyLists).toHaveBeenCalledWith(page, LISTS);
  expect(follow).toHaveBeenCalledWith(page, 'runs/run-1');
  expect(headline.focus).toHaveBeenCalledWith({ preventScroll: true });
  expect(headline.scrollIntoView).toHaveBeenCalled();
  expect(form).toMatchObject({ name: 'run-2', nameIsEdited: false, isStarting: false });
});

test('of a started sweep the first run is followed', async () => {
  const { page } = pageWith(LISTS, { name: 'grid', vary: ['lr=1,2'] });
  await startTraining(page);
  expect(followNewest).toHaveBeenCalledWith(page);
  expect(follow).not.toHaveBeenCalled();
});

test('an invalid form is not sent', async () => {
  const { page, form } = pageWith(LISTS);
  form.cannotStart = true;
  await startTraining(page);
  expect(page.host.request).not.toHaveBeenCalled();
});

test('a refused start is shown, and the lists are requested again', async () => {
  const { page, form, headline } = pageWith({ error: 'Another run is training.' });
  await startTraining(page);
  expect(form.showRefusal).toHaveBeenCalledWith({ refused: 'Another run is training.', field: null });
  expect(poll).toHaveBeenCalledWith(page);
  expect([form.name, form.isStarting]).toEqual(['run-1', false]);
  expect(headline.focus).not.toHaveBeenCalled();
});

test('an uploaded zip is chosen, surveyed and checked', async () => {
  const { page, form } = pageWith({ ...LISTS, uploaded: 'pets-2.zip' });
  await uploadZip(page, zip());
  expect(page.host.request).toHaveBeenCalledWith('upload_images', { path: '/tmp/x.zip', name: 'pets.zip' });
  expect(form.imageFolder).toBe('pets-2.zip');
  expect(showSurvey).toHaveBeenCalledWith(page);
  expect(changeForm).toHaveBeenCalledWith(page);
});

test('a zip above the limit is not uploaded', async () => {
  const { page, form } = pageWith(LISTS);
  await uploadZip(page, zip(1.5 * MIB));
  expect(form.refuseImages).toHaveBeenCalledWith(expect.stringContaining('at most 1 MiB: pets.zip has 1.5.'));
  expect(page.host.upload).not.toHaveBeenCalled();
});

test('a failed upload and a refused zip are reported', async () => {
  const { page, form } = pageWith({ error: 'A zip needs two classes.' });
  await uploadZip(page, zip());
  expect(form.refuseImages).toHaveBeenLastCalledWith('A zip needs two classes.');
  page.host.upload = async () => Promise.reject(new Error());
  await uploadZip(page, zip());
  expect(form.refuseImages).toHaveBeenLastCalledWith(expect.stringContaining('Copy it into /data instead'));
  expect(form.imageFolder).toBe('');
});
