/* Sentences of the Train page: pure functions. */

import { accuracyNumber, accuracyText } from '../lib/accuracy';
import { isOfRun, runName } from '../lib/address';
import { largest, meanOf, type Shape, tokenCount, uniformWeight } from '../lib/numbers';
import type { BundledTimeline, EstimateReply, LessonInfo, RunInfo, RunState } from '../lib/routes';
import type { Head, Layer } from '../lib/view';
import { isUniformMap, type Line, mapName, patchName, percent, queryName, SPACE, timesUniform } from '../lib/words';

/** Headline and status line. */
export interface Words {
  headline: string;
  line: string;
  isError?: boolean;
}

export const RUNNING: readonly RunState[] = ['training', 'stopping'];

/** Whether a run or a sweep has a live process. */
export const isRunning = ({ state }: { state: RunState }) => RUNNING.includes(state);

export function duration(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  const minutes = whole / 60;
  if (whole < 60) return `${whole}${SPACE}s`;
  if (minutes < 10) return `${Math.floor(minutes)}${SPACE}min${SPACE}${whole % 60}${SPACE}s`;
  if (minutes < 60) return `${Math.round(minutes)}${SPACE}min`;
  if (minutes < 48 * 60) {
    return `${Math.floor(Math.round(minutes) / 60)}${SPACE}h${SPACE}${Math.round(minutes) % 60}${SPACE}min`;
  }
  return `${(minutes / 60 / 24).toFixed(1)}${SPACE}days`;
}

export const thousands = (number: number | string) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');
export const short = (number: number) => String(Number(number.toFixed(2)));
export const roundTo2 = (number: number) => String(Number(number.toPrecision(2)));
export const inEpochs = (words: string) => `${words} ${words === '1' ? 'epoch' : 'epochs'}`;
export const millions = (count: number) => `${(count / 1e6).toFixed(2)}${SPACE}M`;
export const epochText = (epoch: number) => epoch.toFixed(epoch < 1 ? 2 : 1).replace(/\.0+$/, '');
export const accuracyName = (measuredOn: string) => (measuredOn === 'test' ? 'Test accuracy' : 'Validation accuracy');

/** "Epoch 3.4 of 10", or "Epoch 3.4, 12 of 88 minutes" */
function doneOf(run: RunInfo): string {
  const epoch = `Epoch ${epochText(run.epoch)}`;
  const minutes = run.minutes ?? 0;
  if (run.epochs != null) return `${epoch} of ${short(run.epochs)}`;
  if (minutes < 10) return `${epoch}, ${duration(run.seconds)} of ${duration(60 * minutes)}`;
  return `${epoch}, ${short(Math.floor(run.seconds / 60))} of ${short(minutes)} minutes`;
}

function trainingWords(run: RunInfo): Words {
  const hint = 'Training continues if you close this page.';
  if (!run.progress) {
    return { headline: `${run.name} is starting`, line: run.message || `Loading the images and starting. ${hint}` };
  }
  const headline = doneOf(run);
  if (run.progress >= 1) {
    return { headline, line: `${run.name} is trained. Evaluating on all ${run.measured_on} images…` };
  }
  const eta = run.progress > 0.005 && run.eta != null ? ` About ${duration(run.eta)} left.` : '';
  return { headline, line: `${run.name} is training.${eta} ${run.message || hint}` };
}

function finishedWords(run: RunInfo): Words {
  const epoch = epochText(run.epoch);
  const line = `${run.name} is finished: ${inEpochs(epoch)} in ${duration(run.seconds)}.`;
  if (run.accuracy == null) return { headline: `Finished after epoch ${epoch}`, line };
  return {
    headline: `${accuracyName(run.measured_on)} ${accuracyNumber(run.accuracy, run.eval_samples)}`,
    line: `${line} Correct: ${accuracyText(run.accuracy, run.eval_samples, run.measured_on)}.`,
  };
}

/** What was reached in a lesson's time, with the machine and the data. */
export function lessonNote(lesson: LessonInfo): string {
  const { minutes, measured_minutes: measured, epochs, test_accuracy: accuracy, entropy, hardware } = lesson;
  if (measured == null || epochs == null || accuracy == null) {
    return 'What it reaches in this time has not been measured yet.';
  }
  const time = `${measured} minutes${measured === minutes ? '' : ` (${minutes} minutes were not measured)`}`;
  const focus = entropy
    ? ` The attention of the last layer had ${entropy.map((part) => Math.round(100 * part)).join(' to ')}${SPACE}% of the entropy of uniform attention.`
    : '';
  return `One run on CIFAR-10, on ${hardware}, reached ${accuracyNumber(accuracy)} test accuracy after ${inEpochs(epochText(epochs))}, in ${time}.${focus}`;
}

