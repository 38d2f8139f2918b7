/* Following a run, polling while something runs, and event listeners. */

const BRIEF_NOTICE = 8000; // ms
let notice = null; // a sentence shown in the status line until the next action
let polling = false;
let timer = 0;
let polls = 0;
let awaited = false; // whether to follow the next run of a sweep once it starts
let wasBusy = false; // whether a run was training at the last update

// --- headline and status line ---

function showNotice(sentence, isError = false) {
  notice = sentence && { sentence, isError };
  drawWords();
  if (sentence) setText(voice, sentence);
}

/** Show a notice briefly, then the status of the run again. */
function showBriefly(sentence) {
  showNotice(sentence);
  const mine = notice;
  setTimeout(() => notice === mine && showNotice(null), BRIEF_NOTICE);
}

function fail(sentence) {
  root.dataset.state = 'error';
  showNotice(sentence, true);
}

function drawWords() {
  const held = document.activeElement;
  const run = runOf(followed);
  const bundled = catalog.sources.find(({ name }) => name === source);
  const words = run ? runWords(run) : bundled ? sourceWords(bundled) : { headline: 'Training', line: '' };
  const before = find('.headline').textContent;
  setText(find('.headline'), words.headline);
  setText(status, notice?.sentence ?? words.line);
  status.classList.toggle('error', Boolean(notice ? notice.isError : words.isError));
  if (run && before && run.state !== root.dataset.runState) setText(voice, `${words.headline}. ${words.line}`);
  root.dataset.run = followed ?? '';
  root.dataset.runState = run?.state ?? '';
  find('[data-do=stop]').hidden = run?.state !== 'training';
  const resume = find('[data-do=resume]');
  resume.hidden = !run || RUNNING.includes(run.state) || run.state === 'finished';
  resume.disabled = Boolean(running());
  const explore = find('[data-do=explore]');
  explore.hidden = run ? !run.explorable : !bundled;
  explore.href = run ? exploreAddress(run.name) : `?checkpoint=${encodeURIComponent(source)}`;
  if (held?.hidden) find('.headline').focus(); // the focused button has disappeared
  drawWhen();
  const bar = find('.whole');
  bar.hidden = !run;
  if (run) fillProgress(bar, run.progress);
}

// --- following ---

/** Show a run with its curves and timeline, or the timeline of a bundled checkpoint, by default the first. */
async function follow(wanted = catalog.sources[0]?.name, place = image, at = undefined) {
  pause();
  awaited = false;
  followed = isOfRun(wanted) ? runName(wanted) : null;
  overlaid = overlaid.filter((other) => other !== followed);
  source = null;
  const mine = followed;
  updateAddress({ run: followed });
  drawWords();
  drawRuns();
  drawCurves();
  if (followed) await fetchCurves(followed);
  if (followed !== mine) return;
  if (wanted) await loadTimeline(wanted, place, at);
  if (followed !== mine) return;
  if (source === wanted) sourceSelect.value = wanted;
  drawWords();
  drawCurves();
  wake();
}

/** Follow the current run of a sweep, or wait for it. */
function followNewest() {
  const run = running();
  if (run && run.name !== followed) return follow(sourceOf(run.name));
  awaited = !run;
  wake();
}

/** Apply the lists of a response: runs, sweeps, datasets. A response without them means no change. */
function applyLists(reply) {
  version = reply.version ?? version;
  if (!reply.runs) return;
  ({ runs, sweeps, data } = reply);
  overlaid = overlaid.filter(runOf); // others may have been deleted or renamed
  const isBusy = Boolean(running());
  if (preset && isBusy !== wasBusy) changeForm(); // estimates are made only while no run is training
  if (preset && wasBusy && !isBusy && !sweepRunning()) estimatePresets();
  wasBusy = isBusy;
  suggestName();
  listSources();
  if (!catalog.public) fillOther();
  syncOther();
  syncStart();
  drawRuns();
  drawSweeps();
  drawWords();
  if (followed && !runOf(followed)) follow(); // it was deleted, possibly in another window
}

