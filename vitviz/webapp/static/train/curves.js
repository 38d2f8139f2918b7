/* Curves over epochs: those of the followed run, and of runs overlaid on them. */

const LINE_COLORS = [150, 105, 195, 125, 175]; // entries of the color map, for overlaid runs
const DASHES = ['', '6 3', '2 3', '8 3 2 3', '1 4'];
const lrText = (value) => (value > 0 && value < 1e-4 ? value.toExponential(0) : roundTo2(value));
const CHARTS = {
  loss: { height: 176, keys: ['loss'], print: (value) => value.toFixed(2) },
  accuracy: { height: 176, keys: ['accuracy', 'train_accuracy'], print: (value) => percent(value, 1), end: 1, axis: (tick) => percent(tick, 0) },
  rate: { height: 76, keys: ['learning_rate'], print: lrText, axis: lrText, bare: true },
  speed: { height: 76, keys: ['images_per_second'], print: (value) => value.toFixed(0), bare: true },
};
const LETTER_WIDTH = 6.4; // px, about
const MAX_POINTS = 300; // per line
const LINE_NAMES = { loss: 'training', train_accuracy: 'training' };

/** The lines of a chart: [{run, key, name, points: [[epoch, value]], color, dash, className}] */
function linesOf(keys) {
  const names = [followed, ...overlaid.filter((name) => name !== followed)].filter((name) => curves[name]?.lines.length);
  return names.flatMap((run, i) => keys.slice(0, names.length > 1 ? 1 : undefined).map((key) => ({
    run,
    key,
    name: names.length > 1 ? run : LINE_NAMES[key] ?? (key === 'accuracy' ? runOf(run).measured_on : ''),
    points: thinned(curves[run].lines.filter((line) => line[key] != null).map((line) => [line.epoch, line[key]])),
    color: i ? cssColor(table('seq')[LINE_COLORS[(i - 1) % LINE_COLORS.length]]) : '',
    dash: DASHES[i % DASHES.length],
    className: i ? 'other' : key === 'train_accuracy' ? 'quiet' : 'ink',
  })));
}

/** Every n-th point, at most about MAX_POINTS, and always the last one. */
function thinned(points) {
  const every = Math.ceil(points.length / MAX_POINTS);
  return points.filter((_, i) => i % every === 0 || i === points.length - 1);
}

/** The end of the epoch axis: the expected end of the longest run. */
function lastEpoch(lines) {
  const ends = [...new Set(lines.map(({ run }) => run))].map((name) => {
    const run = runOf(name);
    const now = curves[name].lines.at(-1).epoch;
    if (!run || !RUNNING.includes(run.state)) return now;
    return run.epochs ?? (run.progress > 0.02 ? now / run.progress : 1.5 * now);
  });
  return Math.max(...ends, 0.01);
}

function drawCurves() {
  const hasLines = Boolean(followed && curves[followed]?.lines.length);
  find('.curves').hidden = find('.curves-note').hidden = !hasLines;
  if (!hasLines) return;
  const last = lastEpoch(linesOf(['loss']));
  for (const figure of findAll('[data-curve]')) {
    const chart = CHARTS[figure.dataset.curve];
    const found = linesOf(chart.keys).filter(({ points }) => points.length);
    drawChart(figure.querySelector('.chart'), chart, found, last, (run) => (run === followed ? epochShown() : null));
  }
}