/** Headline and status line of a run. */
export function runWords(run: RunInfo): Words {
  const { name } = run;
  const here = `epoch ${epochText(run.epoch)}`;
  switch (run.state) {
    case 'training':
      return trainingWords(run);
    case 'stopping':
      return { headline: `${name} is stopping`, line: 'Saving a checkpoint; this takes some seconds.' };
    case 'stopped':
      return {
        headline: `Stopped at ${here}`,
        line: `The progress of ${name} is saved. Resume continues from here.`,
      };
    case 'finished':
      return finishedWords(run);
    case 'damaged':
      return { headline: `${name} is damaged`, line: run.message, isError: true };
    case 'interrupted':
      return { headline: `Interrupted at ${here}`, line: `${name}: ${run.message}`, isError: true };
    default:
      return { headline: `Failed at ${here}`, line: `${name}: ${run.message}`, isError: true };
  }
}

/** What the curves show; without a run they are those of a bundled timeline. */
export function curvesNote(run: RunInfo | undefined): string {
  if (!run) {
    return 'No loss curve was recorded with this checkpoint: the curves are those of the probe images, none of which it was trained on.';
  }
  if (!run.is_classifier) {
    return 'The loss is the mean squared error of the masked patches, each normalized: 1 is that of predicting their means.';
  }
  const loss = run.augmented
    ? 'The training loss is that of augmented images, so it stays higher.'
    : 'The training loss is that of the training batches.';
  const images = `${run.measured_on} images`;
  return `${loss} Accuracy is measured on at most 1,000 ${images} and 1,000 training images without augmentation; the final accuracy on all ${images}.`;
}

/** Why a run has no snapshots. */
export function noSnapshotsReason(run: RunInfo | undefined): string {
  if (run && !run.snapshots) return 'This run records no snapshots: its num_snapshots is 0.';
  if (run && !isRunning(run)) return 'This run has no snapshots: it ended before its first step.';
  return 'This run has no snapshots yet: the first is recorded at its first steps.';
}

/** Headline and status line of a bundled timeline. */
export function bundledWords(model: BundledTimeline): Words {
  const result =
    model.test_accuracy == null ? '' : `, accuracy ${accuracyText(model.test_accuracy, model.eval_samples)}`;
  const length = `${inEpochs(epochText(model.epochs ?? 0))} in ${duration(model.seconds ?? 0)}`;
  const how = model.distilled ? ' with distillation' : '';
  return {
    headline: 'How attention formed',
    line: `Bundled checkpoint ${model.name}: ${length}${how}${result}.`,
  };
}

/** The estimated time of a training or, for several runs, of a sweep.
    @param isExact whether the budget is a typed number of epochs */
export function timeWords(estimate: EstimateReply, isExact: boolean, runs: number): string {
  const { seconds, epochs, images_per_second: speed } = estimate;
  const length = inEpochs(thousands(isExact ? short(epochs) : roundTo2(epochs)));
  const one = `about ${duration(seconds)} for ${length}, at ${roundTo2(speed)} images/s`;
  return runs > 1 ? `about ${duration(runs * seconds)}: ${runs} times ${one}` : one;
}

/** The effective number of tokens of an attention row: the exponential of its entropy. */
export function effectiveTokens(row: Float32Array): number {
  let entropy = 0;
  for (let j = 0; j < row.length; j++) if (row[j] > 0) entropy -= row[j] * Math.log(row[j]);
  return Math.exp(entropy);
}

function trendOf(ratio: number): string {
  if (ratio > 1.05) return 'broader than';
  if (ratio > 0.95) return 'as broad as';
  return ratio > 0.65 ? 'slightly more focused than' : 'more focused than';
}

/** What to look for at a snapshot: a line.
    @param effective effective number of tokens of each head
    @param initial the same at the first snapshot */
export function findingLine(effective: number[], initial: number[], shape: Shape, isFirst: boolean): Line {
  const mean = meanOf(effective);
  const sharpest = effective.indexOf(Math.min(...effective));
  const where = mapName(Math.floor(sharpest / shape.heads), sharpest % shape.heads).toLowerCase();
  const trend = trendOf(mean / meanOf(initial));
  return [
    isFirst ? 'At the first snapshot: ' : `Attention is ${trend} at the first snapshot: `,
    `on average ${queryName([], shape)} attends to `,
    { strong: mean.toFixed(0) },
    ` of ${tokenCount(shape)} tokens (effective number). The most focused is ${where}, with `,
    { strong: effective[sharpest].toFixed(1) },
    '.',
  ];
}

/** The weight of the patch that is read, or of the one with the most.
    @param row a row of attention
    @param read the patch; -1: none */
export function mapLine(row: Float32Array, shape: Shape, chosen: { layer: Layer; head: Head }, read: number): Line {
  const patch = read >= 0 ? read : largest(row, shape.prefix) - shape.prefix;
  const weight = row[shape.prefix + patch];
  const isSame = read < 0 && isUniformMap({ row }, shape);
  const place = isSame ? 'the same for all patches' : `${read >= 0 ? '' : 'most to '}${patchName(patch, shape)}`;
  const times = timesUniform(weight / uniformWeight(shape));
  return [
    { strong: mapName(chosen.layer, chosen.head) },
    `: ${place}, `,
    { strong: percent(weight) },
    `, ${times} uniform.`,
  ];
}

/** The name that a timeline has in the select. */
export const timelineName = (model: string) => (isOfRun(model) ? runName(model) : `${model} (bundled)`);

/** The address of a model in Explore. */
export const exploreAddress = (model: string) => `?model=${encodeURIComponent(model)}`;
