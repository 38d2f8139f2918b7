import { describe, expect, it, vi } from 'vitest';
import { RefusedError } from '../lib/refused';
import type { GalleryRequest, Progress, Gallery as Reply } from '../lib/routes';
import { stream } from '../lib/server';
import type { Image } from '../lib/view';
import type { Explorer } from './explorer.svelte';
import {
  CIFAR10,
  Gallery,
  galleryQuery,
  isSameQuery,
  thumbName,
  WAITING_DELAY,
  waitingSentence,
} from './gallery.svelte';

const PROGRESS: Progress = { done: 4200, total: 10000, waiting: '' };

vi.mock('../lib/server', () => ({ stream: vi.fn() }));

const CLASSES = ['airplane', 'automobile'];

/** A gallery whose responses are given by hand. */
function galleryWith(available = true) {
  const requests: { query: GalleryRequest; signal: AbortSignal; respond: (reply: Reply | Error) => Promise<void> }[] =
    [];
  vi.mocked(stream).mockImplementation(
    (_, query, report, signal) =>
      new Promise((resolve, reject) => {
        report(PROGRESS);
        requests.push({
          query: query as GalleryRequest,
          signal: signal as AbortSignal,
          respond: async (reply) => {
            if (reply instanceof Error) reject(reply);
            else resolve(reply as never);
            for (let k = 0; k < 5; k++) await Promise.resolve();
          },
        });
      }),
  );
  const explorer = {
    catalog: { lists: { cifar: { available, classes: CLASSES, message: '' } } },
    session: {
      subject: { model: 'ti4', image: { kind: 'sample', name: 'cat' } as Image },
      status: { say: vi.fn() },
    },
  };
  return { explorer, requests, gallery: new Gallery(explorer as unknown as Explorer) };
}

const pageOf = (pages: number, page: number, ...indices: number[]): Reply => ({
  page,
  pages,
  count: 40 * pages,
  classes: CLASSES,
  images: indices.map((index) => ({
    index,
    label: 1,
    src: 'data:image/png;base64,',
    prediction: null,
    probability: null,
  })),
});

describe('galleryQuery', () => {
  const ALL = { dataset: CIFAR10, label: -1, shown: 'all', page: 0 } as const;
  const CORRECT = { ...ALL, shown: 'correct' } as const;

  it('names the model only if the images are selected by its predictions', () => {
    expect(galleryQuery(ALL, 'ti4')).toEqual({ ...ALL, label: null, model: null });
    expect(galleryQuery(CORRECT, 'ti4')).toEqual({ ...CORRECT, label: null, model: 'ti4' });
  });

  it('is compared by its values', () => {
    const query = galleryQuery(CORRECT, 'ti4');
    expect(isSameQuery(query, galleryQuery(CORRECT, 'ti4'))).toBe(true);
    expect(isSameQuery(query, galleryQuery(CORRECT, 's4'))).toBe(false);
    expect(isSameQuery(query, null)).toBe(false);
  });
});

describe('waitingSentence', () => {
  it('counts the classified images', () => {
    expect(waitingSentence({ ...PROGRESS, done: 0 })).toBe(
      'Classifying all 10,000 test images (about a minute, first time only)…',
    );
    expect(waitingSentence(PROGRESS)).toContain('first time only): 4,200 done…');
    expect(waitingSentence({ done: 0, total: 0, waiting: '' })).toContain('Reading and classifying the test images');
    expect(waitingSentence({ done: 0, total: 0, waiting: '2 requests before yours' })).toContain(
      '2 requests before yours',
    );
  });
});

describe('thumbName', () => {
  it('names the class and the prediction', () => {
    const image = { index: 7, label: 1, src: '', prediction: null, probability: null };
    expect(thumbName(image, CLASSES)).toBe('automobile, image 7');
    expect(thumbName({ ...image, prediction: 'cat', probability: 0.934 }, CLASSES)).toBe(
      'automobile, image 7, predicted cat with 93\u00a0%',
    );
    expect(thumbName({ ...image, label: 5 }, CLASSES)).toBe('image, image 7');
  });
});

