import { describe, expect, it } from 'vitest';
import { problemOf } from './imageFiles';

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

  it('names the cure for HEIC, of which some browsers do not know the type', () => {
    const file = { name: 'IMG_1.HEIC', type: '', size: 1 };
    expect(problemOf(file, MAX)).toBe(
      'HEIC images cannot be read: export IMG_1.HEIC as JPEG. PNG, JPEG, WebP, GIF, BMP or TIFF are accepted.',
    );
    expect(problemOf({ ...file, name: 'a', type: 'image/heif' }, MAX)).toContain('as JPEG');
  });

  it('names both sizes', () => {
    expect(problemOf({ name: 'wide.png', type: 'image/png', size: MAX + 2 ** 19 }, MAX)).toBe(
      'An image may have at most 20\u00a0MiB: wide.png has 20.5\u00a0MiB. ' +
        'Reduce its size, for example by saving it as JPEG.',
    );
  });
});
