/* Following a run, asking what is new while something runs, and events, which come last. */

const SAID = 8000; // ms that a word on what was saved stands
let notice = null; // a sentence that stands in the status line until the next action
let asking = false;
let timer = 0;
let polls = 0;
let awaited = false; // whether the next training of an experiment is followed, unless another is chosen before
let spedBefore = null; // whether the speed of the training that runs is known; null while none runs

// --- what is said ---

function tell(sentence, isError = false) {
  notice = sentence && { sentence, isError };
  drawWords();
  if (sentence) setText(voice, sentence);
}

/** What matters only now gives way to the run's own line again. */
function tellBriefly(sentence) {
  tell(sentence);
  const mine = notice;
  setTimeout(() => notice === mine && tell(null), SAID);
}

function fail(sentence) {
  root.dataset.state = 'error';
  tell(sentence, true);
}

function drawWords() {
  const held = document.activeElement;
  const run = runOf(followed);
  const shipped = catalog.sources.find(({ name }) => name === source);
  const words = run ? runWords(run) : shipped ? sourceWords(shipped) : { headline: 'Watch it learn', line: '' };
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
  explore.hidden = run ? !run.explored : !shipped;
  explore.href = run ? exploreAddress(run.name) : `?checkpoint=${encodeURIComponent(source)}`;
  if (held?.hidden) find('.headline').focus(); // the button that was pressed has done its part
  drawWhen();
  const bar = find('.whole');
  bar.hidden = !run;
  if (run) fillProgress(bar, run.share);
}

// --- following ---

