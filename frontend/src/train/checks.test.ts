import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { post } from '../lib/server';
import { lists, refusal, routes, run, runsOf, sent } from './runs.testdata';

vi.mock('../lib/server', async (actual) => ({ ...(await actual<object>()), post: vi.fn(), stream: vi.fn() }));
vi.mock('../lib/address', async (actual) => ({ ...(await actual<object>()), updateAddress: vi.fn() }));
vi.mock('../lib/theme.svelte', () => ({ ThemeColors: class {} }));

/** The checks of a form with a preset, whose server gives these replies. */
function checksOf(replies: Record<string, unknown> = {}) {
  const runs = runsOf(replies);
  runs.form.applyPreset('cifar10-ti4');
  return { runs, form: runs.form, checks: runs.checks };
}

beforeEach(() => {
  vi.clearAllMocks();
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

const settle = () => vi.runAllTimersAsync();

test('typing is checked once, after a pause, and then the time is estimated', async () => {
  const { form, checks } = checksOf();
  form.edited();
  form.edited();
  expect(routes()).toEqual([]);
  await settle();
  expect(routes()).toEqual(['runs/check', 'runs/estimate']);
  expect(sent('runs/estimate')).toEqual([{ preset: 'cifar10-ti4', settings: {} }]);
  expect(checks.checked).toBe('fits');
  expect(Object.keys(checks.plan)).toEqual(['Parameters', 'Tokens', 'Time']);
  expect(checks.plan).toMatchObject({ Parameters: '545,162', Tokens: expect.stringContaining('65: 8') });
  expect(checks.plan.Time).toContain('4.7 epochs');
  form.edited();
  await settle();
  expect(routes()).toEqual(['runs/check', 'runs/estimate', 'runs/check']); // the estimate is cached
});

test('an invalid form says why at its field, whose section opens, and is not estimated', async () => {
  const refused = refusal('Layers must be at least 1.', 'model.depth');
  const { form, checks } = checksOf({ 'runs/check': refused });
  await settle();
  expect([checks.checked, checks.refusal, checks.shown]).toEqual(['refused', refused, refused]);
  expect([checks.field, form.open.hyperparameters]).toEqual(['model.depth', true]);
  expect([checks.invalid('model.depth'), checks.invalid('lr')]).toEqual(['true', undefined]);
  expect(checks.plan.Time).toBe('');
  expect(routes()).toEqual(['runs/check']);
});

test.each([
  ['vary', 'vary', 'sweep'],
  ['image_folder', 'image_folder', 'dataset'],
  ['minutes', 'budget', 'presets'],
  ['epochs', 'budget', 'presets'],
] as const)('a refusal of %s stands at %s', (field, place, section) => {
  const { form, checks } = checksOf();
  checks.refuseStart(refusal('No.', field));
  expect([checks.refusal, checks.field]).toEqual([null, place]);
  expect(Object.entries(form.open).flatMap(([name, isOpen]) => (isOpen ? [name] : []))).toEqual([section]);
});

test('a refusal of no field of the form stands above the button', () => {
  const { checks } = checksOf();
  for (const field of ['', 'preset', 'settings.other']) {
    checks.refuseStart(refusal('No.', field));
    expect(checks.field).toBeNull();
  }
});

test('without an image folder there is nothing to check', async () => {
  const data = { ...lists([]).data, image_folders: [] };
  const { runs, form, checks } = checksOf();
  runs.apply(lists([], { data }));
  form.set({ dataset: 'folder' });
  await settle();
  expect([checks.checked, routes()]).toEqual(['empty', []]);
});

test('an estimate that fails is replaced by the reason, and requested again', async () => {
  const { form, checks } = checksOf({ 'runs/estimate': refusal('A run is training.') });
  await settle();
  expect(checks.plan.Time).toBe('A run is training.');
  form.edited();
  await settle();
  expect(sent('runs/estimate')).toHaveLength(2);
});

test('a new image folder is surveyed, and the form checked again', async () => {
  const { form, checks } = checksOf();
  form.set({ dataset: 'folder' });
  await settle();
  expect(routes().filter((route) => route === 'data/folders/survey')).toHaveLength(1);
  expect(routes().at(-1)).toBe('runs/estimate');
  expect(checks.checked).toBe('fits');
});

test('presets are estimated one after another, until a training starts', async () => {
  const { runs, checks } = checksOf();
  await checks.estimatePresets();
  expect(Object.keys(checks.sizes)).toEqual(['cifar10-ti4', 'cifar10-s4', 'tutorial']);
  expect(checks.sizes['cifar10-ti4']).toContain('4.7 epochs in ');
  const busy = checksOf();
  busy.runs.apply(lists([run('a', 'training')]));
  vi.mocked(post).mockClear();
  await busy.checks.estimatePresets();
  expect(sent('runs/estimate')).toHaveLength(1);
  expect(runs.running).toBeUndefined();
});
