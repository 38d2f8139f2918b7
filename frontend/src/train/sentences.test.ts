import { describe, expect, test } from 'vitest';
import type { BundledTimeline, EstimateReply, LessonInfo, RunInfo } from '../lib/routes';
import { SPACE } from '../lib/words';
import {
  accuracyName,
  bundledWords,
  curvesNote,
  duration,
  effectiveTokens,
  epochText,
  findingLine,
  inEpochs,
  lessonNote,
  noSnapshotsReason,
  roundTo2,
  runWords,
  short,
  thousands,
  timeWords,
} from './sentences';

/** Text with ordinary spaces. */
const plain = (text: string) => text.replaceAll(SPACE, ' ');

const RUN: RunInfo = {
  name: 'tiny',
  state: 'training',
  message: '',
  session: 'a',
  measured_on: 'test',
  preset: 'cifar10-ti4',
  augmented: true,
  is_classifier: true,
  parameters: 1_800_000,
  progress: 0.34,
  epoch: 3.4,
  epochs: 10,
  minutes: null,
  seconds: 204,
  images_per_second: 800,
  accuracy: null,
  eval_samples: null,
  eta: 400,
  saved: true,
  explorable: true,
  snapshots: true,
};
const wordsOf = (changes: Partial<RunInfo>) => {
  const { headline, line, isError } = runWords({ ...RUN, ...changes });
  return [plain(headline), plain(line), Boolean(isError)];
};

describe('numbers', () => {
  test.each([
    [0, '1 s'],
    [59.4, '59 s'],
    [61, '1 min 1 s'],
    [599, '9 min 59 s'],
    [600, '10 min'],
    [5280, '1 h 28 min'],
    [3540, '59 min'],
    [3 * 24 * 3600, '3.0 days'],
  ])('%d s is written as %s', (seconds, text) => {
    expect(plain(duration(seconds))).toBe(text);
  });

  test('are rounded and grouped', () => {
    expect(thousands(1803850)).toBe('1,803,850');
    expect(thousands('999')).toBe('999');
    expect(short(0.504)).toBe('0.5');
    expect(roundTo2(1234)).toBe('1200');
    expect([0.004, 0.5, 1, 3.44].map(epochText)).toEqual(['0', '0.50', '1', '3.4']);
    expect([inEpochs('1'), inEpochs('1.5')]).toEqual(['1 epoch', '1.5 epochs']);
    expect([accuracyName('test'), accuracyName('held-out')]).toEqual(['Test accuracy', 'Validation accuracy']);
  });
});

describe('the words of a run', () => {
  const hint = 'Training continues if you close this page.';

  test('while it is training', () => {
    expect(wordsOf({ progress: 0 })).toEqual(['tiny is starting', `Loading the images and starting. ${hint}`, false]);
    expect(wordsOf({ progress: 0, message: 'Waiting for the GPU.' })[1]).toBe('Waiting for the GPU.');
    expect(wordsOf({})).toEqual(['Epoch 3.4 of 10', `tiny is training. About 6 min 40 s left. ${hint}`, false]);
    expect(wordsOf({ progress: 0.004 })[1]).toBe(`tiny is training. ${hint}`);
    expect(wordsOf({ progress: 1 })[1]).toBe('tiny is trained. Evaluating on all test images…');
  });

  test('name a budget in minutes', () => {
    expect(wordsOf({ epochs: null, minutes: 2 })[0]).toBe('Epoch 3.4, 3 min 24 s of 2 min 0 s');
    expect(wordsOf({ epochs: null, minutes: 88, seconds: 725 })[0]).toBe('Epoch 3.4, 12 of 88 minutes');
  });

  test('once it has ended', () => {
    expect(wordsOf({ state: 'stopping' })[0]).toBe('tiny is stopping');
    expect(wordsOf({ state: 'stopped' })).toEqual([
      'Stopped at epoch 3.4',
      'The progress of tiny is saved. Resume continues from here.',
      false,
    ]);
    expect(wordsOf({ state: 'finished', accuracy: 1, eval_samples: 16 })).toEqual([
      'Test accuracy 16 of 16',
      'tiny is finished: 3.4 epochs in 3 min 24 s. Correct: 16 of 16 test images.',
      false,
    ]);
    expect(wordsOf({ state: 'finished', accuracy: 0.5 })).toEqual([
      'Test accuracy 50.0 %',
      'tiny is finished: 3.4 epochs in 3 min 24 s. Correct: 50.0 % of the test images.',
      false,
    ]);
    expect(wordsOf({ state: 'finished' })[0]).toBe('Finished after epoch 3.4');
    expect(wordsOf({ state: 'interrupted', message: 'Killed.' })).toEqual([
      'Interrupted at epoch 3.4',
      'tiny: Killed.',
      true,
    ]);
    expect(wordsOf({ state: 'damaged', message: 'No config.' })).toEqual(['tiny is damaged', 'No config.', true]);
    expect(wordsOf({ state: 'failed', message: 'Out of memory.' })).toEqual([
      'Failed at epoch 3.4',
      'tiny: Out of memory.',
      true,
    ]);
  });

  test('say why it has no snapshots', () => {
    expect(noSnapshotsReason({ ...RUN, snapshots: false })).toContain('num_snapshots is 0');
    expect(noSnapshotsReason({ ...RUN, state: 'failed' })).toContain('ended before its first step');
    expect(noSnapshotsReason(RUN)).toContain('no snapshots yet');
    expect(noSnapshotsReason(undefined)).toContain('no snapshots yet');
  });
});