describe('Gallery', () => {
  it('shows a page of images', async () => {
    const { gallery, requests } = galleryWith();
    gallery.fill();
    await requests[0].respond(pageOf(3, 0, 4, 5));
    expect(gallery.thumbs.map(({ image }) => image)).toEqual([
      { kind: 'test', index: 4 },
      { kind: 'test', index: 5 },
    ]);
    expect([gallery.page, gallery.pages]).toEqual([0, 3]);
  });

  it('requests nothing without the dataset, and not again what is on screen', async () => {
    const without = galleryWith(false);
    await without.gallery.fill();
    expect(without.requests).toEqual([]);
    const { gallery, requests } = galleryWith();
    gallery.fill();
    await requests[0].respond(pageOf(3, 0, 4));
    await gallery.fill();
    expect(requests).toHaveLength(1);
  });

  it('drops replies to earlier requests', async () => {
    const { gallery, requests } = galleryWith();
    gallery.fill();
    gallery.select(1, 'all');
    expect(requests[0].signal.aborted).toBe(true);
    await requests[1].respond(pageOf(1, 0, 9));
    await requests[0].respond(pageOf(3, 0, 4));
    expect(gallery.pages).toBe(1);
    expect(gallery.thumbs).toHaveLength(1);
  });

  it('opens at the page of the test image on screen', async () => {
    const { gallery, requests, explorer } = galleryWith();
    explorer.session.subject.image = { kind: 'test', index: 90 };
    gallery.open(CIFAR10);
    expect(requests[0].query).toMatchObject({ index: 90 });
    await requests[0].respond(pageOf(3, 2, 90));
    expect(gallery.page).toBe(2);
    await gallery.open(CIFAR10);
    expect(requests).toHaveLength(1);
    gallery.find(4);
    expect(requests[1].query).toMatchObject({ index: 4, label: null, shown: 'all' });
  });

  it('shows the test images of the dataset of a run, with the predictions', async () => {
    const { gallery, requests } = galleryWith(false);
    gallery.open('runs/pets');
    expect(requests[0].query).toEqual({
      dataset: 'runs/pets',
      label: null,
      shown: 'all',
      page: 0,
      model: null,
      index: null,
    });
    const [image] = pageOf(1, 0, 7).images;
    await requests[0].respond({ ...pageOf(1, 0), images: [{ ...image, prediction: 'cat', probability: 0.5 }] });
    expect(gallery.thumbs[0]).toMatchObject({
      image: { kind: 'run', run: 'runs/pets', index: 7 },
      predicted: { label: 'cat', probability: '50\u00a0%' },
    });
    gallery.open('runs/other');
    expect(gallery.thumbs).toEqual([]);
    await requests[1].respond(new RefusedError('The image folder of this run is missing.'));
    expect(gallery.dataset).toBe('runs/other');
  });

  it('stays within its pages', async () => {
    const { gallery, requests } = galleryWith();
    gallery.fill();
    await requests[0].respond(pageOf(2, 0, 4));
    gallery.turn(-1);
    expect(gallery.page).toBe(0);
    gallery.turn(1);
    gallery.turn(1);
    expect(gallery.page).toBe(1);
  });

  it('shows the last page if another model misclassifies fewer images', async () => {
    const { gallery, requests } = galleryWith();
    Object.assign(gallery, { shown: 'misclassified', page: 5, pages: 6 });
    gallery.fill();
    await requests[0].respond(pageOf(2, 5));
    expect(requests[1].query.page).toBe(1);
    await requests[1].respond(pageOf(2, 1, 8));
    expect([gallery.page, gallery.pages]).toEqual([1, 2]);
  });

  it('counts no page of an empty selection', async () => {
    const { gallery, requests } = galleryWith();
    gallery.fill();
    await requests[0].respond(pageOf(0, 0));
    expect([gallery.count, gallery.thumbs]).toEqual([0, []]);
    expect(requests).toHaveLength(1);
  });

  it('returns to the images on screen after an error', async () => {
    const { gallery, requests, explorer } = galleryWith();
    gallery.fill();
    await requests[0].respond(pageOf(3, 0, 4));
    gallery.select(1, 'correct');
    await requests[1].respond(new RefusedError('The server is busy.', { busy: true }));
    expect([gallery.label, gallery.shown, gallery.page]).toEqual([-1, 'all', 0]);
    expect(explorer.session.status.say).toHaveBeenCalledWith('The server is busy.', true);
  });

  it('waits while a model classifies the images, unless the user returns to those on screen', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { gallery, requests } = galleryWith();
      gallery.fill();
      await requests[0].respond(pageOf(3, 0, 4));
      gallery.select(-1, 'correct');
      await vi.advanceTimersByTimeAsync(WAITING_DELAY);
      expect([gallery.isWaiting, gallery.progress.done]).toEqual([true, 4200]);
      gallery.select(-1, 'all');
      expect(gallery.isWaiting).toBe(false);
      gallery.select(-1, 'correct');
      await requests[2].respond(pageOf(1, 0, 9));
      vi.advanceTimersByTime(WAITING_DELAY);
      expect(gallery.isWaiting).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });
});
