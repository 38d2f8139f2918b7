/* Runs with a server that gives known replies, for tests. */

import { vi } from 'vitest';
import { CatalogState } from '../lib/catalog.svelte';
import type { Host } from '../lib/host';
import { RefusedError } from '../lib/refused';
import type { LessonInfo, PresetInfo, RunInfo, RunLists, TrainCatalog } from '../lib/routes';
import { post, stream } from '../lib/server';
import { Runs } from './runs.svelte';

const SETTINGS = { 'model.depth': 6, 'model.drop_path_rate': 0.1, optimizer: 'adamw', lr: 0.001, muon_lr: null };
const preset = (name: string, budget: Record<string, number | null>, unused = 'model.pos_drop_rate') =>
  ({
    name,
    unused: [unused],
    about: 'Small.',
    parameters: 1_800_000,
    settings: { ...SETTINGS, device: 'auto', dataset: 'cifar10', ...budget },
  }) as unknown as PresetInfo;

export const LESSONS: LessonInfo[] = [
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

const CATALOG = {
  lessons: LESSONS,
  experiments: [
    {
      name: 'width',
      question: '',
      preset: 'cifar10-s4',
      epochs: 5,
      vary: ['lr=1,2', 'seed=0,1'],
      metric: 'min_distance',
      paper: 'Found.',
      differs: 'Otherwise.',
    },
  ],
  presets: [
    preset('cifar10-ti4', { epochs: null, minutes: 88 }),
    preset('cifar10-s4', { epochs: null, minutes: 18 }),
    preset('tutorial', { epochs: 10, minutes: null }, 'model.drop_path_rate'),
  ],
  settings: [
    { name: 'Model', fields: { 'model.depth': 'Layers', 'model.drop_path_rate': 'Stochastic depth' }, about: {} },
    { name: 'Training', fields: { optimizer: 'Optimizer', lr: 'Learning rate', muon_lr: 'Muon' }, about: {} },
  ],
  choices: { optimizer: ['adamw', 'muon'] },
  timelines: [{ name: 'ti4' }],
  models: ['cifar10-ti4'],
  folder: '/data',
} as unknown as TrainCatalog;

export const run = (name: string, state: RunInfo['state'] = 'finished') =>
  ({ name, state, is_classifier: true, message: '', epoch: 1, progress: 0.5, seconds: 1, explorable: true }) as RunInfo;

export const lists = (runs: RunInfo[], more: Partial<RunLists> = {}): RunLists => ({
  version: runs.map(({ name, state }) => name + state).join(),
  runs,
  sweeps: [],
  data: {
    available: { cifar10: true },
    image_folders: ['pets', 'cars.zip'],
    download: { dataset: '', running: false, progress: 0, message: '' },
  },
  ...more,
});

export const refusal = (error: string, field = '') => new RefusedError(error, { field });

/** A poll without changes. */
export const UNCHANGED = { lists: null, metrics: null, timeline: null };

const ACCEPTED = {
  grid: [8, 8],
  prefix: 1,
  tokens: 65,
  parameters: 545_162,
  trainings: 1,
  model: { 'model.depth': 4 },
};
const ESTIMATE = { parameters: 1, tokens: 65, images_per_second: 900, seconds: 120, epochs: 4.7, device: 'cpu' };
export const SURVEY = { counts: [['a', 2, 1]], refused: [], more: 0, divided: true, problem: '', sample: '' };
const REPLIES: Record<string, unknown> = {
  'runs/poll': UNCHANGED,
  'runs/check': ACCEPTED,
  'runs/estimate': ESTIMATE,
  'data/folders/survey': SURVEY,
};

/** Runs on screen; `post` gives these replies by route, those of an array in turn. */
export function runsOf(replies: Record<string, unknown> = {}, known = lists([run('a'), run('b')])): Runs {
  vi.mocked(post).mockImplementation(async (route) => {
    const reply = { ...REPLIES, ...replies }[route];
    const next = Array.isArray(reply) ? reply.shift() : reply;
    if (next instanceof Error) throw next;
    return next as never;
  });
  vi.mocked(stream).mockImplementation((route, request) => post(route as never, request as never));
  const catalog = new CatalogState({ samples: [], public: false, maxBytes: 2 ** 20 } as never);
  const runs = new Runs({ element: { isConnected: true }, catalog } as unknown as Host, CATALOG);
  vi.spyOn(runs, 'isShown').mockReturnValue(true);
  runs.apply(known);
  return runs;
}

/** The requests that were sent to a route. */
export const sent = (route: string) =>
  vi.mocked(post).mock.calls.flatMap(([name, request]) => (name === route ? [request] : []));

/** The routes of all requests, in order. */
export const routes = (): string[] => vi.mocked(post).mock.calls.map(([name]) => name);
