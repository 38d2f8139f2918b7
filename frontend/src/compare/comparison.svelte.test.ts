// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from 'vitest';
import { CatalogState } from '../lib/catalog.svelte';
import type { Host } from '../lib/host';
import { uploadImage } from '../lib/imageFiles';
import { RefusedError } from '../lib/refused';
import type { Snapshots, Uploaded } from '../lib/routes';
import { post, upload } from '../lib/server';
import { NOTHING_ABLATED, type Subject } from '../lib/view';
import type { Engine } from '../session/engine';
import { encoded, explained, sample, settle, stubCanvas } from '../session/session.testdata.svelte';
import { Comparison } from './comparison.svelte';
import type { Kind } from './kinds';

vi.mock('../lib/server', () => ({ post: vi.fn(), upload: vi.fn() }));

const SNAPSHOTS: Snapshots = { snapshots: ['epoch 0', 'epoch 1', 'epoch 2'], images: ['dog', 'cat'] };
let end = () => {};
afterEach(() => {
  end();
  vi.mocked(post).mockReset();
});

/** A page that runs, whose server explains and compares whatever it is requests. */
async function open(kind: Kind = 'image', { models = ['ti4', 'ti9'], own = {} } = {}) {
  stubCanvas();
  const explain = vi.fn(async (_: Subject) => explained());
  const request = vi.fn(async (route: string, { subject }: { subject: Subject }, _: AbortSignal) =>
    route === 'explanations' ? explain(subject) : { values: encoded(new Float32Array(2 * 6)) },
  );
  vi.mocked(post).mockResolvedValue(SNAPSHOTS as never);
  const catalog = {
    methods: [{ key: 'relevance', name: 'Relevance', forClass: true, onRequest: false }],
    models: models.map((name) => ({ name })),
    samples: ['cat', 'dog', 'ship'].map((name) => ({ name })),
    ...{ photos: [], colors: {}, maxBytes: 2 ** 20 },
  };
  const host = { element: document.createElement('div'), catalog: new CatalogState(catalog as never) };
  const openImage: Engine['openImage'] = (file, signal) => uploadImage(file, catalog.maxBytes, signal);
  const page = new Comparison(host as unknown as Host, { isLive: true, request, openImage } as unknown as Engine);
  end = running(page);
  const subject = { model: 'ti4', snapshot: kind === 'snapshot' ? 0 : null, image: sample('cat'), ablations: [] };
  page.open({ kind, subject, linked: { view: { layer: 1, head: 0 }, missing: [] }, own });
  await settle();
  return { page, explain, request, latest: () => page.shown!.request };
}

const running = (page: Comparison) => $effect.root(() => page.run());
const png = (name: string) => new File(['x'], name, { type: 'image/png' });

test('both images are explained once and compared', async () => {
  const { page, explain, latest } = await open();
  expect(explain.mock.calls.map(([{ image }]) => image)).toEqual([sample('cat'), sample('dog')]);
  expect([latest().a.subject.image, latest().b.subject.image]).toEqual([sample('cat'), sample('dog')]);
  expect(latest().b.view).toMatchObject({ content: 'attention', layer: 1, head: 0, query: [], target: [] });
  expect([page.ready, page.isWorking, page.failed]).toEqual([1, false, false]);
  page.explain('b', { image: sample('cat') });
  await settle();
  expect(explain).toHaveBeenCalledTimes(2); // the same subject as A
  expect(page.ready).toBe(2);
});

test('what the kind does not compare is the same on both sides', async () => {
  const { page, latest } = await open();
  page.show('a', { layer: 0, head: 1 });
  page.explain('a', { model: 'ti9' });
  await settle();
  expect([latest().a.subject.model, latest().b.subject.model]).toEqual(['ti9', 'ti9']);
  page.choose('head');
  page.show('b', { layer: 0 });
  await settle();
  const [a, b] = [latest().a, latest().b];
  expect([b.subject, b.view?.layer, b.view?.head !== a.view?.head]).toEqual([a.subject, 0, true]);
});

test('heads and patches are ablated in B alone, and restored with another model', async () => {
  const { page, latest } = await open('ablation', { own: { ablations: [{ ...NOTHING_ABLATED, heads: [[1, 1]] }] } });
  page.remove(true);
  page.pick(4);
  await settle();
  expect(latest().a.subject.ablations).toEqual([]);
  expect(latest().b.subject.ablations).toMatchObject([{ heads: [[1, 1]], patches: [4], mode: 'zero' }]);
  page.explain('a', { model: 'ti9' });
  await settle();
  expect(latest().b.subject.ablations).toMatchObject([{ patches: [] }]);
});

