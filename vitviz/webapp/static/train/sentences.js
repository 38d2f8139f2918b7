/* Sentences of this page: pure functions. */

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
const rough = (number) => String(Number(number.toPrecision(2)));
const inEpochs = (words) => `${words} ${words === '1' ? 'epoch' : 'epochs'}`;
const millions = (count) => `${(count / 1e6).toFixed(2)}${SPACE}M`;
const epochText = (epoch) => epoch.toFixed(epoch < 1 ? 2 : 1).replace(/\.0+$/, '');

/** "Epoch 3.4 of 10", or "Epoch 3.4, 12 of 88 minutes" */
function doneOf(run) {
  if (run.epochs != null) return `Epoch ${epochText(run.epoch)} of ${short(run.epochs)}`;
  if (run.minutes < 10) return `Epoch ${epochText(run.epoch)}, ${duration(run.seconds)} of ${duration(60 * run.minutes)}`;
  return `Epoch ${epochText(run.epoch)}, ${short(Math.floor(run.seconds / 60))} of ${short(run.minutes)} minutes`;
}

/** Headline and line of a run: {headline, line, isError} */
function runWords(run) {
  const name = run.name;
  const here = `epoch ${epochText(run.epoch)}`;
  switch (run.state) {
    case 'training': {
      if (!run.share) return { headline: `${name} is starting`, line: run.message || 'It reads the images and takes its first steps. You may close this page; it goes on.' };
      if (run.share >= 1) return { headline: doneOf(run), line: `${name} has taken its last step. Now it is measured on all ${run.measured_on} images.` };
      const time = run.share > 0.005 ? ` About ${duration(run.left)} left.` : '';
      return { headline: doneOf(run), line: `${name} is training.${time} ${run.message || 'You may close this page; it goes on.'}` };
    }
    case 'stopping':
      return { headline: `${name} is stopping`, line: 'It saves everything first; that takes some seconds.' };
    case 'stopped':
      return { headline: `Stopped at ${here}`, line: `${name} is saved, nothing is lost. Resume goes on where it was.` };
    case 'finished':
      return { headline: run.accuracy == null ? `Finished after ${here}` : `Right on ${percent(run.accuracy, 2)} of the ${run.measured_on} images`, line: `${name} is finished: ${inEpochs(epochText(run.epoch))} in ${duration(run.seconds)}.` };
    case 'interrupted':
      return { headline: `Interrupted at ${here}`, line: `${name}: ${run.message}`, isError: true };
    default:
      return { headline: `Failed at ${here}`, line: `${name}: ${run.message}`, isError: true };
  }
}

/** Why there is nothing of a training to play. */
function noMomentsWords(run) {
  if (run && !run.moments) return 'This training keeps no moments: its recipe asks for none.';
  if (run && !RUNNING.includes(run.state)) return 'There is no moment of this training: it ended before its first step.';
  return 'No moment of this training is kept yet: the first comes with its first steps.';
}

const accuracyWords = (measured) => (measured === 'test' ? 'Test accuracy' : 'Accuracy on held-out images');

function sourceWords(source) {
  const result = source.test_accuracy == null ? '' : `, right on ${percent(source.test_accuracy, 2)} of the test images`;
  return {
    headline: 'How attention formed',
    line: `${source.name}, which comes with vitviz: ${inEpochs(epochText(source.epochs))} in ${duration(source.seconds)}${source.taught ? ' with a teacher' : ''}${result}.`,
  };
}

/** How a share of the tokens reads: the effective number of tokens of a row, exp of its entropy. */
function effectiveTokens(row) {
  let entropy = 0;
  for (let j = 0; j < row.length; j++) if (row[j] > 0) entropy -= row[j] * Math.log(row[j]);
  return Math.exp(entropy);
}

/** What to look for at a moment, from the rows of all heads: a line. */
function lookWords(effective, shape) {
  const { heads } = shape;
  const tokens = tokenCount(shape);
  const mean = meanOf(effective);
  const sharpest = effective.indexOf(Math.min(...effective));
  const where = mapName(Math.floor(sharpest / heads), sharpest % heads).toLowerCase();
  const start = mean > 0.9 * tokens ? 'Every head looks almost everywhere: ' : mean > 0.6 * tokens ? 'Heads begin to choose: ' : 'Heads have chosen: ';
  return [start, `on average ${askedName([], 'from', shape)} looks at `, { strong: mean.toFixed(0) }, ` of ${tokens} tokens. The sharpest is ${where}, with `, { strong: effective[sharpest].toFixed(1) }, '.'];
}
