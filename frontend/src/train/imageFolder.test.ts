import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { post, stream, upload } from '../lib/server';
import { lists, refusal, runsOf, SURVEY, sent } from './runs.testdata';

vi.mock('../lib/server', async (actual) => ({
  ...(await actual<object>()),
  post: vi.fn(),
  stream: vi.fn(),
  upload: vi.fn(),
}));
vi.mock('../lib/address', async (actual) => ({ ...(await actual<object>()), updateAddress: vi.fn() }));
vi.mock('../lib/theme.svelte', () => ({ ThemeColors: class {} }));

const zip = (size = 10) => ({ name: 'pets.zip', size }) as File;

/** The images of the folder "pets". */
async function imagesOf(replies: Record<string, unknown> = {}) {
  const runs = runsOf(replies);
  runs.form.applyPreset('cifar10-ti4');
  runs.form.set({ dataset: 'folder' });
  await vi.runAllTimersAsync();
  vi.mocked(post).mockClear();
  return { runs, images: runs.images, form: runs.form };
}

beforeEach(() => {
  vi.clearAllMocks();
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

test('the images of a chosen folder are counted and spoken', async () => {
  const { runs, images } = await imagesOf();
  images.read();
  await vi.runAllTimersAsync();
  expect(sent('data/folders/survey')).toMatchObject([{ preset: 'cifar10-ti4', image_folder: 'pets' }]);
  expect([images.survey, images.folder, images.problem]).toEqual([SURVEY, 'pets', '']);
  expect(runs.status.voice).toBe('1 class of images. 0 files were rejected.');
});

test('the survey of a folder that is no longer chosen is dropped', async () => {
  const { images } = await imagesOf({ 'data/folders/survey': [SURVEY, { ...SURVEY, problem: 'old' }, SURVEY] });
  images.read();
  images.read();
  await vi.runAllTimersAsync();
  expect([images.survey, images.problem]).toEqual([SURVEY, '']);
});

test('reading a large folder shows its progress, and is canceled', async () => {
  const { images } = await imagesOf();
  let signal: AbortSignal | undefined;
  vi.mocked(stream).mockImplementationOnce((_, __, report, given) => {
    report({ done: 30, total: 5000, waiting: '' });
    signal = given;
    return new Promise((_resolve, reject) => given?.addEventListener('abort', () => reject(given.reason)));
  });
  images.read();
  expect(images.survey).toEqual({ reading: { done: 30, total: 5000, waiting: '' } });
  images.cancel();
  await vi.runAllTimersAsync();
  expect(signal?.aborted).toBe(true);
  expect([images.survey, images.folder]).toEqual([{ refused: expect.stringContaining('Canceled') }, '']);
});

test('a folder that cannot be read is surveyed again', async () => {
  const { runs, images } = await imagesOf({ 'data/folders/survey': refusal('No such folder.') });
  images.read();
  await vi.runAllTimersAsync();
  expect([images.survey, images.folder]).toEqual([{ refused: 'No such folder.' }, '']);
  expect(runs.status.voice).toBe('No such folder.');
});

test('an uploaded zip is chosen and surveyed', async () => {
  const { images, form } = await imagesOf();
  const data = { ...lists([]).data, image_folders: ['pets-2.zip', 'pets'] };
  vi.mocked(upload).mockResolvedValue({ ...lists([], { data }), uploaded: 'pets-2.zip' });
  await images.upload(zip());
  expect(upload).toHaveBeenCalledWith(zip(), 'data/folders');
  expect(form.imageFolder).toBe('pets-2.zip');
  expect(sent('data/folders/survey')).toMatchObject([{ image_folder: 'pets-2.zip' }]);
});

test('a zip above the limit is not uploaded, and a refused one is reported', async () => {
  const { images, form } = await imagesOf();
  await images.upload(zip(1.5 * 2 ** 20));
  expect(images.survey).toEqual({ refused: expect.stringContaining('at most 1 MiB: pets.zip has 1.5.') });
  expect(upload).not.toHaveBeenCalled();
  vi.mocked(upload).mockRejectedValue(refusal('A zip needs two classes.', 'file'));
  await images.upload(zip());
  expect(images.survey).toEqual({ refused: 'A zip needs two classes.' });
  expect(form.imageFolder).toBe('pets');
});

test('a deleted zip is announced, and another folder surveyed', async () => {
  const data = { ...lists([]).data, image_folders: ['cars.zip'] };
  const { runs, images, form } = await imagesOf({ 'data/folders/delete': lists([], { version: 'v2', data }) });
  const say = vi.spyOn(runs.status, 'speak');
  await images.delete('pets');
  expect(sent('data/folders/delete')).toEqual([{ name: 'pets' }]);
  expect(form.imageFolder).toBe('cars.zip');
  expect(say).toHaveBeenCalledWith('pets deleted.');
  expect(sent('data/folders/survey')).toMatchObject([{ image_folder: 'cars.zip' }]);
});

test('why a zip is not deleted is shown below it', async () => {
  const { images } = await imagesOf({ 'data/folders/delete': refusal('run-1 is training.') });
  await images.delete('pets');
  expect(images.survey).toEqual({ refused: 'run-1 is training.' });
});
