import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Form } from './form.svelte';
import type { Runs } from './runs.svelte';
import { LESSONS, lists, refusal, run, runsOf, sent } from './runs.testdata';

vi.mock('../lib/server', async (actual) => ({ ...(await actual<object>()), post: vi.fn(), stream: vi.fn() }));
vi.mock('../lib/address', async (actual) => ({ ...(await actual<object>()), updateAddress: vi.fn() }));
vi.mock('../lib/theme.svelte', () => ({ ThemeColors: class {} }));

let runs: Runs;
let form: Form;

beforeEach(() => {
  vi.clearAllMocks();
  vi.useFakeTimers();
  runs = runsOf({}, lists([run('ti4-1')], { sweeps: [{ name: 'ti4-2', state: 'finished' }] as never }));
  form = runs.form;
  form.applyPreset('cifar10-ti4');
  return () => vi.useRealTimers();
});

describe('settings', () => {
  test('are those that differ from the preset', () => {
    expect([form.budget, form.unit, form.device]).toEqual(['88', 'minutes', 'auto']);
    expect(form.differing).toEqual({});
    form.settings['model.depth'] = ' 4 ';
    form.settings.lr = '';
    form.settings.optimizer = 'muon';
    form.device = 'cpu';
    expect(form.differing).toEqual({ 'model.depth': 4, lr: null, optimizer: 'muon', device: 'cpu' });
    expect(form.hyperparameterChanges).toBe(': 3 changes');
    form.restore();
    expect(form.differing).toEqual({ device: 'cpu' });
  });

  test('without effect are hidden and not sent', () => {
    form.settings.muon_lr = '0.02';
    expect(form.isHidden('muon_lr')).toBe(true);
    expect(form.differing).toEqual({});
    form.settings.optimizer = 'muon';
    expect(form.isHidden('muon_lr')).toBe(false);
    expect(form.differing).toEqual({ optimizer: 'muon', muon_lr: 0.02 });
    expect([form.isHidden('model.pos_drop_rate'), form.isHidden('model.drop_path_rate')]).toEqual([true, false]);
    form.applyPreset('tutorial');
    expect([form.isHidden('model.pos_drop_rate'), form.isHidden('model.drop_path_rate')]).toEqual([false, true]);
  });

  test('of the network are fixed when fine-tuning', () => {
    form.settings['model.depth'] = '4';
    form.initFrom = 'runs/ti4-1';
    form.freezesBackbone = true;
    expect(form.isFixed('model.depth')).toBe(true);
    runs.checks.network = { 'model.depth': 2 };
    expect([form.settingText('model.depth'), form.settingText('lr')]).toEqual(['2', '0.001']);
    expect(form.query()).toMatchObject({ settings: { freeze_backbone: true }, init_from: 'runs/ti4-1' });
    expect(form.dataChanges).toBe(': runs/ti4-1');
    runs.apply(lists([]));
    expect([form.initFrom, form.freezesBackbone]).toEqual(['', false]);
  });
});

describe('the budget', () => {
  test('of the preset follows the unit, a typed one stays', () => {
    form.changeUnit('epochs');
    expect(form.budget).toBe('');
    expect(form.differing).toEqual({ epochs: '' });
    form.budget = '2';
    form.changeUnit('minutes');
    expect(form.budget).toBe('2');
    expect(form.differing).toEqual({ minutes: 2 });
  });

  test('of a lesson is that of its choice; what it reached is that of its data and settings', () => {
    expect(form.lesson).toBeUndefined();
    expect(form.presetChanges).toBe(': cifar10-ti4, 88 minutes');
    form.applyPreset('cifar10-ti4', { minutes: 10 });
    expect([form.preset?.name, form.budget, form.unit, form.lesson]).toEqual([
      'cifar10-ti4',
      '10',
      'minutes',
      LESSONS[1],
    ]);
    expect(form.differing).toEqual({ minutes: 10 });
    expect(form.presetChanges).toBe('');
    expect(form.aboutPreset).toContain('cifar10-ti4: Small. What it reaches in this time has not been measured yet.');
    form.unit = 'epochs';
    expect(form.lesson).toBeUndefined();
    expect(form.aboutPreset).toBe('cifar10-ti4: Small.');
    form.applyPreset('cifar10-s4', { minutes: 18 });
    expect(form.aboutPreset).toContain('on CIFAR-10, on two cores');
    form.setSetting('lr', '0.1');
    expect(form.aboutPreset).toBe('cifar10-s4: Small.');
    form.restore();
    form.set({ dataset: 'folder' });
    expect(form.lesson).toBe(LESSONS[0]);
    expect(form.aboutPreset).toBe('cifar10-s4: Small.');
  });
});