test('snapshots are those of the timeline, of one of its images', async () => {
  const { page, latest } = await open('snapshot');
  expect([latest().a.subject, latest().b.subject]).toMatchObject([
    { snapshot: 0, image: sample('cat') },
    { snapshot: 2, image: sample('cat') },
  ]);
  page.explain('a', { image: sample('ship') });
  await settle();
  expect(latest().a.subject.image).toEqual(sample('dog'));
  page.choose('image');
  await settle();
  expect([latest().a.subject.snapshot, latest().b.subject.snapshot]).toEqual([null, null]);
});

test('after an error the comparison on screen stays, with the reason', async () => {
  const { page, explain, latest } = await open();
  const { shown } = page;
  explain.mockRejectedValueOnce(new RefusedError('Gone.'));
  page.explain('b', { image: sample('ship') });
  await settle();
  expect([page.shown, page.failed, page.readout.line, page.readout.isError]).toEqual([shown, true, 'Gone.', true]);
  expect(page.values.image).toEqual(sample('dog'));
  vi.mocked(post).mockRejectedValueOnce(new RefusedError('No timeline.'));
  page.choose('snapshot');
  await settle();
  expect([page.kind, page.shown, page.readout.line]).toEqual(['image', shown, 'No timeline.']);
  page.show('a', { head: 1 });
  await settle();
  expect([page.failed, latest().a.view?.head]).toEqual([false, 1]);
});

test('a link that cannot be shown opens samples, with the reason', async () => {
  const { page, explain } = await open();
  end();
  explain.mockRejectedValueOnce(new RefusedError('Expired.'));
  const fresh = new Comparison(page.host, { isLive: true, request: page.a.engine.request } as unknown as Engine);
  end = running(fresh);
  const image = { kind: 'upload' as const, id: '', name: '', crop: 0.5 };
  const subject = { model: 'ti4', snapshot: null, image, ablations: [] };
  fresh.open({ kind: 'image', subject, linked: { view: {}, missing: [] }, own: {} });
  await settle();
  expect(fresh.shown?.a.subject.image).toEqual(sample('cat'));
  expect([fresh.failed, fresh.readout.line]).toEqual([false, 'Expired.']);
});

test('a superseded comparison is called off', async () => {
  const { page, request } = await open();
  const signals = () => request.mock.calls.filter(([route]) => route === 'explanations/rows').map(([, , one]) => one);
  request.mockImplementation(() => new Promise(() => {}));
  page.show('a', { query: [1] });
  await settle();
  page.show('a', { query: [2] });
  await settle();
  expect(signals().map(({ aborted }) => aborted)).toEqual([true, true, false, false]); // of both sides
  expect(page.isWorking).toBe(true);
});

test('the tokens of a patch in the middle are compared, unless one is chosen', async () => {
  const { page, latest } = await open();
  page.show('a', { direction: 'similar' });
  await settle();
  expect([latest().a.view?.query, latest().b.view?.query]).toEqual([[1], [1]]);
  page.pick(5);
  await settle();
  expect(latest().b.view).toMatchObject({ direction: 'similar', query: [5] });
});

test('a single model is compared with none', async () => {
  const { page } = await open('model', { models: ['ti4'] });
  expect([page.isAlone, page.isWorking, page.shown]).toEqual([true, false, null]);
});

test('an upload is dropped for an image that was chosen later, on the same side only', async () => {
  const { page } = await open();
  const ends: ((reply: Uploaded) => void)[] = [];
  vi.mocked(upload).mockImplementation(() => new Promise((resolve) => ends.push(resolve)));
  page.openFile('a', png('a.png'));
  page.openFile('b', png('b.png'));
  page.explain('a', { image: sample('ship') });
  for (const [k, answer] of ends.entries()) answer({ id: String(k) });
  await settle();
  expect(page.a.subject?.image).toEqual(sample('ship'));
  expect(page.values.image).toEqual({ kind: 'upload', id: '1', name: 'b.png', crop: 0.5 });
  page.openFile('a', new File(['x'], 'notes.txt', { type: 'text/plain' }));
  await settle();
  expect(page.readout.line).toContain('must be an image');
});
