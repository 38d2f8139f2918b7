/* The table of runs. Rows are reused, so that text being typed in them is not lost. */

const runsTable = find('.runs table');
const COLUMNS = [
  { key: 'name', words: 'Name' },
  { key: 'preset', words: 'Preset' },
  { key: 'parameters', words: 'Parameters', number: true, print: (run) => thousands(run.parameters) },
  { key: 'epoch', words: 'Epochs', number: true, print: (run) => (run.epochs != null && run.state !== 'finished' ? `${epochText(run.epoch)} of ${short(run.epochs)}` : epochText(run.epoch)) },
  { key: 'seconds', words: 'Time', number: true, print: (run) => (run.seconds ? duration(run.seconds) : '') },
  { key: 'images_per_second', words: 'Images/s', number: true, print: (run) => (run.images_per_second ? run.images_per_second.toFixed(0) : '') },
  { key: 'accuracy', words: 'Accuracy, last epoch', number: true, print: (run) => (run.accuracy == null ? 'not finished' : `${percent(run.accuracy, 2)} ${run.measured_on}`) },
  { key: 'state', words: 'State' },
];
const order = { key: null, down: false }; // null: newest first
const lines = new Map(); // by name of a run: {node, tick, cells, actions}

function buildTable() {
  const row = make('tr');
  row.append(make('th'), ...COLUMNS.map(({ key, words, number }) => {
    const head = make('th', number ? 'number' : '');
    const button = make('button', 'sort', words);
    button.type = 'button';
    button.addEventListener('click', () => sortBy(key));
    head.dataset.key = key;
    head.append(button);
    return head;
  }), make('th'));
  row.firstElementChild.append(make('span', 'voice', 'Curves'));
  row.lastElementChild.append(make('span', 'voice', 'Actions'));
  runsTable.tHead.append(row);
}

/** Sort by a column: numbers descending first, then the reverse, then newest first. */
function sortBy(key) {
  const first = !COLUMNS.find((column) => column.key === key).number;
  if (order.key !== key) Object.assign(order, { key, down: !first });
  else if (order.down === !first) order.down = first;
  else order.key = null;
  drawRuns();
}

function sorted() {
  if (!order.key) return runs;
  const value = (run) => run[order.key] ?? -Infinity;
  const sign = order.down ? -1 : 1;
  return [...runs].sort((a, b) => sign * (value(a) > value(b) ? 1 : value(a) < value(b) ? -1 : 0));
}

function drawRuns() {
  find('.runs').hidden = !runs?.length;
  if (!runs) return;
  for (const head of runsTable.tHead.querySelectorAll('[data-key]')) {
    const way = head.dataset.key === order.key ? (order.down ? 'descending' : 'ascending') : 'none';
    head.setAttribute('aria-sort', way);
  }
  const body = runsTable.tBodies[0];
  const held = body.contains(document.activeElement) ? document.activeElement : null;
  const place = [...body.children].indexOf(held?.closest('tr'));
  for (const name of lines.keys()) if (!runOf(name)) lines.delete(name);
  const nodes = sorted().map((run) => {
    if (!lines.has(run.name)) lines.set(run.name, makeLine(run));
    fillLine(lines.get(run.name), run);
    return lines.get(run.name).node;
  });
  for (const node of [...body.children]) if (!nodes.includes(node)) node.remove();
  nodes.forEach((node, i) => node !== body.children[i] && body.insertBefore(node, body.children[i] ?? null)); // moving a row would take the focus from its input
  const isGone = held && (!held.isConnected || held.hidden);
  if (isGone) (body.children[place] ?? body.lastElementChild)?.querySelector('.row-actions .link:not([hidden])')?.focus();
}

function makeLine({ name }) {
  const node = make('tr');
  node.dataset.run = name;
  const tick = make('input');
  Object.assign(tick, { type: 'checkbox' });
  tick.setAttribute('aria-label', `Curves of ${name}`);
  tick.addEventListener('change', () => overlay(name, tick.checked));
  const first = make('td');
  const target = make('label'); // larger than the box, for touch
  target.append(tick);
  first.append(target);
  const cells = Object.fromEntries(COLUMNS.map(({ key, number }) => [key, make('td', number ? 'number' : '')]));
  for (const { key, words } of COLUMNS) cells[key].dataset.label = words; // label of the value on narrow screens
  const actions = make('div', 'row-actions');
  const lastCell = make('td');
  lastCell.append(actions);
  node.append(first, ...Object.values(cells), lastCell);
  showActions(actions, name);
  return { node, tick, cells, actions };
}

