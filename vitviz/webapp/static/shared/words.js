/* Words: pure functions from numbers to sentences. Screen text counts from 1, the state from 0.
   A line is a list of strings and {strong: string}. */

const SPACE = '\u00a0'; // keeps a number and its unit on one line

/** A number with a true minus sign, omitted if the number rounds to zero. */
const written = (value, digits) => value.toFixed(digits).replace(/^-(?=.*[1-9])/, '−').replace(/^-/, '');

function percent(fraction, digits) {
  if (digits === undefined && fraction > 0 && fraction < 0.00005) return `under 0.01${SPACE}%`;
  const places = digits ?? (fraction > 0 && fraction < 0.00995 ? 2 : 1);
  return written(100 * fraction, places) + SPACE + '%';
}

const timesUniform = (ratio) => (ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(1)) + SPACE + '×';

const signed = (number, digits = 2) => written(number, digits).replace(/^(?=[\d.]*[1-9])/, '+');

/** Keeps "640 × 480" on one line. */
const keepSizes = (text) => text.replaceAll(' × ', `${SPACE}×${SPACE}`);

/** A layer or head on screen and in the address. */
const numberName = (index) => (index === MEAN ? 'mean' : String(index + 1));

/** For an address whose model, image, run or timeline is unavailable; `shown` replaces it, if given. */
const unavailable = (what, name, shown) => `The ${what} of this link, ${name.slice(0, 80)}, is not available${shown ? `: showing ${shown}` : ''}.`;

const capital = (sentence) => sentence.charAt(0).toUpperCase() + sentence.slice(1);

function patchName(patch, shape) {
  return `row ${Math.floor(patch / shape.columns) + 1}, column ${(patch % shape.columns) + 1}`;
}

/** The title of a head's map, equal to that of a saved figure (`View.title` in Python). */
function mapName(layer, head) {
  const ofLayer = layer === MEAN ? 'Mean of layers' : `Layer ${layer + 1}`;
  return `${ofLayer}, ${head === MEAN ? 'mean of heads' : `head ${head + 1}`}`;
}

/** The query: the class token (without one, the mean over all patches), one patch, or several. */
function queryName(patches, shape, several = '') {
  if (patches.length === 0) return shape.classToken ? 'the class token' : 'the mean of the patches';
  return patches.length === 1 ? patchName(patches[0], shape) : `${several}${patches.length} patches`;
}

const FLAT_WEIGHTS = 2 / 65535; // differences of attention weights within their precision, 16 bits

/** Whether a head's map is the same for all patches, so that none is the largest. */
function isUniformMap(view, shape) {
  const removed = removedFrom(shape);
  const kept = [...view.row.subarray(shape.prefix)].filter((_, patch) => !removed.includes(patch));
  return Math.max(...kept) - Math.min(...kept) <= FLAT_WEIGHTS;
}

/** "Layer 5, head 3: the class token attends most to row 4, column 7" */
function headHeadline(view, shape) {
  const query = queryName(view.query, shape, 'these ');
  const isMultiple = view.query.length > 1;
  const name = mapName(view.layer, view.head);
  const from = `${isMultiple ? `on average, ${query}` : query} ${isMultiple ? 'attend' : 'attends'}`;
  if (isUniformMap(view, shape)) return view.direction === 'from' ? `${name}: ${from} equally to all patches` : `${name}: all patches attend equally to ${query}`;
  const best = patchName(largest(view.row, shape.prefix) - shape.prefix, shape);
  return view.direction === 'from' ? `${name}: ${from} most to ${best}` : `${name}: ${best} attends most to ${query}`;
}

/** The status line of a head: the patch under the pointer, or the strongest patch and the concentration. */
function headLine(view, shape) {
  const isReading = view.read >= 0;
  const token = isReading ? shape.prefix + view.read : largest(view.row, shape.prefix);
  const subject = !isReading && isUniformMap(view, shape) ? 'Every patch' : capital(patchName(token - shape.prefix, shape));
  const line = [
    `${subject} ${view.direction === 'from' ? 'gets' : 'gives'} `,
    { strong: percent(view.row[token]) },
    ', ',
    { strong: (view.row[token] / uniformWeight(shape)).toFixed(1) },
    ' times uniform.',
  ];
  if (!isReading) line.push(` ${concentration(view, shape)}`);
  return line;
}

function concentration(view, shape) {
  const patches = patchCount(shape) - removedFrom(shape).length;
  if (view.direction === 'to') return `Each value belongs to a different query: the ${patches} values need not sum to 100${SPACE}%.`;
  const few = Math.max(1, Math.round(patches / 10));
  return `The strongest ${few} of ${patches} patches get ${percent(weightOfLargest(view.row, shape.prefix, few), 0)} in total.`;
}

/** The tokens outside of the map: the class token and, if the model has them, registers. */
function prefixLine(row, shape, direction) {
  const registers = shape.prefix - shape.classToken;
  const plural = registers === 1 ? 'register' : 'registers';
  const ofRegisters = sumOf(row, Number(shape.classToken), shape.prefix);
  if (!shape.classToken) {
    if (!registers) return '';
    return direction === 'from' ? `${percent(ofRegisters)} goes to ${registers} ${plural}` : `on average ${percent(ofRegisters / registers)} given by each of ${registers} ${plural}`;
  }
  if (direction === 'from') {
    const first = `${percent(row[0])} goes to the class token`;
    return registers ? `${first} and ${percent(ofRegisters)} to ${registers} ${plural}` : first;
  }
  const first = `${percent(row[0])} given by the class token`;
  return registers ? `${first}, on average ${percent(ofRegisters / registers)} by each of ${registers} ${plural}` : first;
}

