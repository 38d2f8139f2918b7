// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from 'vitest';
import { pause } from '../lib/host';
import { MEAN, rowOf } from '../lib/numbers';
import { RefusedError } from '../lib/refused';
import { NOTHING_ABLATED } from '../lib/view';
import { explained, identity, openSession, SHAPE, sample, settle } from './session.testdata.svelte';

vi.mock('../lib/host', async (original) => ({ ...(await original<object>()), pause: vi.fn(async () => {}) }));

let end = () => {};
afterEach(() => end());

async function opened(changes: Parameters<typeof openSession>[0] = {}) {
  const open = await openSession(changes);
  end = open.end;
  return open;
}

test('an image opens with its sharpest late head, and what is drawn follows', async () => {
  const { session } = await opened();
  expect(session.view).toMatchObject({ content: 'attention', layer: 1 });
  const { layer, head } = session.view;
  expect(session.drawing.title).toBe(`Layer 2, head ${Number(head) + 1}`);
  expect(session.drawing.headline).toContain('the class token attends most to');
  session.show({ layer: MEAN, head: MEAN });
  expect(session.drawing.title).toBe('Mean of layers, mean of heads');
  expect(layer).toBe(1);
});

test('a superseded request is called off, and only the latest is shown', async () => {
  const { session, requests } = await opened();
  session.explain({ image: sample('dog') });
  await settle();
  const dog = requests.findLast(({ name }) => name === 'explain');
  session.explain({ image: sample('ship') });
  await settle();
  expect(dog?.signal.aborted).toBe(true);
  await dog?.respond(explained());
  expect(session.explanation?.subject.image).toEqual(sample('cat'));
  await requests.findLast(({ name }) => name === 'explain')?.respond(explained());
  expect(session.explanation?.subject.image).toEqual(sample('ship'));
});

test('a fast engine finishes each explanation, shows it, and then explains the latest subject', async () => {
  const { session, requests, end: close } = await openSession({}, true, true);
  end = close;
  const explains = () => requests.filter(({ name }) => name === 'explain');
  session.ablate({ patches: [0] });
  await settle();
  session.ablate({ patches: [0, 1] });
  session.ablate({ patches: [0, 1, 2] });
  await settle();
  expect(explains().length).toBe(2);
  expect(explains()[1].signal.aborted).toBe(false);
  await explains()[1].respond(explained());
  expect(session.explanation?.subject.ablations[0].patches).toEqual([0]);
  expect(session.ablation.patches).toEqual([0, 1, 2]);
  expect(explains().length).toBe(3);
  await explains()[2].respond(explained());
  expect(session.explanation?.subject.ablations[0].patches).toEqual([0, 1, 2]);
  expect(session.isPending).toBe(false);
});

test('an explanation that waits says for what, until it is computed', async () => {
  const { session, latest } = await opened();
  vi.useFakeTimers();
  session.explain({ image: sample('dog') });
  await settle();
  vi.runAllTimers();
  expect(session.status.line).toBe('Working…');
  latest('explain').report({ done: 0, total: 0, waiting: '2 requests before yours' });
  expect(session.status.line).toBe('Waiting: 2 requests before yours.');
  latest('explain').report({ done: 0, total: 0, waiting: '' });
  expect(session.status.line).toBe('Working…');
  await latest('explain').respond(explained());
  expect(session.status.line).toBeNull();
  vi.useRealTimers();
});

test('canceled maps are not requested again until another image', async () => {
  const { session, requests, latest } = await opened();
  await latest('attention').respond(identity());
  const maps = latest('maps');
  maps.report({ done: 1, total: 4, waiting: '' });
  expect(session.methods.pending).toMatchObject({ what: 'maps', progress: { done: 1 } });
  session.methods.cancelAll();
  await settle();
  expect(maps.signal.aborted).toBe(true);
  maps.report({ done: 2, total: 4, waiting: '' });
  expect([session.methods.pending, session.methods.canceled]).toEqual([null, 'maps']);
  expect(requests.filter(({ name }) => name === 'maps')).toHaveLength(1);
  session.explain({ image: sample('dog') });
  await settle();
  await latest('explain').respond(explained());
  await settle();
  expect(session.methods.canceled).toBeNull();
  expect(requests.filter(({ name }) => name === 'maps')).toHaveLength(2);
});