/** Show the timeline of a run with its curves, or one that ships, the first of them unless another is wanted. */
async function follow(wanted = catalog.sources[0]?.name, place = image, at = undefined) {
  pause();
  awaited = false;
  followed = isOfRun(wanted) ? runName(wanted) : null;
  overlaid = overlaid.filter((other) => other !== followed);
  source = null;
  const mine = followed;
  keepAddress({ run: followed });
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

/** Of an experiment, follow the training that runs, or wait for it. */
function followNewest() {
  const run = running();
  if (run && run.name !== followed) return follow(sourceOf(run.name));
  awaited = !run;
  wake();
}

/** All that Python lists: runs, the data set. Answers without it say that nothing changed. */
function takeListed(reply) {
  version = reply.version ?? version;
  if (!reply.runs) return;
  ({ runs, sweeps, data } = reply);
  overlaid = overlaid.filter(runOf); // others may have been deleted, or have another name
  const busy = running() ? Boolean(running().images_per_second) : null;
  if (recipe && busy !== spedBefore) changeForm(); // what it would take is told in another way now
  if (recipe && busy === null && spedBefore !== null && !sweepRunning()) expectPresets();
  spedBefore = busy;
  suggestName();
  listSources();
  if (!catalog.public) fillOther();
  syncOther();
  syncStart();
  drawRuns();
  drawExperiments();
  drawWords();
  if (followed && !runOf(followed)) follow(); // it was deleted, perhaps from another page
}

function listSources() {
  const names = [...runs.map(({ name }) => sourceOf(name)), ...catalog.sources.map(({ name }) => name)];
  if (sourceSelect.dataset.names === names.join()) return;
  sourceSelect.dataset.names = names.join();
  sourceSelect.replaceChildren(...names.map((name) => new Option(isOfRun(name) ? runName(name) : `${name}, which comes with vitviz`, name)));
  if (source) sourceSelect.value = source;
}

// --- what is new ---

const isShown = () => element.isConnected && root.offsetParent !== null && !document.hidden;
const somethingRuns = () => Boolean(running() || sweepRunning() || data?.fetch?.running);

/** Ask again in a while, as long as the page is shown and something runs. */
function wake(soon = EVERY) {
  clearTimeout(timer);
  if (isShown() && somethingRuns()) timer = setTimeout(poll, soon);
}

async function poll() {
  if (asking) return;
  asking = true;
  try {
    await pollOnce();
  } finally {
    asking = false;
    wake();
  }
}

async function pollOnce() {
  const run = followed;
  const { session, offset } = curves[run] ?? { session: '', offset: 0 };
  const asked = { version };
  if (run) Object.assign(asked, { run, session, offset });
  if (run && source === sourceOf(run)) asked.timeline = { source, image, from: past ? past.moments.length : 0 };
  const mine = tickets;
  const reply = await ask('poll', asked);
  root.dataset.polls = ++polls;
  if (!reply || reply.error) return tell(reply?.error || NO_ANSWER, true);
  if (notice?.sentence === NO_ANSWER) tell(null);
  if (version !== asked.version) return; // what was asked for meanwhile has its answer, which this one may be older than
  const trained = isTraining(run);
  takeListed(reply);
  if (run !== followed) return;
  if (trained && !isTraining(run)) awaited = Boolean(sweepRunning());
  if (awaited && sweepRunning() && running()) return followNewest();
  const hasLines = reply.metrics && takeMetrics(run, offset, reply);
  const began = reply.whole && session !== '';
  if (began) await loadTimeline(source, image);
  else if (mine === tickets && reply.timeline && (reply.timeline.from === 0 || reply.timeline.epoch.length)) takeMoments(reply.timeline);
  if (hasLines || reply.runs) drawCurves(); // the axis ends elsewhere once a run has stopped
  for (const name of overlaid) if (RUNNING.includes(runOf(name)?.state)) await fetchCurves(name);
  if (!run && !past) await loadTimeline(source, image); // its answer was lost
}

// --- events ---

function changeTheme() {
  root.style.setProperty('--data', cssColour(table('seq')[DATA_COLOUR]));
  drawScale();
  drawMoment();
  drawCurves();
  drawForming();
  drawExperiments();
}

function listenToForm() {
  form.addEventListener('input', (event) => {
    if (event.target.name === 'preset') return choosePreset(event.target.value);
    if (event.target.name === 'name') nameIsOwn = event.target.value.trim() !== '';
    if (event.target.name === 'unit') changeUnit(event.target.value);
    if (event.target.name === 'dataset') suggestLength();
    if (['own', 'dataset'].includes(event.target.name)) showSurvey();
    if (event.target.type === 'file') return;
    changeForm();
  });
  form.elements.name.addEventListener('blur', ({ target }) => {
    const { value } = target;
    suggestName();
    if (target.value !== value) changeForm();
  });
  find('.upload input').addEventListener('change', takeZip);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (startButton.disabled) return;
    startButton.disabled = true;
    const asked = question();
    const reply = await ask('start', asked);
    if (!reply || reply.error) {
      refusal = { refused: reply?.error || NO_ANSWER, field: null };
      showRefusal();
      refusal = null;
      syncStart();
      return poll(); // another page may have changed what there is
    }
    nameIsOwn = false;
    takeListed(reply);
    form.elements.name.value = freeName();
    if (asked.vary) followNewest();
    else follow(sourceOf(asked.name));
  });
  find('[data-do=reset]').addEventListener('click', () => {
    restoreSettings();
    changeForm();
  });
  find('[data-do=fetch]').addEventListener('click', () => change('fetch_data', { dataset: form.elements.dataset.value }));
  find('[data-do=call-off]').addEventListener('click', () => change('cancel_fetch', {}));
}

async function takeZip(event) {
  const [file] = event.target.files;
  event.target.value = '';
  if (!file) return;
  find('.survey').replaceChildren(make('p', 'note', `Uploading ${file.name}…`));
  const most = catalog.most_upload / 2 ** 20;
  if (file.size > catalog.most_upload) return refuseImages(`A zip to upload may have at most ${most} MiB: ${file.name} has ${(file.size / 2 ** 20).toFixed(1)}. Unpack it into ${catalog.folder} instead, then load this page again.`);
  let path;
  try {
    ({ path } = await upload(file));
  } catch {
    return refuseImages(`${file.name} could not be uploaded: the server did not take it. Put it into ${catalog.folder} instead, then load this page again.`);
  }
  const reply = await ask('take_images', { path, name: file.name });
  if (!reply || reply.error) return refuseImages(reply?.error || NO_ANSWER);
  takeListed(reply);
  form.elements.own.value = reply.taken;
  changeForm();
  showSurvey();
}

