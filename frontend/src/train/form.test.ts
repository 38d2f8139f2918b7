import { beforeEach, describe, expect, test } from 'vitest';
import type { LessonInfo, PresetInfo, TrainCatalog } from '../lib/routes';
import { FormState } from './form.svelte';
import type { TrainPage } from './state.svelte';

const SETTINGS = { 'model.depth': 6, 'model.drop_path_rate': 0.1, optimizer: 'adamw', lr: 0.001, muon_lr: null };
const preset = (name: string, budget: Record<string, number | null>, plain = true) =>
  ({
    name,
    plain,
    about: 'Small.',
    parameters: 1_800_000,
    settings: { ...SETTINGS, device: 'auto', dataset: 'cifar10', ...budget },
  }) as unknown as PresetInfo;

const LESSONS: LessonInfo[] = [
  {
    minutes: 18,
    preset: 'cifar10-s4',
    measured_minutes: 18,
    epochs: 4.7,
    test_accuracy: 0.7245,
    entropy: [0.65, 0.79],
    hardware: 'two cores',
  },
  {
    minutes: 10,
    preset: 'cifar10-ti4',
    measured_minutes: null,
    epochs: null,
    test_accuracy: null,
    entropy: null,
    hardware: '',
  },
];
const catalog = {
  lessons: LESSONS,
  presets: [
    preset('cifar10-ti4', { epochs: null, minutes: 88 }),
    preset('cifar10-s4', { epochs: null, minutes: 18 }),
    preset('tutorial', { epochs: 10, minutes: null }, false),
  ],
  settings: [
    { name: 'Model', fields: { 'model.depth': 'Layers', 'model.drop_path_rate': 'Stochastic depth' }, about: {} },
    { name: 'Training', fields: { optimizer: 'Optimizer', lr: 'Learning rate', muon_lr: 'Muon' }, about: {} },
  ],
  choices: { optimizer: ['adamw', 'muon'] },
  models: ['cifar10-ti4'],
} as unknown as TrainCatalog;

const DATA = { available: { cifar10: true }, image_folders: ['pets', 'cars.zip'], download: {} };

function makePage() {
  const page = {
    catalog,
    runs: [{ name: 'ti4-1', explorable: true }],
    sweeps: [{ name: 'ti4-2' }],
    data: DATA,
    running: undefined,
    runningSweep: undefined,
    voice: '',
    runOf: (name: string) => page.runs.find((run) => run.name === name),
  };
  return page;
}

let page: ReturnType<typeof makePage>;
let form: FormState;

beforeEach(() => {
  page = makePage();
  form = new FormState(page as unknown as TrainPage);
  form.take('cifar10-ti4');
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
    form.take('tutorial');
    expect([form.isHidden('model.pos_drop_rate'), form.isHidden('model.drop_path_rate')]).toEqual([false, true]);
  });

  test('of the network are fixed when fine-tuning', () => {
    form.settings['model.depth'] = '4';
    form.initFrom = 'runs/ti4-1';
    form.freezesBackbone = true;
    expect(form.isFixed('model.depth')).toBe(true);
    form.network = { 'model.depth': 2 };
    expect([form.settingText('model.depth'), form.settingText('lr')]).toEqual(['2', '0.001']);
    expect(form.query()).toMatchObject({ settings: { freeze_backbone: true }, init_from: 'runs/ti4-1' });
    expect(form.dataChanges).toBe(': runs/ti4-1');
    page.runs = [];
    form = new FormState(page as unknown as TrainPage);
    form.initFrom = 'runs/ti4-1';
    form.dropMissingChoices();
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

  test('of a lesson is that of its choice, on any dataset', () => {
    expect(form.lesson).toBeUndefined();
    expect(form.presetChanges).toBe(': cifar10-ti4, 88 minutes');
    form.takeLesson(LESSONS[1]);
    expect([form.preset?.name, form.budget, form.unit, form.lesson]).toEqual([
      'cifar10-ti4',
      '10',
      'minutes',
      LESSONS[1],
    ]);
    expect(form.differing).toEqual({ minutes: 10 });
    form.dataset = 'folder';
    expect(form.lesson).toBe(LESSONS[1]);
    expect(form.presetChanges).toBe('');
    expect(form.aboutPreset).toContain('cifar10-ti4: Small. What it reaches in this time has not been measured yet.');
    form.unit = 'epochs';
    expect(form.lesson).toBeUndefined();
    expect(form.aboutPreset).toBe('cifar10-ti4: Small.');
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
    form.nameInput = { matches: () => true } as unknown as HTMLInputElement;
    form.name = '';
    form.suggestName();
    expect(form.name).toBe('');
    form.nameInput = null;
    form.nameIsEdited = true;
    form.suggestName();
    expect(form.name).toBe('');
  });
});

