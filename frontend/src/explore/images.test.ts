import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { DownloadInfo, Refusal } from '../lib/api';
import { recordImage } from './history';
import { chooseImage, chooseTestImage, DOWNLOAD_DELAY, requestDownload, showShelf, takeFile } from './images';
import { showNotice, startWaiting } from './notices';
import { fail, load, refreshLists } from './requests';
import type { Explorer } from './state.svelte';

vi.mock('./actions', () => ({ writeAddress: vi.fn() }));
vi.mock('./history', () => ({ recordImage: vi.fn() }));
vi.mock('./notices', () => ({ showNotice: vi.fn(), startWaiting: vi.fn() }));
vi.mock('./requests', () => ({ fail: vi.fn(), load: vi.fn(), refreshLists: vi.fn() }));

const IDLE = { dataset: '', running: false, progress: 0, message: '' };
const MAX = 20 * 2 ** 20;
const png = (name = 'cat.png') => new File(['x'], name, { type: 'image/png' });

function explorerWith(upload: ((file: File) => Promise<{ path: string }>) | null) {
  const explorer = {
    host: {
      upload,
      request: vi.fn<(name: string, argument: unknown) => Promise<DownloadInfo | Refusal>>(async () => IDLE),
    },
    catalog: { maxBytes: MAX, public: false, cifar: { available: true } },
    datasetRun: null as string | null,
    download: null as DownloadInfo | null,
    choices: { checkpoint: 'ti4' },
    gallery: { open: vi.fn(), find: vi.fn(), dataset: 'cifar10' },
    shelf: 'sample',
    ticket: 0,
  };
  return explorer as typeof explorer & Explorer;
}

beforeEach(() => vi.clearAllMocks());

describe('takeFile', () => {
  it('explains the uploaded file', async () => {
    const explorer = explorerWith(async () => ({ path: '/tmp/cat.png' }));
    await takeFile(explorer, png());
    expect(explorer.shelf).toBe('upload');
    expect(startWaiting).toHaveBeenCalled();
    expect(load).toHaveBeenCalledWith(explorer, 'ti4', { kind: 'upload', path: '/tmp/cat.png', name: 'cat.png' });
  });

  it('shows why a file is refused, and uploads nothing', async () => {
    const upload = vi.fn();
    await takeFile(explorerWith(upload), new File(['x'], 'notes.txt', { type: 'text/plain' }));
    expect(vi.mocked(showNotice).mock.lastCall?.slice(1)).toEqual([expect.stringContaining('must be an image'), true]);
    expect(upload).not.toHaveBeenCalled();
  });

  it('shows that an upload failed', async () => {
    await takeFile(
      explorerWith(() => Promise.reject(new Error())),
      png(),
    );
    expect(vi.mocked(fail).mock.lastCall?.[1]).toContain('cat.png could not be uploaded');
  });

  it.each([async () => ({ path: '' }), () => Promise.reject(new Error())])(
    'is dropped for a later request',
    async (upload) => {
      const explorer = explorerWith(upload);
      const taken = takeFile(explorer, png());
      explorer.ticket++;
      await taken;
      expect(load).not.toHaveBeenCalled();
      expect(fail).not.toHaveBeenCalled();
    },
  );

  it('does nothing without a server', async () => {
    await takeFile(explorerWith(null), png());
    expect(startWaiting).not.toHaveBeenCalled();
  });
});

