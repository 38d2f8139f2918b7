/* Drawing all figures, reading them by pointer and keys, requests, and event listeners. */

const models = find('.model select');
const choice = find('.choice');
const again = find('[data-do=again]');
const DEFAULT_STATUS = status.textContent;

const state = { checkpoint: '', images: 'samples' };
let shown = null; // {checkpoint, images} on screen, restored after an error
let ticket = 0; // of the latest request; responses to earlier ones are dropped
let drawnWidth = 0;
let followed = null; // the checkpoint that was last read from the address
const views = {}; // by probe

// --- drawing ---

function draw() {
  drawnWidth = root.clientWidth;
  if (!answer || !drawnWidth) return; // another tab is shown; drawn when this one is
  root.style.setProperty('--data', cssColor(table('seq')[DATA_COLOR]));
  for (const figure of findAll('figure')) drawFigure(figure);
  find('.over').textContent = `${answer.checkpoint} over ${answer.images}.`;
}

function drawFigure(figure) {
  const key = figure.dataset.probe;
  const stage = figure.querySelector('.stage');
  const view = FIGURES[key](stage, figure.querySelector('.line').clientWidth); // its column: the caption may be next to it
  const bar = figure.querySelector('.scale');
  if (bar) {
    bar.style.maxWidth = `${stage.clientWidth}px`;
    addBar(bar, ...(view.bar ?? BARS[key]));
  }
  views[key] = { ...view, figure, stage, marks: [0, 1].map(() => stage.appendChild(make('div', 'mark'))), read: -1, lineOf: view.read };
  const line = figure.querySelector('.line');
  putLine(line, view.finding());
  const title = figure.querySelector('h2').textContent;
  stage.tabIndex = 0;
  stage.setAttribute('role', 'application');
  stage.setAttribute('aria-label', `${title}. ${line.textContent} Arrow keys read the values.`);
  readPlace(key, -1);
}

// --- reading ---

/** Show the value at a place of a figure; -1 returns to its summary. */
function readPlace(key, index, delay = SPEAK_DELAY) {
  const view = views[key];
  const line = view.figure.querySelector('.line');
  const changed = view.read !== index;
  view.read = index;
  view.figure.dataset.read = index;
  putLine(line, index < 0 ? view.finding() : view.lineOf(index));
  const box = index < 0 ? null : view.box(index);
  putMark(view.marks[0], box && box.around, 'around');
  putMark(view.marks[1], box, box?.style ?? '');
  if (changed && index >= 0) speakSoon(line, delay);
}

function putMark(mark, box, style) {
  mark.hidden = !box;
  if (!box) return;
  mark.className = `mark ${style}`;
  for (const name of ['left', 'top', 'width', 'height']) mark.style[name] = `${box[name]}px`;
}

function speakSoon(line, delay) {
  clearTimeout(speakSoon.timer);
  speakSoon.timer = setTimeout(() => { voice.textContent = line.textContent; }, delay);
}

/** The place that an arrow key moves to; empty places are skipped. With `far`, moves by a whole map. */
function walk(view, key, far) {
  if (view.read < 0) return view.start;
  const across = key === 'ArrowLeft' || key === 'ArrowRight';
  let steps = far && view.jump ? (across ? view.jump.columns : view.jump.rows) : 1;
  let index = view.read;
  while (steps-- > 0 || !view.holds(index)) index = neighbour(index, key, view.grid);
  return index;
}

function listenTo(figure) {
  const key = figure.dataset.probe;
  const stage = figure.querySelector('.stage');
  const point = (event) => {
    const index = answer ? views[key].at(event) : -1;
    if (answer && index !== views[key].read) readPlace(key, index);
  };
  stage.addEventListener('pointermove', (event) => {
    if (event.pointerType !== 'touch') point(event);
  });
  stage.addEventListener('click', point);
  stage.addEventListener('pointerleave', (event) => {
    if (answer && event.pointerType !== 'touch') readPlace(key, -1);
  });
  stage.addEventListener('blur', () => answer && readPlace(key, -1));
  stage.addEventListener('keydown', (event) => {
    if (!answer || isShortcut(event)) return;
    if (ARROWS.includes(event.key)) readPlace(key, walk(views[key], event.key, event.shiftKey), 0);
    else if (event.key === 'Escape') readPlace(key, -1);
    else return;
    event.preventDefault();
  });
}

// --- requests ---