describe('the name', () => {
  test('of a fine-tuned model follows the model', () => {
    form.initFrom = 'runs/ti4-1';
    form.suggestName();
    expect(form.name).toBe('ti4-1-finetuned-1');
  });

  test('is suggested unless it is typed or being typed', () => {
    form.suggestName();
    expect(form.name).toBe('ti4-3'); // neither a run nor a sweep
    form.typeName(true);
    form.name = '';
    form.suggestName();
    expect(form.name).toBe('');
    form.setName('mine');
    form.suggestName();
    expect(form.name).toBe('mine');
    form.setName('');
    form.typeName(false);
    expect(form.name).toBe('ti4-3');
  });
});

describe('starting', () => {
  const hint = 'Training continues if you close this page.';

  test('waits for valid data', () => {
    expect([form.cannotStart, form.startNote]).toEqual([false, hint]);
    form.dataset = 'cifar100';
    expect([form.cannotStart, form.startNote]).toEqual([true, 'Dataset not downloaded.']);
    form.dataset = 'folder';
    form.imageFolder = '';
    expect(form.startNote).toBe('No image folder selected.');
    form.dropMissingChoices();
    expect([form.imageFolder, form.startNote]).toEqual(['pets', hint]);
    expect(form.query().image_folder).toBe('pets');
    runs.images.problem = 'One class only.';
    expect([form.cannotStart, form.startNote]).toEqual([true, 'These images cannot be trained on.']);
    runs.checks.refusal = refusal('No.');
    expect(form.startNote).toBe('One field is invalid.');
  });

  test('waits for the current training', () => {
    runs.apply(lists([run('ti4-1', 'stopping')]));
    expect([form.cannotStart, form.startNote]).toEqual([true, 'One training at a time: ti4-1 is stopping.']);
  });

  test('a sweep sends its grid', () => {
    form.vary[0] = { key: 'lr', values: '0.1, 0.2' };
    expect(form.runCount).toBe(2);
    expect(form.query().vary).toEqual(['lr=0.1,0.2']);
  });
});

describe('a start', () => {
  test('shows the run and its headline, and suggests the next name', async () => {
    const headline = { focus: vi.fn(), scrollIntoView: vi.fn() };
    runs = runsOf({ 'runs/start': lists([run('mine', 'training')]) });
    form = runs.form;
    runs.root = { dataset: {}, querySelector: () => headline } as never;
    form.applyPreset('cifar10-ti4');
    form.setName('mine');
    await form.start();
    expect(sent('runs/start')).toEqual([{ preset: 'cifar10-ti4', settings: {}, name: 'mine' }]);
    expect([runs.followed, form.name, form.isStarting]).toEqual(['mine', 'ti4-1', false]);
    expect(headline.focus).toHaveBeenCalledWith({ preventScroll: true });
    expect(headline.scrollIntoView).toHaveBeenCalled();
  });

  test('that is refused is shown at its field, and the lists are requested again', async () => {
    runs = runsOf({ 'runs/start': refusal('Name must be new.', 'name') });
    form = runs.form;
    form.applyPreset('cifar10-ti4');
    await form.start();
    expect([runs.checks.field, runs.checks.refusal]).toEqual(['name', null]);
    expect(sent('runs/poll')).toHaveLength(1);
    expect(form.isStarting).toBe(false);
  });

  test('of an invalid form is not sent', async () => {
    runs.checks.refusal = refusal('No.');
    await form.start();
    expect(sent('runs/start')).toEqual([]);
  });
});

test('sentences name the dataset', () => {
  expect(form.aboutData).toContain('CIFAR-10: 50,000 training and 10,000 test images.');
  expect(form.dataChanges).toBe('');
  form.dataset = 'folder';
  form.imageFolder = '';
  form.initFrom = 'cifar10-ti4';
  expect(form.aboutData).toBe('Your own images.');
  form.imageFolder = 'pets';
  expect(form.aboutData).toBe('Images of pets.');
  expect(form.dataChanges).toBe(': image folder, from cifar10-ti4');
});

test('an experiment fills the sweep, any budget keeps it, and a lesson ends it', () => {
  const { form } = runsOf();
  form.applyPreset('cifar10-s4', { epochs: 5, vary: ['lr=1,2', 'seed=0,1'] });
  expect(form.query()).toMatchObject({
    preset: 'cifar10-s4',
    settings: { epochs: 5 },
    vary: ['lr=1,2', 'seed=0,1'],
  });
  expect([form.experiment?.name, form.runCount, form.name]).toEqual(['width', 4, 'width-1']);
  expect(form.aboutPreset).toContain('Found. Otherwise.');
  form.set({ budget: '10' });
  expect(form.experiment?.name).toBe('width');
  form.applyPreset('cifar10-ti4', { minutes: 10 });
  expect([form.experiment, form.runCount, form.name]).toEqual([undefined, 1, 'ti4-1']);
});

test('a run is named after its data', () => {
  const { form } = runsOf();
  form.applyPreset('cifar10-ti4');
  form.set({ dataset: 'folder', imageFolder: 'cars.zip' });
  expect(form.name).toBe('cars-ti4-1');
});
