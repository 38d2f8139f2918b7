import { describe, expect, it, vi } from 'vitest';
import type { GalleryReply, GalleryRequest, Refusal } from '../lib/api';
import { Gallery, galleryQuery, isSameQuery, thumbName, WAITING_DELAY } from './gallery.svelte';
import type { Explorer } from './state.svelte';

const CLASSES = ['airplane', 'automobile'];

/** A gallery whose requests are answered by hand. */
function galleryWith(available = true) {
  const asked: { query: GalleryRequest; answer: (reply: GalleryReply | Refusal) => Promise<void> }[] = [];
  const explorer = {
    catalog: { cifar: { available, classes: CLASSES, message: '' } },
    choices: { checkpoint: 'ti4' },
    host: {
      request: (_: 'gallery', query: GalleryRequest) =>
        new Promise((resolve) => {
          asked.push({
            query,
            answer: async (reply) => {
              resolve(reply);
              for (let k = 0; k < 5; k++) await Promise.resolve();
            },
          });
        }),
    },
    notice: null as string | null,
    noticeIsError: false,
  };
  return { explorer, asked, gallery: new Gallery(explorer as unknown as Explorer) };
}

const pageOf = (pages: number, ...indices: number[]): GalleryReply => ({
  pages,
  images: indices.map((index) => ({ index, label: 1, src: 'data:image/png;base64,' })),
});

describe('galleryQuery', () => {
  it('names the model only if the images are selected by its predictions', () => {
    expect(galleryQuery(-1, 'all', 0, 'ti4')).toEqual({ label: -1, shown: 'all', page: 0 });
    expect(galleryQuery(2, 'correct', 1, 'ti4')).toEqual({ label: 2, shown: 'correct', page: 1, checkpoint: 'ti4' });
  });

  it('is compared by its values', () => {
    const query = galleryQuery(-1, 'correct', 0, 'ti4');
    expect(isSameQuery(query, galleryQuery(-1, 'correct', 0, 'ti4'))).toBe(true);
    expect(isSameQuery(query, galleryQuery(-1, 'correct', 0, 's4'))).toBe(false);
    expect(isSameQuery(query, null)).toBe(false);
  });
});

describe('thumbName', () => {
  it('names the class and the prediction', () => {
    const image = { index: 7, label: 1, src: '' };
    expect(thumbName(image, CLASSES)).toBe('automobile, image 7');
    expect(thumbName({ ...image, prediction: 'cat', probability: 0.934 }, CLASSES)).toBe(
      'automobile, image 7, predicted cat with 93\u00a0%',
    );
    expect(thumbName({ ...image, label: 5 }, CLASSES)).toBe('image, image 7');
  });
});

describe('Gallery', () => {
  it('shows a page of images', async () => {
    const { gallery, asked } = galleryWith();
    gallery.fill();
    await asked[0].answer(pageOf(3, 4, 5));
    expect(gallery.thumbs.map(({ image }) => image)).toEqual([
      { kind: 'cifar', index: 4 },
      { kind: 'cifar', index: 5 },
    ]);
    expect(gallery.pageNumber).toBe('1 of 3');
  });

  it('requests nothing without the dataset, and not again what is on screen', async () => {
    const without = galleryWith(false);
    await without.gallery.fill();
    expect(without.asked).toEqual([]);
    const { gallery, asked } = galleryWith();
    gallery.fill();
    await asked[0].answer(pageOf(3, 4));
    await gallery.fill();
    expect(asked).toHaveLength(1);
  });

  it('drops replies to earlier requests', async () => {
    const { gallery, asked } = galleryWith();
    gallery.fill();
    gallery.select(1, 'all');
    await asked[1].answer(pageOf(1, 9));
    await asked[0].answer(pageOf(3, 4));
    expect(gallery.pageNumber).toBe('1 of 1');
    expect(gallery.thumbs).toHaveLength(1);
  });

  it('stays within its pages', async () => {
    const { gallery, asked } = galleryWith();
    gallery.fill();
    await asked[0].answer(pageOf(2, 4));
    gallery.turn(-1);
    expect(gallery.page).toBe(0);
    gallery.turn(1);
    gallery.turn(1);
    expect(gallery.page).toBe(1);
  });

  it('shows the last page if another model misclassifies fewer images', async () => {
    const { gallery, asked } = galleryWith();
    Object.assign(gallery, { shown: 'misclassified', page: 5, pages: 6 });
    gallery.fill();
    await asked[0].answer(pageOf(2));
    expect(asked[1].query.page).toBe(1);
    await asked[1].answer(pageOf(2, 8));
    expect(gallery.pageNumber).toBe('2 of 2');
  });

  it('counts no page of an empty selection', async () => {
    const { gallery, asked } = galleryWith();
    gallery.fill();
    await asked[0].answer(pageOf(0));
    expect(gallery.pageNumber).toBe('none');
    expect(asked).toHaveLength(1);
  });

  it('returns to the images on screen after an error', async () => {
    const { gallery, asked, explorer } = galleryWith();
    gallery.fill();
    await asked[0].answer(pageOf(3, 4));
    gallery.select(1, 'correct');
    await asked[1].answer({ error: 'The server is busy.' });
    expect([gallery.label, gallery.shown, gallery.page]).toEqual([-1, 'all', 0]);
    expect([explorer.notice, explorer.noticeIsError]).toEqual(['The server is busy.', true]);
  });

  it('waits while a model classifies the images, unless the user returns to those on screen', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { gallery, asked } = galleryWith();
      gallery.fill();
      await asked[0].answer(pageOf(3, 4));
      gallery.select(-1, 'correct');
      vi.advanceTimersByTime(WAITING_DELAY);
      expect(gallery.isWaiting).toBe(true);
      gallery.select(-1, 'all');
      expect(gallery.isWaiting).toBe(false);
      gallery.select(-1, 'correct');
      await asked[2].answer(pageOf(1, 9));
      vi.advanceTimersByTime(WAITING_DELAY);
      expect(gallery.isWaiting).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });
});