function fillLine({ node, tick, cells, actions }, run) {
  node.classList.toggle('followed', run.name === followed);
  tick.checked = run.name === followed || overlaid.includes(run.name);
  tick.disabled = run.name === followed;
  for (const { key, print } of COLUMNS) setText(cells[key], print ? print(run) : run[key]);
  cells.state.className = run.state;
  cells.accuracy.classList.toggle('open', run.accuracy == null);
  cells.state.title = run.message;
  const isBusy = RUNNING.includes(run.state);
  const show = (name, isShown) => { const button = actions.querySelector(`[data-act=${name}]`); if (button) button.hidden = !isShown; };
  show('follow', run.name !== followed);
  const follows = actions.querySelector('[data-act=follow]');
  if (follows) setText(follows, isBusy ? 'Follow' : 'Show');
  show('explore', run.explorable);
  show('resume', !isBusy && run.state !== 'finished');
  show('download', run.saved);
  show('rename', !isBusy);
  show('delete', !isBusy);
  const resume = actions.querySelector('[data-act=resume]');
  if (resume) resume.disabled = Boolean(running());
}

// --- actions ---

function link(act, words, does) {
  const button = make('button', 'link', words);
  button.type = 'button';
  button.dataset.act = act;
  button.addEventListener('click', does);
  return button;
}

function showActions(box, name) {
  const explore = make('a', 'link', 'Explore');
  explore.dataset.act = 'explore';
  explore.href = exploreAddress(name);
  box.replaceChildren(
    link('follow', 'Follow', () => { showNotice(null); follow(sourceOf(name)); }),
    explore,
    link('resume', 'Resume', () => resumeRun(name)),
    link('download', 'Download', () => downloadRun(name)),
    link('rename', 'Rename', () => editName(box, name)),
    link('delete', 'Delete', () => confirmDelete(box, name)),
  );
}

const exploreAddress = (name) => `?checkpoint=${encodeURIComponent(sourceOf(name))}`;

/** Restore the actions and focus one of them. */
function back(box, name, action) {
  showActions(box, name);
  drawRuns();
  box.querySelector(`[data-act=${action}]`)?.focus();
}

function editName(box, name) {
  const input = make('input');
  input.value = name;
  input.maxLength = 64;
  input.setAttribute('aria-label', `New name of ${name}`);
  const save = () => (input.value.trim() === name ? back(box, name, 'rename') : renameRun(name, input.value.trim()));
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') save();
    else if (event.key === 'Escape') back(box, name, 'rename');
  });
  box.replaceChildren(input, link('save', 'Save', save), link('keep', 'Cancel', () => back(box, name, 'rename')));
  input.select();
}

function confirmDelete(box, name) {
  const keep = link('keep', 'Cancel', () => back(box, name, 'delete'));
  box.replaceChildren(make('span', '', 'Delete the run and all its files?'), link('really', 'Delete', () => deleteRun(box, name)), keep);
  for (const choice of box.querySelectorAll('.link')) choice.addEventListener('keydown', (event) => event.key === 'Escape' && back(box, name, 'delete'));
  keep.focus();
}

const acting = new Set(); // pending actions, so that a double click acts once

async function act(name, argument) {
  const mine = name + JSON.stringify(argument);
  if (acting.has(mine)) return null;
  acting.add(mine);
  const reply = await request(name, argument);
  acting.delete(mine);
  if (!reply || reply.error) {
    showNotice(reply?.error || NO_ANSWER, true);
    poll(); // runs may have changed in another window
    return null;
  }
  showNotice(null);
  return reply;
}

async function renameRun(name, wanted) {
  const reply = await act('rename', { name, new: wanted });
  if (!reply) return;
  if (followed === name) {
    followed = wanted;
    updateAddress({ run: followed });
  }
  curves[wanted] = curves[name];
  delete curves[name];
  if (source === sourceOf(name)) source = sourceOf(wanted);
  applyLists(reply);
  drawCurves();
}

async function deleteRun(box, name) {
  const reply = await act('delete', { name });
  if (!reply) return back(box, name);
  delete curves[name];
  applyLists(reply);
  drawCurves();
}

async function resumeRun(name) {
  const reply = await act('resume', { name });
  if (!reply) return;
  applyLists(reply);
  follow(sourceOf(name));
}

async function resumeSweep(name) {
  if (await change('resume_sweep', { name })) followNewest();
}

async function downloadRun(name) {
  showNotice('Preparing the checkpoint…');
  const reply = await act('download', { name });
  if (!reply) return;
  saveContent(reply);
  showBriefly(`Saved as ${reply.name}.`);
}

/** Overlay the curves of a run on those of the followed one, or remove them. */
async function overlay(name, isOn) {
  overlaid = isOn ? [...overlaid, name] : overlaid.filter((other) => other !== name);
  if (isOn) await fetchCurves(name);
  drawCurves();
}

async function fetchCurves(name) {
  const { session, offset } = curves[name] ?? { session: '', offset: 0 };
  const reply = await request('poll', { version, run: name, session, offset });
  if (reply?.metrics) addMetrics(name, offset, reply);
}
