/* Sentences of the Train page: pure functions. */

function duration(seconds) {
  const whole = Math.max(1, Math.round(seconds));
  const minutes = whole / 60;
  if (whole < 60) return `${whole}${SPACE}s`;
  if (minutes < 10) return `${Math.floor(minutes)}${SPACE}min${SPACE}${whole % 60}${SPACE}s`;
  if (minutes < 60) return `${Math.round(minutes)}${SPACE}min`;
  if (minutes < 48 * 60) return `${Math.floor(Math.round(minutes) / 60)}${SPACE}h${SPACE}${Math.round(minutes) % 60}${SPACE}min`;
  return `${(minutes / 60 / 24).toFixed(1)}${SPACE}days`;
}

const thousands = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');
const short = (number) => String(Number(number.toFixed(2)));
const roundTo2 = (number) => String(Number(number.toPrecision(2)));
const inEpochs = (words) => `${words} ${words === '1' ? 'epoch' : 'epochs'}`;
const millions = (count) => `${(count / 1e6).toFixed(2)}${SPACE}M`;
const epochText = (epoch) => epoch.toFixed(epoch < 1 ? 2 : 1).replace(/\.0+$/, '');

/** "Epoch 3.4 of 10", or "Epoch 3.4, 12 of 88 minutes" */
function doneOf(run) {
  if (run.epochs != null) return `Epoch ${epochText(run.epoch)} of ${short(run.epochs)}`;
  if (run.minutes < 10) return `Epoch ${epochText(run.epoch)}, ${duration(run.seconds)} of ${duration(60 * run.minutes)}`;
  return `Epoch ${epochText(run.epoch)}, ${short(Math.floor(run.seconds / 60))} of ${short(run.minutes)} minutes`;
}

/** Headline and status line of a run: {headline, line, isError} */
function runWords(run) {
  const name = run.name;
  const here = `epoch ${epochText(run.epoch)}`;
  switch (run.state) {
    case 'training': {
      if (!run.progress) return { headline: `${name} is starting`, line: run.message || 'Loading the images and starting. Training continues if you close this page.' };
      if (run.progress >= 1) return { headline: doneOf(run), line: `${name} is trained. Evaluating on all ${run.measured_on} images…` };
      const eta = run.progress > 0.005 ? ` About ${duration(run.eta)} left.` : '';
      return { headline: doneOf(run), line: `${name} is training.${eta} ${run.message || 'Training continues if you close this page.'}` };
    }
    case 'stopping':
      return { headline: `${name} is stopping`, line: 'Saving a checkpoint; this takes some seconds.' };
    case 'stopped':
      return { headline: `Stopped at ${here}`, line: `The progress of ${name} is saved. Resume continues from here.` };
    case 'finished':
      return { headline: run.accuracy == null ? `Finished after ${here}` : `${accuracyName(run.measured_on)} ${percent(run.accuracy, 2)}`, line: `${name} is finished: ${inEpochs(epochText(run.epoch))} in ${duration(run.seconds)}.` };
    case 'interrupted':
      return { headline: `Interrupted at ${here}`, line: `${name}: ${run.message}`, isError: true };
    default:
      return { headline: `Failed at ${here}`, line: `${name}: ${run.message}`, isError: true };
  }
}

/** Why a run has no snapshots. */
function noSnapshotsReason(run) {
  if (run && !run.snapshots) return 'This run records no snapshots: its num_snapshots is 0.';
  if (run && !RUNNING.includes(run.state)) return 'This run has no snapshots: it ended before its first step.';
  return 'This run has no snapshots yet: the first is recorded at its first steps.';
}

const accuracyName = (measuredOn) => (measuredOn === 'test' ? 'Test accuracy' : 'Validation accuracy');

function sourceWords(source) {
  const result = source.test_accuracy == null ? '' : `, test accuracy ${percent(source.test_accuracy, 2)}`;
  return {
    headline: 'How attention formed',
    line: `Bundled checkpoint ${source.name}: ${inEpochs(epochText(source.epochs))} in ${duration(source.seconds)}${source.distilled ? ' with distillation' : ''}${result}.`,
  };
}

/** The effective number of tokens of an attention row: the exponential of its entropy. */
function effectiveTokens(row) {
  let entropy = 0;
  for (let j = 0; j < row.length; j++) if (row[j] > 0) entropy -= row[j] * Math.log(row[j]);
  return Math.exp(entropy);
}

/** What to look for at a snapshot: a line.
    @param effective effective number of tokens of each head
    @param initial the same at the first snapshot */
function findingLine(effective, initial, shape, isFirst) {
  const { heads } = shape;
  const tokens = tokenCount(shape);
  const mean = meanOf(effective);
  const sharpest = effective.indexOf(Math.min(...effective));
  const where = mapName(Math.floor(sharpest / heads), sharpest % heads).toLowerCase();
  const ratio = mean / meanOf(initial);
  const trend = ratio > 1.05 ? 'broader than' : ratio > 0.95 ? 'as broad as' : ratio > 0.65 ? 'slightly more focused than' : 'more focused than';
  return [isFirst ? 'At the first snapshot: ' : `Attention is ${trend} at the first snapshot: `, `on average ${queryName([], shape)} attends to `, { strong: mean.toFixed(0) }, ` of ${tokens} tokens (effective number). The most focused is ${where}, with `, { strong: effective[sharpest].toFixed(1) }, '.'];
}