test('the words of a bundled timeline', () => {
  const model: BundledTimeline = {
    name: 'cifar10-ti4',
    distilled: true,
    epochs: 98.6,
    seconds: 10560,
    test_accuracy: 0.9325,
    eval_samples: 10_000,
    parameters: 1_800_000,
  };
  expect(plain(bundledWords(model).line)).toBe(
    'Bundled checkpoint cifar10-ti4: 98.6 epochs in 2 h 56 min with distillation, accuracy 93.3 % (10,000 test images, 95 % interval 92.7 to 93.7).',
  );
  const unknown = { ...model, distilled: false, test_accuracy: null };
  expect(plain(bundledWords(unknown).line)).toBe('Bundled checkpoint cifar10-ti4: 98.6 epochs in 2 h 56 min.');
});

test('a typed number of epochs is not rounded, an estimated one is', () => {
  const estimate = { seconds: 100, epochs: 1234, images_per_second: 321 } as EstimateReply;
  expect(plain(timeWords(estimate, true, 1))).toBe('about 1 min 40 s for 1,234 epochs, at 320 images/s');
  expect(plain(timeWords(estimate, false, 1))).toContain('for 1,200 epochs');
  expect(plain(timeWords(estimate, true, 3))).toBe(
    'about 5 min 0 s: 3 times about 1 min 40 s for 1,234 epochs, at 320 images/s',
  );
});

describe('what to look for', () => {
  const shape = { layers: 1, heads: 2, rows: 2, columns: 2, aspect: 1, prefix: 1, class_token: true };

  test('uniform attention has all tokens as its effective number', () => {
    expect(effectiveTokens(new Float32Array(4).fill(0.25))).toBeCloseTo(4);
    expect(effectiveTokens(Float32Array.of(0, 1, 0, 0))).toBe(1);
  });

  test('names the most focused head', () => {
    const line = findingLine([4, 2], [5, 5], shape, true);
    const text = line.map((part) => (typeof part === 'string' ? part : part.strong)).join('');
    expect(text).toBe(
      'At the first snapshot: on average the class token attends to 3 of 5 tokens (effective number). ' +
        'The most focused is layer 1, head 2, with 2.0.',
    );
  });

  test.each([
    [5, 'broader than'],
    [4, 'as broad as'],
    [3, 'slightly more focused than'],
    [2, 'more focused than'],
  ])('compares an effective number of %d to that of 4 at the first snapshot', (now, trend) => {
    const [start] = findingLine([now, now], [4, 4], shape, false);
    expect(start).toBe(`Attention is ${trend} at the first snapshot: `);
  });
});

test('the note below the curves is about augmentation only where there is one', () => {
  expect(curvesNote(RUN)).toContain('that of augmented images, so it stays higher. Accuracy is measured on');
  expect(curvesNote({ ...RUN, augmented: false, measured_on: 'held-out' })).toBe(
    'The training loss is that of the training batches. Accuracy is measured on at most 1,000 held-out images and 1,000 training images without augmentation; the final accuracy on all held-out images.',
  );
  expect(curvesNote(undefined)).toContain('No loss curve was recorded with this checkpoint');
  expect(curvesNote({ ...RUN, is_classifier: false })).toContain('mean squared error of the masked patches');
});

test('a lesson says what it reached, on which machine', () => {
  const lesson: LessonInfo = {
    minutes: 2,
    preset: 'cifar10-2min',
    measured_minutes: 2,
    epochs: 4.7,
    test_accuracy: 0.7245,
    entropy: [0.65, 0.79],
    hardware: 'two cores',
  };
  const reached = 'One run on CIFAR-10, on two cores, reached 72.5 % test accuracy after 4.7 epochs, in';
  expect(plain(lessonNote(lesson))).toBe(
    `${reached} 2 minutes. The attention of the last layer had 65 to 79 % of the entropy of uniform attention.`,
  );
  const longer = { ...lesson, minutes: 60, measured_minutes: 88, entropy: null };
  expect(plain(lessonNote(longer))).toBe(`${reached} 88 minutes (60 minutes were not measured).`);
  const open = { ...lesson, epochs: null, test_accuracy: null };
  expect(lessonNote(open)).toBe('What it reaches in this time has not been measured yet.');
});
