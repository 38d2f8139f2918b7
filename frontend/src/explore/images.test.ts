import { beforeEach, describe, expect, it, vi } from 'vitest';
import { chooseImage, refusalOf, showShelf, takeFile } from './images';
import { showNotice, startWaiting } from './notices';
import { fail, load } from './requests';
import type { Explorer } from './state.svelte';

vi.mock('./actions', () => ({ writeAddressSoon: vi.fn() }));
vi.mock('./notices', () => ({ showNotice: vi.fn(), startWaiting: vi.fn() }));
vi.mock('./requests', () => ({ fail: vi.fn(), load: vi.fn() }));

const MAX = 20 * 2 ** 20;
const png = (name = 'cat.png') => new File(['x'], name, { type: 'image/png' });

function explorerWith(upload: ((file: File) => Promise<{ path: string }>) | null) {
  const explorer = {
    host: { upload },
    catalog: { maxBytes: MAX },
    choices: { checkpoint: 'ti4' },
    gallery: { fill: vi.fn() },
    shelf: 'sample',
    ticket: 0,
  };
  return explorer as typeof explorer & Explorer;
}

beforeEach(() => vi.clearAllMocks());

describe('refusalOf', () => {
  it('accepts images up to the largest size', () => {
    expect(refusalOf({ name: 'cat.png', type: 'image/png', size: MAX }, MAX)).toBeNull();
  });

  it('names the type of another file', () => {
    const file = { name: 'notes.txt', type: 'text/plain', size: 1 };
    expect(refusalOf(file, MAX)).toBe(
      'The file must be an image: notes.txt is text/plain. Choose a PNG, JPEG or WebP file.',
    );
    expect(refusalOf({ ...file, type: '' }, MAX)).toContain('notes.txt is of unknown type.');
  });

  it('names both sizes', () => {
    expect(refusalOf({ name: 'wide.png', type: 'image/png', size: MAX + 2 ** 19 }, MAX)).toBe(
      'An image may have at most 20\u00a0MiB: wide.png has 20.5\u00a0MiB. ' +
        'Reduce its size, for example by saving it as JPEG.',
    );
  });
});

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
  it('fills the gallery when it is shown', () => {
    const explorer = explorerWith(null);
    showShelf(explorer, 'upload');
    expect(explorer.gallery.fill).not.toHaveBeenCalled();
    showShelf(explorer, 'cifar');
    expect([explorer.shelf, vi.mocked(explorer.gallery.fill).mock.calls.length]).toEqual(['cifar', 1]);
  });
});

it('explains a chosen image with the same model', async () => {
  const explorer = explorerWith(null);
  await chooseImage(explorer, { kind: 'sample', name: 'cat' });
  expect(load).toHaveBeenCalledWith(explorer, 'ti4', { kind: 'sample', name: 'cat' });
});