function listSources() {
  const names = [...runs.map(({ name }) => sourceOf(name)), ...catalog.sources.map(({ name }) => name)];
  if (sourceSelect.dataset.names === names.join()) return;
  sourceSelect.dataset.names = names.join();
  sourceSelect.replaceChildren(...names.map((name) => new Option(isOfRun(name) ? runName(name) : `${name} (bundled)`, name)));
  if (source) sourceSelect.value = source;
}

// --- polling ---

const isShown = () => element.isConnected && root.offsetParent !== null && !document.hidden;
const somethingRuns = () => Boolean(running() || sweepRunning() || data?.download?.running);

/** Schedule the next poll if the page is visible and something runs. */
function wake(soon = EVERY) {
  clearTimeout(timer);
  if (isShown() && somethingRuns()) timer = setTimeout(poll, soon);
}

async function poll() {
  if (polling) return;
  polling = true;
  try {
    await pollOnce();
  } finally {
    polling = false;
    wake();
  }
}

async function pollOnce() {
  const run = followed;
  const { session, offset } = curves[run] ?? { session: '', offset: 0 };
  const query = { version };
  if (run) Object.assign(query, { run, session, offset });
  if (run && source === sourceOf(run)) query.timeline = { source, image, from: past ? past.snapshots.length : 0 };
  const mine = tickets;
  const reply = await request('poll', query);
  root.dataset.polls = ++polls;
  if (!reply || reply.error) return showNotice(reply?.error || NO_ANSWER, true);
  if (notice?.sentence === NO_ANSWER) showNotice(null);
  if (version !== query.version) return; // another request was answered since, possibly with newer lists
  const trained = isTraining(run);
  applyLists(reply);
  if (run !== followed) return;
  if (trained && !isTraining(run)) awaited = Boolean(sweepRunning());
  if (awaited && sweepRunning() && running()) return followNewest();
  const hasLines = reply.metrics && addMetrics(run, offset, reply);
  const began = reply.whole && session !== '';
  if (began) await loadTimeline(source, image);
  else if (mine === tickets && reply.timeline && (reply.timeline.from === 0 || reply.timeline.epoch.length)) addSnapshots(reply.timeline);
  if (hasLines || reply.runs) drawCurves(); // the epoch axis ends elsewhere once a run has stopped
  for (const name of overlaid) if (RUNNING.includes(runOf(name)?.state)) await fetchCurves(name);
  if (!run && !past) await loadTimeline(source, image); // its response was lost
}

// --- events ---

function changeTheme() {
  root.style.setProperty('--data', cssColor(table('seq')[DATA_COLOR]));
  drawScale();
  drawSnapshot();
  drawCurves();
  drawForming();
  drawSweeps();
}

function listenToForm() {
  form.addEventListener('input', (event) => {
    if (event.target.name === 'preset') return choosePreset(event.target.value);
    if (event.target.name === 'name') nameIsEdited = event.target.value.trim() !== '';
    if (event.target.name === 'unit') changeUnit(event.target.value);
    if (event.target.name === 'dataset') suggestBudget();
    if (['image_folder', 'dataset'].includes(event.target.name)) showSurvey();
    if (event.target.type === 'file') return;
    changeForm();
  });
  form.elements.name.addEventListener('blur', ({ target }) => {
    const { value } = target;
    suggestName();
    if (target.value !== value) changeForm();
  });
  find('.upload input').addEventListener('change', uploadZip);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (startButton.disabled) return;
    startButton.disabled = true;
    const query = formQuery();
    const reply = await request('start', query);
    if (!reply || reply.error) {
      refusal = { refused: reply?.error || NO_ANSWER, field: null };
      showRefusal();
      refusal = null;
      syncStart();
      return poll(); // runs may have changed in another window
    }
    nameIsEdited = false;
    applyLists(reply);
    form.elements.name.value = freeName();
    if (query.vary) followNewest();
    else follow(sourceOf(query.name));
  });
  find('[data-do=reset]').addEventListener('click', () => {
    restoreSettings();
    changeForm();
  });
  find('[data-do=download]').addEventListener('click', () => change('download_data', { dataset: form.elements.dataset.value }));
  find('[data-do=cancel]').addEventListener('click', () => change('cancel_download', {}));
}

