import { beforeEach, expect, test, vi } from 'vitest';
import { chooseModel, chooseSide, takeFile } from './actions';
import { refresh } from './requests';
import { EMPTY } from './sides';
import type { ComparePage } from './state.svelte';

vi.mock('./requests', () => ({ refresh: vi.fn() }));

const CAT = { kind: 'sample', name: 'cat' } as const;
const png = (name: string) => new File(['x'], name, { type: 'image/png' });

/** A page whose uploads end when told to. */
function pageWith() {
  const ends: ((reply: { path: string }) => void)[] = [];
  const upload = () => new Promise<{ path: string }>((resolve) => ends.push(resolve));
  const page = {
    host: { upload, catalog: { maxBytes: 2 ** 20 } },
    ...{ a: EMPTY, own: EMPTY, uploading: { a: null, b: null }, showNotice: vi.fn() },
  };
  return { page: page as unknown as ComparePage, ends };
}

beforeEach(() => vi.clearAllMocks());

test('an uploaded image is compared', async () => {
  const { page, ends } = pageWith();
  const taken = takeFile(page, 'b', png('b.png'));
  ends[0]({ path: '/tmp/b/b.png' });
  await taken;
  expect(page.own.image).toEqual({ kind: 'upload', id: 'b', name: 'b.png', crop: 0.5 });
  expect(refresh).toHaveBeenCalledTimes(1);
});

test('an upload is dropped for an image that was chosen later, on the same side only', async () => {
  const { page, ends } = pageWith();
  const taken = [takeFile(page, 'a', png('a.png')), takeFile(page, 'b', png('b.png'))];
  chooseSide(page, 'a', { image: CAT });
  chooseSide(page, 'b', { layer: 2 });
  for (const end of ends) end({ path: '/tmp/i/image.png' });
  await Promise.all(taken);
  expect([page.a.image, page.own.image?.kind]).toEqual([CAT, 'upload']);
});

test('the last of two uploads wins', async () => {
  const { page, ends } = pageWith();
  const taken = [takeFile(page, 'a', png('first.png')), takeFile(page, 'a', png('second.png'))];
  ends[1]({ path: '/tmp/s/second.png' });
  ends[0]({ path: '/tmp/f/first.png' });
  await Promise.all(taken);
  expect(page.a.image).toMatchObject({ name: 'second.png' });
});

test('ablations are of the heads and patches of one model', () => {
  const { page } = pageWith();
  Object.assign(page, { own: { ...EMPTY, ablated: [25], removed: [3], image: CAT } });
  chooseModel(page, 'b', 'other');
  expect(page.own).toMatchObject({ checkpoint: 'other', ablated: [25], removed: [3] });
  chooseModel(page, 'a', 'other');
  expect(page.a).toMatchObject({ checkpoint: 'other', target: null });
  expect(page.own).toMatchObject({ image: CAT, ablated: [], removed: [] });
});
