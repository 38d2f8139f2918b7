import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { changeForm, estimatePresets, showSurvey } from './checks';
import type { TrainPage } from './state.svelte';

const ACCEPTED = {
  grid: [8, 8],
  prefix: 1,
  tokens: 65,
  parameters: 545_162,
  trainings: 1,
  model: { 'model.depth': 4 },
};
const ESTIMATE = { parameters: 1, tokens: 65, images_per_second: 900, seconds: 120, epochs: 4.7, device: 'cpu' };
const SURVEY = { counts: [['a', 2, 1]], refused: [], more: 0, divided: true, problem: '' };

/** A page with a form whose server gives these replies by name. */
function pageWith(replies: Record<string, unknown>, query: Record<string, unknown> = { preset: 'p', settings: {} }) {
  const plan: Record<string, string> = {};
  const form = {
    initFrom: '',
    freezesBackbone: true,
    checked: undefined as string | undefined,
    checks: 0,
    surveys: 0,
    surveyed: '',
    refusal: null as unknown,
    unfit: '',
    survey: null as unknown,
    unit: 'minutes',
    trainings: 1,
    estimates: {},
    estimated: undefined as string | undefined,
    sizes: {} as Record<string, string>,
    suggestName: vi.fn(),
    query: () => query,
    showRefusal: vi.fn(),
    refuseImages: vi.fn(),
    fillPlan: (values: Record<string, string>) => Object.assign(plan, values),
  };
  const request = vi.fn(async (name: string, _: unknown) => replies[name] ?? null);
  const page = {
    form,
    host: { request },
    running: undefined as unknown,
    voice: '',
    catalog: { presets: [] as unknown[] },
  };
  return { page: page as typeof page & TrainPage, form, request, plan };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const settle = () => vi.runAllTimersAsync();

test('typing is checked once, after a pause, and then the time is estimated', async () => {
  const { page, form, request, plan } = pageWith({ check: ACCEPTED, estimate: ESTIMATE });
  changeForm(page);
  changeForm(page);
  expect(request).not.toHaveBeenCalled();
  expect(form.freezesBackbone).toBe(false); // without initial weights
  await settle();
  expect(request.mock.calls.map(([name]) => name)).toEqual(['check', 'estimate']);
  expect(form.checked).toBe('fits');
  expect(plan).toMatchObject({ Parameters: '545,162', Tokens: expect.stringContaining('65: 8') });
  expect(plan.Time).toContain('4.7 epochs');
  changeForm(page);
  await settle();
  expect(request.mock.calls.map(([name]) => name)).toEqual(['check', 'estimate', 'check']); // the estimate is cached
});

test('an invalid form says why, and is not estimated', async () => {
  const refusal = { refused: 'Layers must be at least 1.', field: 'model.depth' };
  const { page, form, request, plan } = pageWith({ check: refusal });
  changeForm(page);
  await settle();
  expect(form).toMatchObject({ checked: 'refused', refusal });
  expect(form.showRefusal).toHaveBeenCalledWith(refusal);
  expect(plan.Time).toBe('');
  expect(request).toHaveBeenCalledOnce();
});

test('without an image folder there is nothing to check', async () => {
  const { page, form, request } = pageWith({}, { preset: 'p', settings: {}, image_folder: '' });
  changeForm(page);
  await settle();
  expect(form.checked).toBe('empty');
  expect(request).not.toHaveBeenCalled();
});

test('an estimate that fails is replaced by the reason, and requested again', async () => {
  const { page, request, plan } = pageWith({ check: ACCEPTED, estimate: { error: 'A run is training.' } });
  changeForm(page);
  await settle();
  expect(plan.Time).toBe('A run is training.');
  changeForm(page);
  await settle();
  expect(request.mock.calls.filter(([name]) => name === 'estimate')).toHaveLength(2);
});

test('a new image folder is surveyed, spoken, and the form checked again', async () => {
  const query = { preset: 'p', settings: {}, image_folder: 'pets' };
  const { page, form, request } = pageWith({ check: ACCEPTED, survey: SURVEY, estimate: ESTIMATE }, query);
  changeForm(page);
  await settle();
  expect(request.mock.calls.map(([name]) => name)).toEqual(['check', 'survey', 'check', 'estimate']);
  expect(form).toMatchObject({ surveyed: 'pets', survey: SURVEY, checked: 'fits' });
  expect(page.voice).toBe('1 class of images. 0 files were rejected.');
});

test('the survey of a folder that is no longer chosen is dropped', async () => {
  const { page, form, request } = pageWith({}, { preset: 'p', settings: {}, image_folder: 'pets' });
  const replies = [{ ...SURVEY, problem: 'old' }, SURVEY];
  request.mockImplementation(async (name) =>
    name === 'survey' ? (replies.shift() ?? null) : { refused: 'No.', field: null },
  );
  await Promise.all([showSurvey(page), showSurvey(page)]);
  expect(form).toMatchObject({ survey: SURVEY, unfit: '' });
});

test('a folder that cannot be read is surveyed again', async () => {
  const { page, form } = pageWith({ survey: { error: 'No such folder.' } }, { preset: 'p', image_folder: 'pets' });
  await showSurvey(page);
  expect(form.refuseImages).toHaveBeenCalledWith('No such folder.');
  expect(form.surveyed).toBe('');
});

test('presets are estimated one after another, until a training starts', async () => {
  const { page, form, request } = pageWith({ estimate: ESTIMATE });
  page.catalog.presets.push(
    ...(['a', 'b'].map((name) => ({ name, parameters: 1e6, settings: { epochs: null } })) as never[]),
  );
  await estimatePresets(page);
  expect(Object.keys(form.sizes)).toEqual(['a', 'b']);
  expect(form.sizes.a).toContain('4.7 epochs in ');
  page.running = { name: 'run-1' } as never;
  request.mockClear();
  form.estimates = {};
  await estimatePresets(page);
  expect(request).toHaveBeenCalledOnce();
});