/** Ask for something that changes what is listed. */
async function change(name, argument) {
  const reply = await act(name, argument);
  if (!reply) return false;
  takeListed(reply);
  wake();
  return true;
}

function listenToTimeline() {
  slider.addEventListener('input', () => {
    pause();
    if (past) showMoment(Number(slider.value));
  });
  playButton.addEventListener('click', () => past && play());
  sourceSelect.addEventListener('change', () => {
    tell(null);
    follow(sourceSelect.value);
  });
  document.addEventListener('keydown', function pressed(event) {
    if (!element.isConnected) return document.removeEventListener('keydown', pressed);
    if (!isShown() || (event.target !== document.body && !root.contains(event.target))) return;
    if (!past || event.target.closest('input, select, summary, [role=gridcell], .map, .probes, .wide') || isShortcut(event)) return;
    if (event.key === 'ArrowLeft') stepMoment(-1);
    else if (event.key === 'ArrowRight') stepMoment(1);
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
  setText(button, 'Drawing…');
  const reply = await ask('movie', { source, image, ending: button.dataset.save });
  button.disabled = false;
  setText(button, words);
  if (!reply?.content) return tell(reply?.error || NO_ANSWER, true);
  saveContent(reply);
  tellBriefly(`Saved as ${reply.name}.`);
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
  experimentSelect.addEventListener('change', drawExperiments);
  new ResizeObserver(() => {
    drawCurves();
    drawForming();
    drawExperiments();
  }).observe(find('.watch'));
  const lookAgain = () => isShown() && (runs ? poll() : begin()); // another page may have started something meanwhile
  new IntersectionObserver(([entry]) => entry.isIntersecting && lookAgain()).observe(root);
  document.addEventListener('visibilitychange', lookAgain);
  window.addEventListener('focus', lookAgain);
  followTheme(changeTheme);
}

// --- the start ---

/** Show what the address asks for; else the training that runs, the last run, or what ships. */
async function openAddress() {
  const params = new URLSearchParams(location.search);
  const [run, shipped] = [params.get('run'), params.get('timeline')];
  const [place, at] = ['probe', 'moment'].map((name) => Math.trunc(Number(params.get(name)) || 0) - 1); // from 1 there
  const isThere = catalog.sources.some(({ name }) => name === shipped);
  const first = runOf(run) ?? (isThere ? null : running() ?? runs[0]);
  await follow(first ? sourceOf(first.name) : isThere ? shipped : undefined, Math.max(0, place), at);
  if (!run && !isThere && sweepRunning()) followNewest();
  if (run && !runOf(run)) tell(absentSentence('run', run, followed));
  else if (shipped && !isThere) tell(absentSentence('timeline', shipped, source));
}

/** Ask what there is, unless it is asked already, and show what the address asks for. */
async function begin() {
  if (asking) return;
  asking = true;
  const reply = await ask('poll', { version });
  asking = false;
  if (!reply || reply.error) return fail(reply?.error || NO_ANSWER);
  tell(null);
  form.inert = false;
  takeListed(reply);
  choosePreset(catalog.presets[0].name);
  await openAddress();
  if (!running()) expectPresets();
}

function start() {
  root.style.setProperty('--data', cssColour(table('seq')[DATA_COLOUR]));
  root.classList.toggle('public', catalog.public);
  find('.form').hidden = find('.about-data').hidden = catalog.public;
  find('.closed').hidden = !catalog.public;
  setText(find('.folder'), catalog.folder);
  setText(find('.machine'), `This computer: ${catalog.machine}.`);
  if (catalog.public) {
    runs = [];
    listSources();
  }
  buildTable();
  listen();
  if (catalog.public) return catalog.sources.length ? openAddress() : fail('There is no timeline to show.');
  buildPresets();
  buildSettings();
  buildVary();
  listenToForm();
  form.inert = true; // until it is known what there is
  return begin();
}

start();