describe('showShelf', () => {
  it('opens the gallery of the source', () => {
    const explorer = explorerWith(null);
    showShelf(explorer, 'upload');
    expect(explorer.gallery.open).not.toHaveBeenCalled();
    showShelf(explorer, 'cifar');
    expect(explorer.gallery.open).toHaveBeenLastCalledWith('cifar10');
    explorer.datasetRun = 'runs/pets';
    showShelf(explorer, 'dataset');
    expect([explorer.shelf, vi.mocked(explorer.gallery.open).mock.lastCall]).toEqual(['dataset', ['runs/pets']]);
  });

  it('looks up the download of a missing CIFAR-10, except on a public page', () => {
    const explorer = explorerWith(null);
    explorer.catalog.cifar.available = false;
    explorer.catalog.public = true;
    showShelf(explorer, 'cifar');
    expect(explorer.host.request).not.toHaveBeenCalled();
    explorer.catalog.public = false;
    showShelf(explorer, 'cifar');
    expect(explorer.host.request).toHaveBeenCalledWith('cifar_download', { action: 'state' });
    expect(explorer.gallery.open).not.toHaveBeenCalled();
  });
});

describe('requestDownload', () => {
  const state = (running: boolean, message = '') => ({ ...IDLE, running, message });

  it('follows the download to its end and opens the gallery', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const explorer = explorerWith(null);
      explorer.shelf = 'cifar';
      const { request } = explorer.host;
      vi.mocked(request).mockResolvedValueOnce(state(true)).mockResolvedValueOnce(state(true));
      vi.mocked(request).mockResolvedValue(state(false));
      const followed = requestDownload(explorer, 'start');
      await vi.advanceTimersByTimeAsync(0);
      expect(explorer.download?.running).toBe(true);
      await requestDownload(explorer, 'state'); // of another click: it is followed once
      await vi.advanceTimersByTimeAsync(DOWNLOAD_DELAY);
      await followed;
      expect(vi.mocked(request).mock.calls.map(([, argument]) => argument)).toEqual([
        { action: 'start' },
        { action: 'state' },
        { action: 'state' },
      ]);
      expect(refreshLists).toHaveBeenCalledTimes(1);
      expect(explorer.gallery.open).toHaveBeenCalledWith('cifar10');
    } finally {
      vi.useRealTimers();
    }
  });

  it('shows why it failed', async () => {
    const explorer = explorerWith(null);
    vi.mocked(explorer.host.request).mockResolvedValueOnce(state(false, 'No connection.'));
    await requestDownload(explorer, 'start');
    expect(explorer.download?.message).toBe('No connection.');
    vi.mocked(explorer.host.request).mockResolvedValueOnce({ error: 'CIFAR-10 is not available on this server.' });
    await requestDownload(explorer, 'start');
    expect(vi.mocked(showNotice).mock.lastCall?.slice(1)).toEqual(['CIFAR-10 is not available on this server.', true]);
  });
});

describe('chooseTestImage', () => {
  it('explains the image of the dataset in the gallery and shows its page', async () => {
    const explorer = explorerWith(null);
    vi.mocked(load).mockImplementation(async (_, __, image) => {
      explorer.choices.image = image;
    });
    await chooseTestImage(explorer, 17);
    expect(explorer.choices.image).toEqual({ kind: 'cifar', index: 17 });
    explorer.gallery.dataset = 'runs/pets';
    await chooseTestImage(explorer, 3);
    expect(explorer.choices.image).toEqual({ kind: 'dataset', run: 'runs/pets', index: 3 });
    expect(vi.mocked(explorer.gallery.find).mock.calls).toEqual([[17], [3]]);
    await chooseTestImage(explorer, Number.NaN);
    expect(load).toHaveBeenCalledTimes(2);
  });
});

it('records an image only if it is shown', async () => {
  const explorer = explorerWith(null);
  vi.mocked(load).mockImplementationOnce(async (_, checkpoint, image) => {
    explorer.shown = { checkpoint, image };
  });
  await chooseImage(explorer, { kind: 'sample', name: 'cat' });
  await chooseImage(explorer, { kind: 'sample', name: 'dog' }); // superseded
  expect(recordImage).toHaveBeenCalledTimes(1);
});

it('explains a chosen image with the same model', async () => {
  const explorer = explorerWith(null);
  await chooseImage(explorer, { kind: 'sample', name: 'cat' });
  expect(load).toHaveBeenCalledWith(explorer, 'ti4', { kind: 'sample', name: 'cat' });
});
