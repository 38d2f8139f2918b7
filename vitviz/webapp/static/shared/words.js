/* Words: pure functions from numbers to sentences. Screen text counts from 1, the state from 0.
   A line is a list of strings and {strong: string}. */

const SPACE = '\u00a0'; // keeps a number and its unit on one line

/** A number with a true minus sign; what rounds to zero has none. */
const written = (value, digits) => value.toFixed(digits).replace(/^-(?=.*[1-9])/, '−').replace(/^-/, '');

function percent(share, digits) {
  if (digits === undefined && share > 0 && share < 0.00005) return `under 0.01${SPACE}%`;
  const places = digits ?? (share > 0 && share < 0.00995 ? 2 : 1);
  return written(100 * share, places) + SPACE + '%';
}

const timesEven = (ratio) => (ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(1)) + SPACE + '×';

const signed = (number, digits = 2) => written(number, digits).replace(/^(?=[\d.]*[1-9])/, '+');

/** Keeps "640 × 480" on one line. */
const keepSizes = (text) => text.replaceAll(' × ', `${SPACE}×${SPACE}`);

/** A layer or head on screen and in the address. */
const numberName = (index) => (index === MEAN ? 'mean' : String(index + 1));

/** For an address that names what is not here or has no attention; `shown` stands in its place, if anything does. */
const absentSentence = (what, asked, shown) => `The ${what} of this link, ${asked.slice(0, 80)}, cannot be shown here${shown ? `: this is ${shown}` : ''}.`;

const capital = (sentence) => sentence.charAt(0).toUpperCase() + sentence.slice(1);

function patchName(patch, shape) {
  return `row ${Math.floor(patch / shape.columns) + 1}, column ${(patch % shape.columns) + 1}`;
}

function mapName(layer, head) {
  if (layer === MEAN && head === MEAN) return 'Average of all layers and heads';
  if (layer === MEAN) return `Head ${head + 1}, mean of layers`;
  if (head === MEAN) return `Layer ${layer + 1}, mean of heads`;
  return `Layer ${layer + 1}, head ${head + 1}`;
}

/** Who is asked: the class token (or all patches alike, where there is none), one patch, or several. */
function askedName(patches, direction, shape) {
  if (patches.length === 0) return shape.classToken ? 'the class token' : 'the mean of the patches';
  if (patches.length === 1) return patchName(patches[0], shape);
  return direction === 'from' ? `${patches.length} patches together` : `these ${patches.length} patches`;
}

/** "Layer 5, head 3: the class token looks most at row 4, column 7" */
function headHeadline(seen, shape) {
  const best = largest(seen.row, shape.prefix) - shape.prefix;
  const who = askedName(seen.asked, seen.direction, shape);
  const verb = seen.asked.length > 1 ? 'look' : 'looks';
  const name = mapName(seen.layer, seen.head);
  if (seen.direction === 'from') return `${name}: ${who} ${verb} most at ${patchName(best, shape)}`;
  return `${name}: ${patchName(best, shape)} looks most at ${who}`;
}

/** The status line of a head: the patch under the pointer, else the strongest one and how much is concentrated. */
function headLine(seen, shape) {
  const reads = seen.read >= 0;
  const token = reads ? shape.prefix + seen.read : largest(seen.row, shape.prefix);
  const verb = seen.direction === 'from' ? 'gets' : 'gives';
  const line = [
    `${capital(patchName(token - shape.prefix, shape))} ${verb} `,
    { strong: percent(seen.row[token]) },
    ', ',
    { strong: (seen.row[token] / evenShare(shape)).toFixed(1) },
    ' times an even spread.',
  ];
  if (!reads) line.push(` ${concentration(seen, shape)}`);
  return line;
}

function concentration(seen, shape) {
  const patches = patchCount(shape) - goneFrom(shape).length;
  if (seen.direction === 'to') return `These values come from ${patches} different tokens and need not add up to 100${SPACE}%.`;
  const few = Math.max(1, Math.round(patches / 10));
  return `The strongest ${few} of ${patches} patches share ${percent(shareOfLargest(seen.row, shape.prefix, few), 0)}.`;
}

/** What the map leaves out: the class token and, where a model has them, registers. */
function outsideLine(row, shape, direction) {
  const registers = shape.prefix - shape.classToken;
  const plural = registers === 1 ? 'register' : 'registers';
  const theirs = sumOf(row, Number(shape.classToken), shape.prefix);
  if (!shape.classToken) {
    if (!registers) return '';
    return direction === 'from' ? `${percent(theirs)} goes to ${registers} ${plural}` : `on average ${percent(theirs / registers)} given by each of ${registers} ${plural}`;
  }
  if (direction === 'from') {
    const first = `${percent(row[0])} goes to the class token`;
    return registers ? `${first} and ${percent(theirs)} to ${registers} ${plural}` : first;
  }
  const first = `${percent(row[0])} given by the class token`;
  return registers ? `${first}, on average ${percent(theirs / registers)} by each of ${registers} ${plural}` : first;
}