test('after an error the subject on screen is that of the explanation, and nothing drawn is lost', async () => {
  const { session, latest } = await opened();
  const { headline } = session.drawing;
  const arrived = session.explain({ image: sample('dog') });
  await settle();
  await latest('explain').refuse(new RefusedError('Uploads are deleted within an hour.'));
  expect(await arrived).toBe(false);
  expect(session.subject?.image).toEqual(sample('cat'));
  expect(session.failed).toBe(true);
  expect([session.status.notice, session.status.isError]).toEqual(['Uploads are deleted within an hour.', true]);
  expect(session.drawing.headline).toBe(headline);
});

test('the last query stays on screen until the attention of a new one is there', async () => {
  const { session, latest } = await opened();
  session.point({ hover: 2 });
  expect(session.drawing.imageMarks.query).toEqual([2]); // the marks follow at once
  expect(session.drawing.query).toEqual([]);
  expect(session.isWaiting).toBe(true);
  await latest('attention').respond(identity());
  expect(session.drawing.query).toEqual([2]);
  expect(session.drawing.headline).toContain('row 1, column 3 attends most to row 1, column 3');
});

test('the rows of a large model are requested one at a time, the latest query last', async () => {
  const { session, requests, latest } = await opened({ on_demand: true });
  for (const hover of [1, 2, 3]) {
    session.point({ hover });
    await settle();
  }
  const rows = () => requests.filter(({ name }) => name === 'rows');
  expect(rows().map(({ argument }) => argument)).toEqual([{ query: [1], direction: 'from' }]);
  await rows()[0].respond(new Float32Array(28).fill(0.1));
  expect(latest('rows').argument).toEqual({ query: [3], direction: 'from' });
  await latest('rows').refuse(new RefusedError('The server did not respond.'));
  expect(session.pointer.hover).toBe(-1);
  expect(session.status.notice).toBe('The server did not respond.');
});

test('a busy server is requests again', async () => {
  const { session, requests } = await opened({ on_demand: true });
  session.point({ hover: 1 });
  await settle();
  await requests.findLast(({ name }) => name === 'rows')?.refuse(new RefusedError('busy', { busy: true }));
  expect(pause).toHaveBeenCalled();
  expect(requests.filter(({ name }) => name === 'rows')).toHaveLength(2);
  expect(session.pointer.hover).toBe(1);
});

test('an ablation is a subject, keeps the view, and is undone by an error', async () => {
  const { session, latest } = await opened();
  session.show({ layer: 0, head: 1 });
  session.ablate({ heads: [[0, 1]] });
  await settle();
  expect(session.drawing.whyEmpty).toBe('ablated'); // at once
  expect(latest('explain').argument).toMatchObject({ ablations: [{ heads: [[0, 1]], mode: 'zero' }] });
  await latest('explain').respond(explained({ probabilities: [0.5, 0.5] }));
  expect(session.explanation?.isAblated).toBe(true);
  expect(session.explanation?.original.reply.probabilities).toEqual([0.75, 0.25]);
  expect(session.view).toMatchObject({ layer: 0, head: 1 });
  session.ablate({ mode: 'mean' });
  await settle();
  await latest('explain').refuse(new RefusedError('no'));
  expect(session.ablation.mode).toBe('zero');
  await session.ablate({ heads: [] }); // needs no request
  await settle();
  expect(session.explanation?.isAblated).toBe(false);
});

test('while patches are removed, the map is that of the class token and the patch under the pointer is spoken', async () => {
  const { session, latest } = await opened();
  await latest('attention').respond(identity());
  session.point({ removes: true, hover: 2 });
  expect(session.query).toEqual([]);
  expect(session.drawing.imageMarks.query).toEqual([2]);
  expect(session.drawing.spoken).toMatch(/^Row 1, column 3\. /);
  session.ablate({ patches: [2] });
  await settle();
  await latest('explain').respond(explained());
  expect(session.drawing.spoken).toMatch(/^Row 1, column 3 is removed: /);
  expect(session.drawing.headline).toContain('class token');
});