function showNotice(sentence, isError = false) {
  status.textContent = sentence ?? DEFAULT_STATUS;
  status.classList.toggle('error', isError);
  if (sentence) voice.textContent = sentence;
}

/** Show the figures, or without data a button that retries, if there is a model. */
function showFigures(areThere) {
  find('.probes').hidden = find('.foot').hidden = !areThere;
  again.hidden = areThere || !state.checkpoint;
}

function fail(sentence) {
  if (shown) Object.assign(state, shown);
  else showFigures(false);
  syncControls();
  showNotice(sentence, true);
  root.dataset.state = 'error';
}

/** Request the probes of a model and show them, unless a later request was made; the old figures stay until then.
    Returns true once they are shown, false after an error, undefined if superseded. */
async function load() {
  const mine = ++ticket;
  const requested = { ...state };
  root.dataset.state = 'working';
  syncControls();
  showNotice(null);
  const waiting = setTimeout(() => mine === ticket && showNotice('Working…'), WORKING_DELAY);
  const reply = await request('probes', requested);
  clearTimeout(waiting);
  if (mine !== ticket) return undefined;
  if (!reply || reply.error) {
    fail(reply?.error || NO_ANSWER);
    return false;
  }
  answer = reply;
  shown = requested;
  showNotice(null);
  showFigures(true);
  draw();
  root.dataset.state = 'ready';
  root.dataset.ready = `${requested.checkpoint} ${requested.images}`;
  return true;
}

/** Load the user's choice. The address is updated only after success, so that a reload does not repeat the error. */
async function choose(change) {
  Object.assign(state, change);
  if (await load()) writeAddress();
}

/** Load the model and images of the address; a model that does not fit the test images is shown over the samples, with the reason. */
async function loadAddress() {
  const requested = { ...state };
  if ((await load()) !== false || requested.images === 'samples') return;
  const reason = status.textContent;
  Object.assign(state, requested, { images: 'samples' });
  const isShown = await load();
  if (isShown) {
    writeAddress();
    showNotice(reason);
  } else if (isShown === false) {
    Object.assign(state, shown ?? requested);
  }
}

function writeAddress() {
  followed = shown.checkpoint;
  updateAddress(shown, { images: 'samples' });
}

function syncControls() {
  models.value = state.checkpoint;
  choice.elements.images.value = state.images;
}

const isKnown = (name) => catalog.checkpoints.some((checkpoint) => checkpoint.name === name);

/** Adopt the model that was chosen on another tab, taken from the address. Returns whether it changed. */
function follow() {
  const chosen = new URLSearchParams(location.search).get('checkpoint');
  const isNew = chosen !== followed && isKnown(chosen) && chosen !== state.checkpoint;
  followed = chosen;
  if (isNew) state.checkpoint = chosen;
  return isNew;
}

async function refresh() {
  await refreshModels(models);
  offerImages();
  if (follow() || root.dataset.state === 'error') loadAddress();
}

// --- events ---

function offerImages() {
  choice.hidden = !catalog.cifar.available;
  find('.absent').textContent = catalog.cifar.message;
}

async function retry() {
  await loadAddress();
  if (shown) find('.stage').focus({ preventScroll: true }); // the button disappears
}

function listen() {
  findAll('figure').forEach(listenTo);
  again.addEventListener('click', retry);
  models.addEventListener('change', () => choose({ checkpoint: models.value }));
  choice.addEventListener('submit', (event) => event.preventDefault());
  choice.addEventListener('change', (event) => choose({ images: event.target.value }));
  new ResizeObserver(() => {
    if (root.clientWidth && root.clientWidth !== drawnWidth) draw();
  }).observe(root);
  new IntersectionObserver(([entry]) => entry.isIntersecting && refresh()).observe(root);
  followTheme(draw);
}

async function start() {
  models.replaceChildren(...modelOptions());
  const linked = new URLSearchParams(location.search);
  if (isOfRun(linked.get('checkpoint')) || linked.has('images')) await refreshModels(models);
  offerImages();
  if (!catalog.checkpoints.length) return fail('No model found: put a checkpoint into the checkpoints folder and restart vitviz.');
  state.checkpoint = catalog.checkpoints[0].name;
  if (catalog.cifar.available && linked.get('images') === 'test') state.images = 'test';
  follow();
  listen();
  await loadAddress();
  if (answer && followed && !isKnown(followed)) showNotice(unavailable('model', followed, state.checkpoint));
}

start();
