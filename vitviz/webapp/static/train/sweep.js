/* Sweeps: the grid of hyperparameters, and the table and plot of the runs. */

const sweepTable = find('.sweeps table');
const sweepSelect = find('.which');
let sweeps = []; // newest first

const sweepRunning = () => sweeps.find(({ state }) => RUNNING.includes(state));

// --- the form ---

function buildVary() {
  const names = catalog.settings.flatMap(({ fields }) => Object.entries(fields));
  findAll('[data-vary]').forEach((select, i) => {
    select.append(new Option('none', ''), ...names.map(([key, words]) => new Option(words, key)));
  });
}

/** The grid of the sweep: ["model.depth=2,4,8"] */
function varies() {
  return findAll('[data-vary]').flatMap((select, i) => {
    const values = find(`[data-values="${i}"]`).value.split(/[\s,;]+/).filter(Boolean);
    return select.value && !select.disabled ? [`${select.value}=${values.join(',')}`] : [];
  });
}

function syncVary() {
  findAll('[data-vary]').forEach((select, i) => { find(`[data-values="${i}"]`).disabled = !select.value; });
  const count = varies().reduce((product, text) => product * text.split('=')[1].split(',').length, 1);
  setText(find('.sweep .changes'), count > 1 ? `: ${count} runs` : '');
  setText(startButton, count > 1 ? `Start ${count} runs` : 'Start training');
}

// --- the table and the plot ---

const settingName = (key) => catalog.settings.map(({ fields }) => fields[key]).find(Boolean) ?? key;
const shownSweep = () => sweeps.find(({ name }) => name === sweepSelect.value) ?? sweeps[0];

/** The runs of a sweep, in order: {name, settings, state, accuracy, parameters, seconds} */
function entriesOf(sweep) {
  return sweep.runs.map(([name, settings]) => {
    const ended = sweep.results.find(({ run }) => run === name);
    return { state: 'pending', ...runOf(name), ...ended, name, settings };
  });
}

function drawSweeps() {
  find('.sweeps').hidden = !sweeps.length;
  if (!sweeps.length) return;
  fillSelect(sweepSelect, sweeps.map(({ name }) => [name, name]));
  const sweep = shownSweep();
  const entries = entriesOf(sweep);
  const isBusy = RUNNING.includes(sweep.state);
  setText(find('.about-sweep'), `${sweep.results.length} of ${sweep.runs.length} runs ended; ${sweep.state}.${isBusy || sweep.state === 'stopped' ? '' : ` ${sweep.message}`}`);
  drawSweepTable(sweep, entries);
  drawPlot(find('.sweeps .chart'), sweep, entries);
  const actions = [];
  if (sweep.state === 'training') actions.push(link('stop', 'Stop', () => change('stop', { name: sweep.name })));
  if (!isBusy && sweep.state !== 'finished') actions.push(link('resume', 'Resume', () => resumeSweep(sweep.name)));
  if (!isBusy) actions.push(link('delete', 'Delete sweep, keep its runs', () => change('delete', { name: sweep.name })));
  const box = find('.sweeps .row-actions');
  const words = actions.map(({ textContent }) => textContent).join() + sweep.name;
  if (box.dataset.words !== words) box.replaceChildren(...actions);
  box.dataset.words = words;
}

function drawSweepTable(sweep, entries) {
  const keys = Object.keys(entries[0].settings);
  const heads = [...keys.map(settingName), 'Parameters', 'Time', `${accuracyName(sweep.measured_on)}, last epoch`, 'State'];
  sweepTable.tHead.replaceChildren(tableRow('th', heads, heads.length - 1));
  sweepTable.tBodies[0].replaceChildren(...entries.map((entry) => {
    const line = tableRow('td', [
      ...keys.map((key) => entry.settings[key]),
      entry.parameters ? thousands(entry.parameters) : '',
      entry.seconds ? duration(entry.seconds) : '',
      entry.accuracy == null ? '' : percent(entry.accuracy, 2),
      entry.state === 'training' && entry.progress ? `${Math.round(100 * entry.progress)}${SPACE}%` : entry.state,
    ], heads.length - 1);
    line.lastChild.className = entry.state.replace(' ', '-');
    line.lastChild.title = entry.message ?? '';
    return line;
  }));
}

/** Plot accuracy over the values of the first hyperparameter, one line per value of the second. */
function drawPlot(stage, sweep, entries) {
  const [first, ...others] = Object.keys(entries[0].settings);
  const values = [...new Set(entries.map(({ settings }) => settings[first]))];
  const ended = entries.filter(({ accuracy }) => accuracy != null);
  setText(find('.sweeps h3'), `${accuracyName(sweep.measured_on)} by ${settingName(first).toLowerCase()}${others.length ? `, one line per value of ${settingName(others[0]).toLowerCase()}` : ''}`);
  const width = Math.floor(stage.clientWidth);
  if (!ended.length || width < 80) return stage.replaceChildren(make('p', 'note', 'Points appear as runs end.'));
  const height = 232;
  const svg = drawing(stage, width, height);
  const frame = { left: 44, right: width - 96, top: 10, bottom: height - 24 };
  const y = valueAxis(svg, frame, 1.08 * Math.max(...ended.map(({ accuracy }) => accuracy)), '', (tick) => percent(tick, digitsOf(tick)));
  const x = (value) => frame.left + ((values.indexOf(value) + 0.5) / values.length) * (frame.right - frame.left);
  for (const value of values) addShape(svg, 'text', { x: x(value), y: height - 4, 'text-anchor': 'middle' }, value);
  const groups = Object.groupBy(ended, ({ settings }) => others.map((key) => settings[key]).join(', '));
  const ends = Object.entries(groups).map(([name, found], i) => {
    const color = cssColor(table('seq')[LINE_COLORS[i % LINE_COLORS.length]]);
    const points = found.map(({ settings, accuracy }) => [x(settings[first]), y(accuracy)]);
    polyline(svg, 'other', points, `stroke: ${color}; stroke-dasharray: ${DASHES[i % DASHES.length] || 'none'}`);
    for (const [cx, cy] of points) addShape(svg, 'circle', { cx, cy, r: 3.5, style: `fill: ${color}` });
    const [lastX, lastY] = points.at(-1);
    return { x: lastX + 8, y: lastY, text: name || percent(found.at(-1).accuracy, 1) };
  });
  placeLabels(ends, frame);
  for (const { x: left, y: high, text } of ends) addShape(svg, 'text', { class: 'name', x: left, y: high + 4 }, text);
}