describe('a refusal', () => {
  test('stands at its field, whose section opens', () => {
    form.showRefusal({ refused: 'No.', field: 'model.depth' });
    expect([form.refusedField, form.open.hyperparameters]).toEqual(['model.depth', true]);
    expect([form.invalid('model.depth'), form.invalid('lr')]).toEqual(['true', undefined]);
    form.showRefusal({ refused: 'No.', field: 'vary' });
    expect([form.refusedField, form.open.sweep, form.open.dataset]).toEqual(['vary', true, false]);
    form.showRefusal({ refused: 'No.', field: 'image_folder' });
    expect([form.refusedField, form.open.dataset, form.open.presets]).toEqual(['image_folder', true, false]);
    form.showRefusal({ refused: 'No.', field: 'minutes' });
    expect([form.refusedField, form.open.presets]).toEqual(['budget', true]);
  });

  test('of the budget stands at its only field, another above the button', () => {
    form.showRefusal({ refused: 'No.', field: 'epochs' });
    expect(form.refusedField).toBe('budget');
    for (const field of [null, 'unknown']) {
      form.showRefusal({ refused: 'No.', field });
      expect(form.refusedField).toBeNull();
    }
    form.showRefusal(null);
    expect(form.refusedField).toBeNull();
  });
});

describe('starting', () => {
  const hint = 'Training continues if you close this page.';

  test('waits for valid data', () => {
    expect([form.cannotStart, form.startNote]).toEqual([false, hint]);
    form.dataset = 'cifar100';
    expect([form.cannotStart, form.startNote]).toEqual([true, 'Dataset not downloaded.']);
    form.dataset = 'folder';
    expect(form.startNote).toBe('No image folder selected.');
    form.dropMissingChoices();
    expect([form.imageFolder, form.startNote]).toEqual(['pets', hint]);
    expect(form.query().image_folder).toBe('pets');
    form.unfit = 'One class only.';
    expect([form.cannotStart, form.startNote]).toEqual([true, 'These images cannot be trained on.']);
    form.refusal = { refused: 'No.', field: null };
    expect(form.startNote).toBe('One field is invalid.');
  });

  test('waits for the current training', () => {
    Object.assign(page, { running: { name: 'ti4-1', state: 'stopping' } });
    form = new FormState(page as unknown as TrainPage);
    expect([form.cannotStart, form.startNote]).toEqual([true, 'One training at a time: ti4-1 is stopping.']);
  });

  test('a sweep sends its grid', () => {
    form.vary[0] = { key: 'lr', values: '0.1, 0.2' };
    expect(form.runCount).toBe(2);
    expect(form.query().vary).toEqual(['lr=0.1,0.2']);
  });
});

test('sentences name the dataset', () => {
  expect(form.aboutData).toContain('CIFAR-10: 50,000 training and 10,000 test images.');
  expect(form.dataChanges).toBe('');
  form.dataset = 'folder';
  form.initFrom = 'cifar10-ti4';
  expect(form.aboutData).toBe('Your own images.');
  form.imageFolder = 'pets';
  expect(form.aboutData).toBe('Images of pets.');
  expect(form.dataChanges).toBe(': image folder, from cifar10-ti4');
  form.refuseImages('No zip.');
  expect([form.survey, page.voice]).toEqual([{ refused: 'No zip.' }, 'No zip.']);
});

test('the plan keeps the order of its entries', () => {
  form.fillPlan({ Parameters: '10', Time: 'measuring…' });
  form.fillPlan({ Time: '' });
  expect(form.plan).toEqual([
    ['Parameters', '10'],
    ['Time', ''],
  ]);
});