/** "cat", or "cat, not dog"; like a saved figure (`Explanation.title` in Python). */
const targetTitle = (classes) => classes.join(', not ');

/** "Relevance for cat, not dog" */
const methodTitle = (method, classes) => (method.forClass ? `${method.name} for ${targetTitle(classes)}` : method.name);

function methodHeadline(method, classes, values, shape) {
  if (isFlat(values)) return `${methodTitle(method, classes)}: all patches have the same value`;
  const finding = method.key === 'random' ? 'comes first in this order, which explains nothing' : 'ranks highest';
  return `${methodTitle(method, classes)}: ${patchName(largest(values), shape)} ${finding}`;
}

/** The status line of a method: the patch under the pointer, or the faithfulness of the map. */
function methodLine(method, values, read, scale, faithfulness, className, shape) {
  if (read >= 0) return [`${capital(patchName(read, shape))} has `, { strong: methodNumber(values[read], scale, shape)[0] }, ` ${UNITS[method.unit]}.`];
  if (isFlat(values)) return ['This map has the same value for all patches, so it has no ranking to score.'];
  if (!faithfulness) return ['Computing the deletion score…'];
  const drop = faithfulness.scores[method.key];
  const [random, deviation] = faithfulness.random_baseline;
  const size = { strong: Math.abs(drop) > 10 ? `over 1,000${SPACE}%` : percent(Math.abs(drop), 0) }; // relative to a very small probability
  const verb = (value) => (value < 0 ? 'raises' : 'lowers');
  const baseline = `${verb(random) === verb(drop) ? '' : `${verb(random)} it `}by ${percent(Math.abs(random), 0)}`;
  const below = method.key !== 'random' && drop < random - deviation ? ' This map is worse than random.' : '';
  return [`Masking the highest-ranked patches first ${verb(drop)} the probability of ${className} by `, size, ` on average, a random order ${baseline}.${below}`];
}

const UNITS = { weights: 'of the attention', relative: 'of the maximum', logits: 'of the logit' };

/** A score; for a class of very small probability it may be far below zero. */
const scoreText = (score) => (score <= -10 ? '< −10' : written(score, 2));

const RANDOM_ORDERS = 20; // `N_RANDOM` in Python

function scoreNote(faithfulness, className) {
  const definition = `Deletion score: mean relative drop of the probability of ${className} while the highest-ranked patches are masked first. Higher is better`;
  if (!faithfulness) return `${definition}.`;
  const [mean, deviation] = faithfulness.random_baseline;
  return `${definition}. Mark: random order, ${scoreText(mean)} ± ${deviation.toFixed(2)} (SD of ${RANDOM_ORDERS} orders).`;
}

/** Value and remark at the pointer of a method's map. */
function methodNumber(value, scale, shape) {
  if (scale.isWeight) return headNumber(value, shape);
  if (scale.kind === 'signed') return [signed(value, signedDigits(scale)), value < 0 ? 'against the class' : 'for the class'];
  return [(value / scale.limit).toFixed(2), 'of the maximum'];
}

/** Value and remark at the pointer of a head's map. */
const headNumber = (weight, shape) => [percent(weight), `${timesUniform(weight / uniformWeight(shape))} uniform`];

/** Decimals that print a fraction as a percentage without rounding, at most 3. */
function digitsOf(fraction) {
  const isWhole = (value) => Math.abs(value - Math.round(value)) < 1e-6;
  return [0, 1, 2].find((digits) => isWhole(fraction * 100 * 10 ** digits)) ?? 3;
}

/** Decimals that print half of a signed scale's limit with two significant digits. */
const signedDigits = (scale) => Math.min(6, Math.max(2, 1 - Math.floor(Math.log10(scale.limit / 2))));

/** Tick marks of the color bar, [place 0..1, text]. */
function ticksOf(scale) {
  if (scale.kind === 'uniform') {
    return [[0, '≤ ⅛ ×'], [1 / 6, '¼'], [2 / 6, '½'], [0.5, '1 ×'], [4 / 6, '2'], [5 / 6, '4'], [1, '≥ 8 ×']];
  }
  const quarters = [0, 0.25, 0.5, 0.75, 1];
  if (scale.kind === 'signed') return quarters.map((t) => [t, signed((2 * t - 1) * scale.limit, signedDigits(scale))]);
  if (!scale.isWeight) return quarters.map((t) => [t, String(t)]);
  const digits = scale.clips ? digitsOf(scale.limit / 4) : scale.limit < 0.02 ? 2 : 1;
  return quarters.map((t) => [t, (t === 1 && scale.clips ? '≥ ' : '') + percent(scale.limit * t, t ? digits : 0)]);
}

/** The quantity of the color bar. */
function unitOf(scale) {
  if (scale.kind === 'signed') return 'change of the logit; below 0 is against the class';
  if (scale.kind === 'uniform') return 'attention weight / uniform; 1 × is the same for all tokens';
  if (!scale.isWeight) return 'relative to the maximum of this map';
  return scale.clips ? 'attention weight' : 'attention weight, this map';
}

const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;

/** "3 heads ablated, 1 patch removed" */
function changesLine({ ablated, removed, patch_mode }) {
  const how = patch_mode === 'gray' ? 'painted gray' : 'removed';
  const parts = [ablated.length && `${counted(ablated.length, 'head', 'heads')} ablated`, removed.length && `${counted(removed.length, 'patch', 'patches')} ${how}`];
  return parts.filter(Boolean).join(', ');
}

function accuracyLine(model) {
  if (model && !model.is_classifier) return 'This model was trained to predict masked patches, not labels: its attention is meaningful, its prediction is not.';
  if (model?.accuracy == null) return '';
  return `Accuracy ${percent(model.accuracy)} on the ${model.measured_on} images, as recorded in the checkpoint.`;
}
