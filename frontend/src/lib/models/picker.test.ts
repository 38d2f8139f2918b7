import { beforeEach, expect, test, vi } from 'vitest';
import { CatalogState } from '../catalog.svelte';
import { RefusedError } from '../refused';
import type { OpenState } from '../routes';
import { post } from '../server';
import type { Entry } from './list';
import { ModelPicker } from './picker.svelte';

vi.mock('../server', () => ({ post: vi.fn() }));

const CACHED: Entry = { name: 'timm:vit', group: 'Hugging Face cache', detail: '', isListed: false };
const LISTED: Entry = { name: 'tiny', group: 'Shipped', detail: '', isListed: true };
const state = (phase: OpenState['phase'], more: Partial<OpenState> = {}): OpenState => ({
  requested: 'timm:vit',
  phase,
  done: 0,
  total: 0,
  message: '',
  name: '',
  ...more,
});

let states: unknown[];
let requests: [string, unknown][];
const chosen: string[] = [];
const lists = { models: [], cifar: { available: false, classes: [], message: '' } };
const dialog = { open: true, showModal: vi.fn(), close: vi.fn() };

beforeEach(() => {
  vi.useFakeTimers();
  states = [];
  requests = [];
  chosen.length = 0;
  dialog.open = true;
});

function pickerOf(isPublic = false) {
  const replies: Record<string, () => unknown> = {
    'models/open': () => states.shift(),
    models: () => lists,
    'models/hub': () => ({
      models: [{ name: 'timm:vit', family: 'ViT', bytes: 1e6, classes: 5 }],
      suggested: [],
      cache: '/cache',
      free_memory: null,
    }),
    'models/facts': () => ({ facts: [['Family', 'ViT']], sizes: [['shown@448px', '785 tokens']] }),
  };
  vi.mocked(post).mockImplementation(async (route, argument) => {
    requests.push([route, argument]);
    const reply = replies[route]();
    if (reply instanceof Error) throw reply;
    return reply as never;
  });
  const picker = new ModelPicker({
    catalog: new CatalogState({ public: isPublic, models: [] } as never),
    shown: () => 'shown',
    onchoose: (name) => chosen.push(name),
  });
  picker.node = dialog as unknown as HTMLDialogElement;
  return picker;
}

test('opening shows the lists, the cache and what is known of the model', async () => {
  const picker = pickerOf();
  await picker.open();
  expect(dialog.showModal).toHaveBeenCalled();
  expect(picker.page.catalog.lists.cifar).toBe(lists.cifar);
  expect(picker.options.map(({ name }) => name)).toEqual(['timm:vit']);
  expect([picker.hub.cache, picker.about.facts]).toEqual(['/cache', [['Family', 'ViT']]]);
  expect(requests).toContainEqual(['models/facts', { model: 'shown' }]);
});

test('on a public page the cache is not requested and no name can be opened', async () => {
  const picker = pickerOf(true);
  await picker.open();
  picker.type('timm:vit');
  expect(picker.options).toEqual([]);
  expect(requests.map(([name]) => name)).not.toContain('models/hub');
});

test('a listed model is shown at once, the one on screen is not shown again', async () => {
  const picker = pickerOf();
  await picker.choose(LISTED);
  await picker.choose({ ...LISTED, name: 'shown' });
  expect([chosen, dialog.close.mock.calls.length > 1, requests]).toEqual([['tiny'], true, []]);
});

test('a model of the cache is opened, followed and shown under the name of the page', async () => {
  const picker = pickerOf();
  states = [
    state('loading'),
    state('downloading'),
    state('downloading', { done: 5e6, total: 346e6 }),
    state('ready', { name: 'vit' }),
  ];
  const opening = picker.choose(CACHED);
  await vi.advanceTimersByTimeAsync(0);
  expect(picker.status).toBe('Loading timm:vit…');
  expect(requests[0]).toEqual(['models/open', { action: 'start', name: 'timm:vit' }]);
  await picker.choose(CACHED); // ignored meanwhile
  await vi.advanceTimersByTimeAsync(300);
  expect(picker.status).toBe('Downloading timm:vit');
  await vi.advanceTimersByTimeAsync(300);
  expect(picker.status).toBe('Downloading timm:vit: 5.0 MB of 346 MB');
  await vi.advanceTimersByTimeAsync(300);
  await opening;
  expect([chosen, picker.status, picker.isBusy]).toEqual([['vit'], '', false]);
});

test('a model that is ready after the dialog was closed is listed, not shown', async () => {
  const picker = pickerOf();
  states = [state('ready', { name: 'vit' })];
  dialog.open = false;
  await picker.choose(CACHED);
  expect(chosen).toEqual([]);
  expect(picker.page.catalog.lists.cifar).toBe(lists.cifar);
});

test('failures, refusals and cancellation are reported', async () => {
  const picker = pickerOf();
  states = [state('failed', { message: 'No network.' })];
  await picker.choose(CACHED);
  expect(picker.status).toBe('No network.');
  states = [new RefusedError('Not here.')];
  await picker.choose(CACHED);
  expect(picker.status).toBe('Not here.');
  states = [state('downloading'), null, state('canceled')];
  const opening = picker.choose(CACHED);
  await vi.advanceTimersByTimeAsync(0);
  await picker.cancel();
  expect(requests.at(-1)).toEqual(['models/open', { action: 'cancel' }]);
  await vi.advanceTimersByTimeAsync(300);
  await opening;
  expect(picker.status).toContain('was canceled');
});

test('keys mark an option, Enter chooses it', async () => {
  const picker = pickerOf();
  await picker.open();
  states = [state('failed', { message: 'x' })];
  picker.type('vit');
  expect(picker.options).toHaveLength(2); // and the text itself as a path
  expect([picker.press('ArrowDown'), picker.active, picker.press('ArrowUp'), picker.active]).toEqual([
    true,
    1,
    true,
    0,
  ]);
  expect(picker.press('a')).toBe(false);
  expect(picker.press('Enter')).toBe(true);
  expect(requests.at(-1)).toEqual(['models/open', { action: 'start', name: 'timm:vit' }]);
  picker.type('');
  picker.hub = { ...picker.hub, models: [] };
  expect(picker.press('Enter')).toBe(true); // nothing to choose
});

test('the model on screen is opened at another input size', async () => {
  const picker = pickerOf();
  await picker.open();
  states = [state('ready', { name: 'shown@448px' })];
  await picker.load(picker.about.sizes[0][0]);
  expect(requests).toContainEqual(['models/open', { action: 'start', name: 'shown@448px' }]);
  expect(chosen).toEqual(['shown@448px']);
});