/** Draw lines over epochs up to `last`, labeled with their values at the epoch of the cursor; `cursorOf` may return null. */
function drawChart(stage, { height, print, end, axis = String, bare }, lines, last, cursorOf) {
  const width = Math.floor(stage.clientWidth);
  if (width < 80) return;
  if (!lines.length) return stage.replaceChildren(make('p', 'note', 'Measured after each epoch.'));
  const svg = drawing(stage, width, height);
  const shown = lines.map((line) => {
    const at = pointAt(line.points, cursorOf(line.run));
    return { line, at, text: `${line.name} ${at ? print(at[1]) : ''}`.trim() };
  });
  const isKeyed = lines.some(({ color }) => color); // names of several runs or layers go next to the chart, not to the end of each line
  const longest = Math.max(...shown.map(({ text }) => text.length));
  const room = bare ? (isKeyed ? 40 : 56) : isKeyed ? Math.min(0.6 * width, 34 + LETTER_WIDTH * longest) : 104;
  const frame = { left: bare ? 48 : 44, right: width - room, top: 8, bottom: height - 22 };
  const top = end ?? 1.08 * Math.max(...lines.flatMap(({ points }) => points.map(([, value]) => value)));
  const y = valueAxis(svg, frame, top || 1, '', axis);
  const x = (epoch) => frame.left + (Math.min(epoch, last) / last) * (frame.right - frame.left);
  const lastWords = inEpochs(epochText(last));
  for (const tick of ticks(last, Math.max(1, (frame.right - frame.left) / 90))) {
    if (x(tick) < frame.right - 0.5 * LETTER_WIDTH * lastWords.length - 20) addShape(svg, 'text', { x: x(tick), y: height - 4, 'text-anchor': 'middle' }, Number(tick.toPrecision(6)) || '0');
  }
  addShape(svg, 'text', { x: frame.right, y: height - 4, 'text-anchor': 'middle' }, lastWords);
  const cursor = cursorOf(followed);
  if (cursor !== null && cursor <= last) addShape(svg, 'line', { class: 'cursor', x1: x(cursor), x2: x(cursor), y1: frame.top - 4, y2: frame.bottom });
  const ends = shown.map(({ line, at, text }) => {
    polyline(svg, line.className, line.points.map(([epoch, value]) => [x(epoch), y(value)]), styleOf(line));
    if (at) addShape(svg, 'circle', { class: `end ${line.className}`, cx: x(at[0]), cy: y(at[1]), r: 3, style: line.color ? `fill: ${line.color}` : '' });
    const [lastX, lastY] = line.points.at(-1);
    return { line, x: isKeyed ? frame.right + 26 : x(lastX) + 8, y: y(lastY), text };
  });
  if (bare && isKeyed) return; // the lines are labeled in the large charts
  placeLabels(ends, frame);
  for (const { line, x: left, y: high, text } of ends) {
    const start = Math.min(left, width - LETTER_WIDTH * text.length);
    addShape(svg, 'text', { class: `name ${line.className}`, x: start, y: high + 4 }, text);
    if (isKeyed) polyline(svg, line.className, [[start - 18, high], [start - 4, high]], styleOf(line)); // key of the name
  }
}

const styleOf = ({ color, dash }) => `${color ? `stroke: ${color};` : ''} stroke-dasharray: ${dash || 'none'}`;

/** The last point up to `epoch`, or undefined; the last of all if it is null. */
function pointAt(points, epoch) {
  if (epoch === null) return points.at(-1);
  return points.findLast(([at]) => at <= epoch + 1e-6 * Math.max(1, epoch)); // epochs of snapshots have single precision
}

/** Move labels at the ends of lines apart. */
function placeLabels(ends, frame) {
  const sorted = [...ends].sort((a, b) => a.y - b.y);
  for (let i = 1; i < sorted.length; i++) sorted[i].y = Math.max(sorted[i].y, sorted[i - 1].y + 15);
  for (let i = sorted.length - 1, floor = frame.bottom; i >= 0; i--, floor = sorted[i + 1].y - 15) sorted[i].y = Math.min(sorted[i].y, floor);
}

/** Append new lines of metrics, those after `from`, unless an earlier response contained them; a new session of a run
    replaces all. Returns whether anything changed. */
function addMetrics(name, from, { session, metrics, offset, whole }) {
  const known = (curves[name] ??= { session: '', offset: 0, lines: [] });
  if (whole) known.lines = [];
  else if (from !== known.offset) return false;
  known.lines.push(...metrics);
  Object.assign(known, { session, offset });
  return metrics.length > 0 || whole;
}