/** "Relevance for cat, rather than dog" */
function methodTitle(method, classes) {
  return method.forClass ? `${method.name} for ${classes.join(', rather than ')}` : method.name;
}

function methodHeadline(method, classes, values, shape) {
  if (isFlat(values)) return `${methodTitle(method, classes)}: no patch counts more than another`;
  const says = method.key === 'random' ? 'comes first in this order, which explains nothing' : 'counts most';
  return `${methodTitle(method, classes)}: ${patchName(largest(values), shape)} ${says}`;
}

/** The status line of a method: the patch under the pointer, else what the map is worth. */
function methodLine(method, values, read, scale, judged, className, shape) {
  if (read >= 0) return [`${capital(patchName(read, shape))} has `, { strong: methodNumber(values[read], scale, shape)[0] }, ` ${UNITS[method.unit]}.`];
  if (isFlat(values)) return ['This map gives all patches the same, so it has no order to score.'];
  if (!judged) return ['Measuring what this map is worth…'];
  const [lost, byChance] = [judged.scores[method.key], judged.chance[0]];
  const size = { strong: Math.abs(lost) > 10 ? `over 1,000${SPACE}%` : percent(Math.abs(lost), 0) }; // of what was near nothing
  const effect = lost < 0 ? ['adds ', size, ' to'] : ['loses ', size, ' of'];
  const random = `${byChance < 0 ? 'adds' : 'loses'} ${percent(Math.abs(byChance), 0)}`;
  return ['Painting over its strongest patches first ', ...effect, ` the probability of ${className} on average; a random order ${random}.`];
}

const UNITS = { shares: 'of the attention', relative: 'of the largest value', logits: 'of the logit' };

/** A score; of a class that was near nothing it may be far below zero. */
const scoreText = (score) => (score <= -10 ? '< −10' : written(score, 2));

function scoreNote(judged, className) {
  const what = `Score: how much of the probability of ${className} is lost while a map’s strongest patches are painted over first. Higher is better`;
  return judged ? `${what}; the mark is random order, ${scoreText(judged.chance[0])} ± ${judged.chance[1].toFixed(2)}.` : `${what}.`;
}

/** Number and remark at the pointer of a method's map. */
function methodNumber(value, scale, shape) {
  if (scale.isShare) return headNumber(value, shape);
  if (scale.kind === 'signed') return [signed(value, signedDigits(scale)), value < 0 ? 'against the class' : 'for the class'];
  return [(value / scale.limit).toFixed(2), 'of the largest'];
}

/** Number and remark at the pointer of a head's map. */
const headNumber = (share, shape) => [percent(share), `${timesEven(share / evenShare(shape))} even`];

/** Decimals that print a share as a percentage without rounding, at most 3. */
function digitsOf(share) {
  const isWhole = (value) => Math.abs(value - Math.round(value)) < 1e-6;
  return [0, 1, 2].find((digits) => isWhole(share * 100 * 10 ** digits)) ?? 3;
}

/** Decimals that write half of a signed scale's limit with two digits that count. */
const signedDigits = (scale) => Math.min(6, Math.max(2, 1 - Math.floor(Math.log10(scale.limit / 2))));

/** Tick marks of the colour bar, [place 0..1, text], and what it measures. */
function ticksOf(scale) {
  if (scale.kind === 'even') {
    return [[0, '≤ ⅛ ×'], [1 / 6, '¼'], [2 / 6, '½'], [0.5, '1 ×'], [4 / 6, '2'], [5 / 6, '4'], [1, '≥ 8 ×']];
  }
  const quarters = [0, 0.25, 0.5, 0.75, 1];
  if (scale.kind === 'signed') return quarters.map((t) => [t, signed((2 * t - 1) * scale.limit, signedDigits(scale))]);
  if (!scale.isShare) return quarters.map((t) => [t, String(t)]);
  const digits = scale.clips ? digitsOf(scale.limit / 4) : scale.limit < 0.02 ? 2 : 1;
  return quarters.map((t) => [t, (t === 1 && scale.clips ? '≥ ' : '') + percent(scale.limit * t, t ? digits : 0)]);
}

function unitOf(scale) {
  if (scale.kind === 'signed') return 'change of the logit; below 0 speaks against the class';
  if (scale.kind === 'even') return 'times an even spread: 1 × is the same for all tokens';
  if (!scale.isShare) return 'relative to the largest patch of this map';
  return scale.clips ? 'share of attention' : 'share, this map only';
}

const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;

/** "3 heads off, 1 patch left out" */
function changesLine({ off, gone, way }) {
  const out = way === 'grey' ? 'painted grey' : 'left out';
  const parts = [off.length && `${counted(off.length, 'head', 'heads')} off`, gone.length && `${counted(gone.length, 'patch', 'patches')} ${out}`];
  return parts.filter(Boolean).join(', ');
}

function accuracyLine(model) {
  if (model && !model.knows_labels) return 'This model learned to guess hidden patches, not labels: where it looks means something, what it predicts does not.';
  if (model?.accuracy == null) return '';
  return `This model is right on ${percent(model.accuracy)} of the ${model.measured_on} images, as recorded with it.`;
}
