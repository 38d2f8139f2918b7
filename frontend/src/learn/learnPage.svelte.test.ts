// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CatalogState } from '../lib/catalog.svelte';
import type { Host } from '../lib/host';
import { RefusedError } from '../lib/refused';
import type { Subject } from '../lib/view';
import { explained, sample, settle, stubCanvas } from '../session/session.testdata.svelte';
import { LearnPage } from './learnPage.svelte';
import { stepOf } from './steps';

const SUBJECT: Subject = { model: 'ti4', snapshot: null, image: sample('cat'), ablations: [] };
const LESSON = {
  model: { embed_dim: 192, patch_size: 1 },
  removals: [],
  random: [{ patches: [4], probabilities: [1, 0] }],
};
const HEAD = { query: '', keys: '', values: '', size: 0 };

interface Asked {
  route: string;
  request: Record<string, unknown>;
  signal: AbortSignal;
  respond: (reply: unknown) => Promise<void>;
}

const ask = vi.fn();

let requests: Asked[] = [];
let end = () => {};
beforeEach(() => {
  requests = [];
  ask.mockImplementation((route: string, request: Asked['request'], signal: AbortSignal) => {
    if (route === 'explanations') return Promise.resolve(explained());
    return new Promise((resolve, reject) => {
      const respond = (reply: unknown) => {
        if (reply instanceof Error) reject(reply);
        else resolve(reply);
        return settle();
      };
      requests.push({ route, request, signal, respond });
    });
  });
  stubCanvas();
});
afterEach(() => end());

const requestsOf = (route: string) => requests.filter((one) => one.route === `explanations/lesson${route}`);
const latest = (route: string) => requestsOf(route).at(-1) as Asked;

/** A page at a step, whose lesson has arrived. */
async function opened(step: string, subject = SUBJECT) {
  const engine = { request: ask };
  const host = {
    engine,
    element: document.createElement('div'),
    catalog: new CatalogState({ models: [], samples: [] } as never),
  };
  const page = new LearnPage(host as unknown as Host);
  end = $effect.root(() => page.run());
  page.openLink(subject, stepOf(step), []);
  await settle();
  await latest('').respond(LESSON);
  return page;
}

async function choose(page: LearnPage, name: string) {
  page.choose({ image: sample(name) });
  await settle();
}

test('after an error model and image of the pass are chosen again', async () => {
  const page = await opened('softmax');
  expect([page.state, page.settled]).toEqual(['ready', stepOf('softmax')]);
  page.choose({ model: 'other', image: sample('dog') });
  await settle();
  expect(page.state).toBe('working');
  await latest('').respond(new RefusedError('Busy.'));
  expect([page.subject, page.state, page.status.notice]).toEqual([SUBJECT, 'error', 'Busy.']);
  await choose(page, 'dog');
  await latest('').respond(LESSON);
  expect([page.state, page.pass?.explanation.subject.image]).toEqual(['ready', sample('dog')]);
});

test('the tuned lens of an image is requested once', async () => {
  const page = await opened('known');
  const asked = () => requests.filter(({ route }) => route === 'explanations/lens');
  await asked()[0].respond({ lens: { values: '', accuracy: [1] } });
  for (const step of ['softmax', 'known']) {
    page.goTo(stepOf(step));
    await settle();
  }
  expect([page.found.lens?.accuracy, page.settled]).toEqual([[1], stepOf('known')]);
  await choose(page, 'dog');
  await latest('').respond(LESSON);
  expect(page.found.lens).toBeUndefined();
  expect(asked()).toHaveLength(2);
});

test('a request for an earlier choice is called off, and what it finds dropped', async () => {
  const page = await opened('attention');
  const first = latest('/head');
  page.pick({ head: 1, layer: 0 });
  await settle();
  expect([first.signal.aborted, latest('/head').request]).toMatchObject([true, { layer: 0, head: 1 }]);
  await first.respond(HEAD);
  expect(page.found.head).toBeUndefined();
  await latest('/head').respond(HEAD);
  expect(page.found.head).toMatchObject({ layer: 0, head: 1 });
  page.pick({ patch: 2 });
  await settle();
  expect(requestsOf('/head')).toHaveLength(2);
});

test('an error is shown until a request is served, or until another step', async () => {
  const page = await opened('attention');
  await latest('/head').respond(new RefusedError('Busy.'));
  expect([page.status.notice, page.settled]).toEqual(['Busy.', stepOf('attention')]);
  page.pick({ head: 1, layer: 0 });
  await settle();
  await latest('/head').respond(HEAD);
  expect(page.status.notice).toBeNull();
  page.pick({ head: 0 });
  await settle();
  await latest('/head').respond(new RefusedError('Busy.'));
  page.goTo(2);
  expect(page.status.notice).toBeNull();
});

test('the game is won with patches of the reader only, and then the best known set is searched', async () => {
  const page = await opened('removal');
  page.remove(LESSON.random[0].patches);
  await settle();
  await latest('/removal').respond({ probabilities: [0.2, 0.8] });
  expect([page.ownBest, page.isSearching]).toEqual([0, false]);
  page.remove([1, 2], true);
  await settle();
  await latest('/removal').respond({ probabilities: [0.2, 0.8] });
  expect([page.ownBest, page.isSearching]).toEqual([2, true]);
  await latest('/flips').respond({ best: [3], random: [] });
  expect([page.found.flips?.best, page.isSearching]).toEqual([[3], false]);
  page.remove([]);
  expect(page.found.removal).toBeUndefined();
});