async function uploadZip(event) {
  const [file] = event.target.files;
  event.target.value = '';
  if (!file) return;
  find('.survey').replaceChildren(make('p', 'note', `Uploading ${file.name}…`));
  const limit = catalog.max_upload / 2 ** 20;
  if (file.size > catalog.max_upload) return refuseImages(`An uploaded zip may have at most ${limit} MiB: ${file.name} has ${(file.size / 2 ** 20).toFixed(1)}. Unpack it into ${catalog.folder} instead, then reload this page.`);
  let path;
  try {
    ({ path } = await upload(file));
  } catch {
    return refuseImages(`${file.name} could not be uploaded. Copy it into ${catalog.folder} instead, then reload this page.`);
  }
  const reply = await request('upload_images', { path, name: file.name });
  if (!reply || reply.error) return refuseImages(reply?.error || NO_ANSWER);
  applyLists(reply);
  form.elements.image_folder.value = reply.uploaded;
  changeForm();
  showSurvey();
}

/** Send a request that changes the lists. Returns whether it succeeded. */
async function change(name, argument) {
  const reply = await act(name, argument);
  if (!reply) return false;
  applyLists(reply);
  wake();
  return true;
}

function listenToTimeline() {
  slider.addEventListener('input', () => {
    pause();
    if (past) showSnapshot(Number(slider.value));
  });
  playButton.addEventListener('click', () => past && play());
  sourceSelect.addEventListener('change', () => {
    showNotice(null);
    follow(sourceSelect.value);
  });
  document.addEventListener('keydown', function pressed(event) {
    if (!element.isConnected) return document.removeEventListener('keydown', pressed);
    if (!isShown() || (event.target !== document.body && !root.contains(event.target))) return;
    if (!past || event.target.closest('input, select, summary, [role=gridcell], .map, .probes, .wide') || isShortcut(event)) return;
    if (event.key === 'ArrowLeft') stepSnapshot(-1);
    else if (event.key === 'ArrowRight') stepSnapshot(1);
    else if (event.key === ' ' && !event.target.closest('button, a')) play();
    else return;
    event.preventDefault();
  });
  find('.matrix').addEventListener('keydown', (event) => {
    if (!past || isShortcut(event) || !ARROWS.includes(event.key)) return;
    event.preventDefault();
    const tile = nextTile(grid.tiles, past.shape, chosen.layer, chosen.head, event.key);
    chooseTile(tile.layer, tile.head);
    tile.button.focus();
  });
  find('.probes').addEventListener('keydown', (event) => {
    if (!past || isShortcut(event) || !ARROWS.includes(event.key)) return;
    event.preventDefault();
    const by = event.key === 'ArrowRight' || event.key === 'ArrowDown' ? 1 : -1;
    const place = (image + by + past.images.length) % past.images.length;
    find('.probes').children[place].focus();
    loadTimeline(source, place);
  });
  for (const button of findAll('[data-save]')) {
    button.hidden = !catalog.movies.includes(button.dataset.save);
    button.addEventListener('click', () => past && source && saveMovie(button));
  }
  listenToMap();
}

async function saveMovie(button) {
  const { textContent: words } = button;
  button.disabled = true;
  setText(button, 'Rendering…');
  const reply = await request('movie', { source, image, ending: button.dataset.save });
  button.disabled = false;
  setText(button, words);
  if (!reply?.content) return showNotice(reply?.error || NO_ANSWER, true);
  saveContent(reply);
  showBriefly(`Saved as ${reply.name}.`);
}

