import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { updateAddress } from '../lib/address';
import { Router } from './router.svelte';

const location = { search: '', pathname: '/', hash: '' };
let entries: string[] = [];
let current = 0;
let goBack = () => {};

function go(url: string, index: number) {
  entries = [...entries.slice(0, index), url];
  current = index;
  location.search = url.slice(1);
}

/** A router at an address, in a browser with this one entry in its history. */
function start(search: string) {
  go(`/${search}`, 0);
  return new Router();
}

/** Go to the previous or next entry, as the browser does. */
function step(by: 1 | -1) {
  current += by;
  location.search = entries[current].slice(1);
  goBack();
}

beforeEach(() => {
  vi.stubGlobal('location', location);
  vi.stubGlobal('scrollY', 0);
  vi.stubGlobal('scrollTo', vi.fn());
  vi.stubGlobal('window', {
    addEventListener: (_type: string, listen: () => void) => {
      goBack = listen;
    },
  });
  vi.stubGlobal('history', {
    pushState: (_state: unknown, _title: string, url: string) => go(url, current + 1),
    replaceState: (_state: unknown, _title: string, url: string) => {
      entries[current] = url;
      location.search = url.slice(1);
    },
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

test.each([
  ['', 'explore'],
  ['?tab=learn&step=heads', 'learn'],
  ['?tab=explore', 'explore'],
  ['?tab=<b>', 'explore'],
])('the address %j opens %s', (search, page) => {
  expect(start(search).page).toBe(page);
});

test('a page is a new entry of the history that keeps the view', () => {
  const router = start('?image=cat');
  router.open('train');
  router.open('train');
  expect(router.page).toBe('train');
  expect(entries).toEqual(['/?image=cat', '/?image=cat&tab=train']);
  router.open('explore');
  expect(entries[2]).toBe('/?image=cat');
});

test('where Back changes the page it keeps the view on screen', () => {
  const router = start('?image=cat');
  const follow = vi.fn();
  router.route('explore').onHistory(follow);
  router.open('train');
  updateAddress({ run: 'first' });
  step(-1);
  expect(router.page).toBe('explore');
  expect(location.search).toBe('?image=cat&run=first');
  step(1);
  expect(router.page).toBe('train');
  expect(follow).not.toHaveBeenCalled();
});

test('another entry of the page on screen is left to the page', () => {
  const router = start('?image=cat');
  const [explore, learn] = [vi.fn(), vi.fn()];
  router.route('explore').onHistory(explore);
  router.route('learn').onHistory(learn);
  updateAddress({ image: 'ship' }, {}, 'pushState');
  step(-1);
  expect(location.search).toBe('?image=cat');
  expect([explore.mock.calls.length, learn.mock.calls.length]).toEqual([1, 0]);
});

test('a head is shown by Explore, which may not be loaded', () => {
  const router = start('?tab=internals');
  const link = { subject: { model: 'tiny' }, view: { layer: 1, head: 2 } };
  router.route('internals').openLink(link);
  expect([router.page, location.search]).toEqual(['explore', '?']);
  const show = vi.fn();
  router.route('explore').onLink(show);
  router.open('internals');
  router.route('internals').openLink(link);
  expect(show).toHaveBeenCalledWith(link);
});

test('each page keeps its place', async () => {
  const router = start('');
  vi.stubGlobal('scrollY', 400);
  router.open('learn');
  await vi.waitFor(() => expect(scrollTo).toHaveBeenLastCalledWith(0, 0));
  router.open('explore');
  await vi.waitFor(() => expect(scrollTo).toHaveBeenLastCalledWith(0, 400));
});
