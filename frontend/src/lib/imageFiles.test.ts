// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest';
import { problemOf, toJpeg } from './imageFiles';

const MAX = 20 * 2 ** 20;

describe('problemOf', () => {
  it('accepts images up to the largest size', () => {
    expect(problemOf({ name: 'cat.png', type: 'image/png', size: MAX }, MAX)).toBeNull();
  });

  it('names the type of another file', () => {
    const file = { name: 'notes.txt', type: 'text/plain', size: 1 };
    expect(problemOf(file, MAX)).toBe(
      'The file must be an image: notes.txt is text/plain. Choose a PNG, JPEG, WebP, GIF, BMP or TIFF file.',
    );
    expect(problemOf({ ...file, type: '' }, MAX)).toContain('notes.txt is of unknown type.');
  });

  it('accepts photographs of phones, of which some browsers do not know the type', () => {
    const file = { name: 'IMG_1.HEIC', type: '', size: 1 };
    expect(problemOf(file, MAX)).toBeNull();
    expect(problemOf({ ...file, name: 'a', type: 'image/heif' }, MAX)).toBeNull();
  });

  it('names both sizes', () => {
    expect(problemOf({ name: 'wide.png', type: 'image/png', size: MAX + 2 ** 19 }, MAX)).toBe(
      'An image may have at most 20\u00a0MiB: wide.png has 20.5\u00a0MiB. ' +
        'Reduce its size, for example by saving it as JPEG.',
    );
  });
});

describe('toJpeg', () => {
  const heic = new File(['heic'], 'IMG_1.HEIC');
  afterEach(() => vi.unstubAllGlobals());

  it('converts a photograph of a phone to JPEG where the browser decodes it', async () => {
    vi.stubGlobal('createImageBitmap', async () => ({ width: 4, height: 3 }));
    vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue({ drawImage: () => {} } as never);
    vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockImplementation(function (this: HTMLCanvasElement, keep, type) {
      keep(new Blob([`${this.width} x ${this.height}`], { type }));
    });
    const found = await toJpeg(heic);
    expect([found.name, found.type, await found.text()]).toEqual(['IMG_1.HEIC', 'image/jpeg', '4 x 3']);
  });

  it('leaves what the browser does not decode to the server', async () => {
    vi.stubGlobal('createImageBitmap', () => Promise.reject(new Error('not decoded')));
    expect(await toJpeg(heic)).toBe(heic);
  });
});