function listenToMap() {
  const readPatch = (patch) => {
    if (!past || read === patch) return;
    read = patch;
    drawMap();
    clearTimeout(speakSoon.timer);
    if (read >= 0) speakSoon();
  };
  const point = (event) => past && readPatch(patchAt(mapNode, event, past.shape));
  mapNode.addEventListener('pointermove', (event) => event.pointerType !== 'touch' && point(event));
  mapNode.addEventListener('click', point);
  mapNode.addEventListener('pointerleave', (event) => event.pointerType !== 'touch' && readPatch(-1));
  mapNode.addEventListener('blur', () => readPatch(-1));
  mapNode.addEventListener('keydown', (event) => {
    if (!past || isShortcut(event)) return;
    if (ARROWS.includes(event.key)) readPatch(read < 0 ? middlePatch(past.shape) : neighbour(read, event.key, past.shape));
    else if (event.key === 'Escape') readPatch(-1);
    else return;
    event.preventDefault();
  });
}

function listen() {
  listenToTimeline();
  find('[data-do=stop]').addEventListener('click', () => change('stop', { name: followed }));
  find('[data-do=resume]').addEventListener('click', () => resumeRun(followed));
  sweepSelect.addEventListener('change', drawSweeps);
  new ResizeObserver(() => {
    drawCurves();
    drawForming();
    drawSweeps();
  }).observe(find('.watch'));
  const refresh = () => isShown() && (runs ? poll() : begin()); // another window may have started something
  new IntersectionObserver(([entry]) => entry.isIntersecting && refresh()).observe(root);
  document.addEventListener('visibilitychange', refresh);
  window.addEventListener('focus', refresh);
  followTheme(changeTheme);
}

// --- the start ---

/** Show the run or timeline of the address, or else the current run, the last run, or a bundled timeline. */
async function openAddress() {
  const params = new URLSearchParams(location.search);
  const [run, bundled] = [params.get('run'), params.get('timeline')];
  const [place, at] = ['probe', 'snapshot'].map((name) => Math.trunc(Number(params.get(name)) || 0) - 1); // counted from 1 in the address
  const isAvailable = catalog.sources.some(({ name }) => name === bundled);
  const first = runOf(run) ?? (isAvailable ? null : running() ?? runs[0]);
  await follow(first ? sourceOf(first.name) : isAvailable ? bundled : undefined, Math.max(0, place), at);
  if (!run && !isAvailable && sweepRunning()) followNewest();
  if (run && !runOf(run)) showNotice(unavailable('run', run, followed));
  else if (bundled && !isAvailable) showNotice(unavailable('timeline', bundled, source));
}

/** Load the lists and show the view of the address. */
async function begin() {
  if (polling) return;
  polling = true;
  const reply = await request('poll', { version });
  polling = false;
  if (!reply || reply.error) return fail(reply?.error || NO_ANSWER);
  showNotice(null);
  form.inert = false;
  applyLists(reply);
  choosePreset(catalog.presets[0].name);
  await openAddress();
  if (!running()) estimatePresets();
}

function start() {
  root.style.setProperty('--data', cssColor(table('seq')[DATA_COLOR]));
  root.classList.toggle('public', catalog.public);
  find('.form').hidden = find('.about-data').hidden = catalog.public;
  find('.closed').hidden = !catalog.public;
  setText(find('.folder'), catalog.folder);
  setText(find('.machine'), `Hardware: ${catalog.machine}.`);
  if (catalog.public) {
    runs = [];
    listSources();
  }
  buildTable();
  listen();
  if (catalog.public) return catalog.sources.length ? openAddress() : fail('No timeline found.');
  buildPresets();
  buildSettings();
  buildVary();
  listenToForm();
  form.inert = true; // until the lists are loaded
  return begin();
}

start();