test('the map of another class stays until the new one is there', async () => {
  const { session, latest } = await opened();
  await settle();
  const maps = { rollout: [1, 2, 3, 4, 5, 6], relevance: [1, 0, 0, 0, 0, 0] };
  await latest('maps').respond({ maps, notes: {}, skipped: null });
  session.show({ content: 'method', method: 'relevance' });
  expect(session.drawing.title).toBe('Relevance for cat');
  session.show({ target: [1] });
  await settle();
  expect(session.drawing.title).toBe('Relevance for cat');
  expect(session.drawing.isMethodHeld).toBe(true);
  expect(Object.keys(session.methods.maps)).toEqual(['rollout']);
  await latest('maps').respond({ maps, notes: {}, skipped: null });
  expect(session.drawing.title).toBe('Relevance for dog');
  session.show({ target: [] });
  await settle();
  await latest('maps').refuse(new RefusedError('Something went wrong.'));
  expect(session.drawing.title).toMatch(/^Layer/);
});

test('another image keeps the query, another model opens with its own head, and classes follow by name', async () => {
  const { session, latest } = await opened();
  await latest('attention').respond(identity());
  session.show({ layer: 0, head: 0, query: [4], target: [1] });
  session.explain({ model: 'ti9' });
  await settle();
  await latest('explain').respond(explained({ classes: ['dog', 'cat'] }));
  await latest('attention').respond(identity());
  expect(session.view).toMatchObject({ layer: 1, query: [4], target: [0] });
  session.explain({ image: sample('dog') });
  await settle();
  await latest('explain').respond(explained());
  await latest('attention').respond(identity());
  expect(session.view).toMatchObject({ query: [4], target: [] });
});

test('what a link names and the model lacks is said, and has its default', async () => {
  const { session, latest } = await opened();
  session.explain(
    { image: sample('dog'), ablations: [{ ...NOTHING_ABLATED, heads: [[9, 0]], patches: [2, 99] }] },
    { view: { layer: 9, head: 0, query: [3, 77], target: [5], content: 'contributions' }, missing: ['Lost.'] },
  );
  await settle();
  await latest('explain').respond(explained({ classes: [], probabilities: [] }));
  await latest('explain').respond(explained({ classes: [], probabilities: [] }));
  await latest('attention').respond(identity());
  expect(session.subject?.ablations).toMatchObject([{ heads: [], patches: [2] }]);
  expect(session.view).toMatchObject({ content: 'attention', layer: 1, query: [3], target: [] });
  for (const part of ['Lost.', 'no layer 10, head 1', 'outside', '0 classes', 'no logit', 'left out'])
    expect(session.status.notice).toContain(part);
});

test('a captured model opens without what needs its inside, paints patches, and has the heads of each layer', async () => {
  const { session, latest } = await opened();
  session.show({ content: 'method', method: 'relevance' });
  const captured = explained({
    shape: { ...SHAPE, layer_heads: [1, 2], captured: true },
    methods: ['rollout'],
  });
  const ablations = [{ ...NOTHING_ABLATED, heads: [[0, 0] as [number, number]], patches: [2] }];
  session.explain({ model: 'swin', ablations });
  await settle();
  await latest('explain').respond(captured);
  expect(latest('explain').argument).toMatchObject({ ablations: [{ heads: [], patches: [2], patch_mode: 'gray' }] });
  await latest('explain').respond(captured);
  await latest('attention').respond(identity());
  expect(session.view).toMatchObject({ content: 'attention', method: null });
  expect(session.status.notice).toContain('no map by relevance');
  session.show({ layer: 0, head: 1 });
  expect(session.drawing.headline).toBe('Layer 1 has no head 2');
  expect(session.drawing.spoken).toContain('This layer has 1 head, other layers more.');
  const { rows, shape } = session.drawing;
  if (!rows || !shape) throw new Error('nothing is drawn');
  expect(rowOf(rows, shape, 0, MEAN)).toEqual(rowOf(rows, shape, 0, 0)); // a mean over the heads that are there
});
