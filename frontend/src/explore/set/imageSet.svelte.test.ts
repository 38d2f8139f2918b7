// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest';
import { RefusedError } from '../../lib/refused';
import { stream } from '../../lib/server';
import { DEFAULT_VIEW } from '../../lib/view';
import { openSession, sample, settle } from '../../session/session.testdata.svelte';
import type { Explorer } from '../explorer.svelte';
import { ImageSet, MAX_IMAGES, viewOf } from './imageSet.svelte';

vi.mock('../../lib/server', () => ({ stream: vi.fn(), post: vi.fn() }));

let end = () => {};
afterEach(() => {
  end();
  vi.clearAllMocks();
});

async function openSet(hasFirst = true) {
  const open = await openSession();
  const samples = ['cat', 'dog', 'ship'].map((name) => ({ name }));
  const catalog = { lists: { samples, maxBytes: 1 } };
  const set = new ImageSet({ session: open.session, catalog } as unknown as Explorer, hasFirst);
  const stop = $effect.root(() => set.run());
  end = () => {
    stop();
    open.end();
  };
  await settle();
  return { set, session: open.session, latest: open.latest };
}

it('begins with the image on screen and samples, and follows the view', async () => {
  vi.mocked(stream).mockResolvedValue({ images: [] } as never);
  const { set, session } = await openSet();
  expect(set.images).toEqual(['cat', 'dog', 'ship'].map(sample));
  session.show({ layer: 1, head: 1, outlines: 0.2 });
  await settle();
  session.show({ outlines: 0.3 }); // draws nothing else
  await settle();
  const sent = vi.mocked(stream).mock.calls.map(([, request]) => (request as { view: object }).view);
  expect(sent.length).toBe(2);
  expect(sent[1]).toMatchObject({ layer: 1, head: 1, outlines: 0 });
  expect(set.shown?.request.images).toEqual(set.images);
});

it('adds an image once, removes it when it is chosen again, and is bounded', async () => {
  vi.mocked(stream).mockReturnValue(new Promise(() => {}));
  const { set, session } = await openSet(false);
  set.add(sample('cat'));
  set.add(sample('cat'));
  set.toggle(sample('dog'));
  expect(set.images.length).toBe(2);
  set.toggle(sample('cat'));
  expect(set.images).toEqual([sample('dog')]);
  for (let k = 0; k < MAX_IMAGES; k++) set.add({ kind: 'test', index: k });
  expect(set.images.length).toBe(MAX_IMAGES);
  expect(session.status.isError).toBe(true);
});

it('uploads files one by one and names those that are refused', async () => {
  vi.mocked(stream).mockReturnValue(new Promise(() => {}));
  const upload = { kind: 'upload' as const, id: 'a'.repeat(64), name: 'a.png', crop: 0.5 };
  const { set, session, latest } = await openSet(false);
  const uploading = set.upload([new File([], 'a.png'), new File([], 'b.txt')]);
  await latest('openImage').respond(upload);
  await latest('openImage').refuse(new RefusedError('No image.'));
  await uploading;
  expect(set.images).toEqual([upload]);
  expect(session.status.notice).toBe('b.txt: No image.');
});

it('shows the attention beside contents that have no map', () => {
  const view = { ...DEFAULT_VIEW, content: 'contributions' as const, layer: 2, direction: 'similar' as const };
  expect(viewOf(view)).toMatchObject({ content: 'attention', layer: 2, direction: 'from' });
  expect(viewOf({ ...view, content: 'method', method: 'rollout' })).toMatchObject({ method: 'rollout' });
});
