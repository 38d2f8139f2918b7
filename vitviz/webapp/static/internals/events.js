/* Drawing all figures, reading them by pointer and keys, asking Python; events come last. */

const models = find('.model select');
const choice = find('.choice');
const again = find('[data-do=again]');
const QUIET = status.textContent;

const state = { checkpoint: '', images: 'samples' };
let shown = null; // {checkpoint, images} on screen, to go back to after an error
let ticket = 0; // the newest question wins, late answers to older ones are dropped
let drawnWidth = 0;
let followed = null; // the checkpoint in the address when it was last looked at
const views = {}; // what stands on each stage, by probe

// --- drawing ---

function draw() {
  drawnWidth = root.clientWidth;
  if (!answer || !drawnWidth) return; // another tab is shown: it is drawn when this one is
  root.style.setProperty('--data', cssColour(table('seq')[DATA_COLOUR]));
  for (const figure of findAll('figure')) drawFigure(figure);
  find('.over').textContent = `${answer.checkpoint} over ${answer.images}.`;
}

function drawFigure(figure) {
  const key = figure.dataset.probe;
  const stage = figure.querySelector('.stage');
  const view = FIGURES[key](stage, figure.querySelector('.line').clientWidth); // its column: the words may stand beside it
  const bar = figure.querySelector('.scale');
  if (bar) {
    bar.style.maxWidth = `${stage.clientWidth}px`;
    addBar(bar, ...(view.bar ?? BARS[key]));
  }
  views[key] = { ...view, figure, stage, marks: [0, 1].map(() => stage.appendChild(make('div', 'mark'))), read: -1, words: view.read };
  const line = figure.querySelector('.line');
  putLine(line, view.finding());
  const title = figure.querySelector('h2').textContent;
  stage.tabIndex = 0;
  stage.setAttribute('role', 'application');
  stage.setAttribute('aria-label', `${title} ${line.textContent} Arrow keys read the values.`);
  readPlace(key, -1);
}

// --- reading ---

/** Show the value at a place of a figure; -1 goes back to what the figure shows as a whole. */
function readPlace(key, index, delay = REST) {
  const view = views[key];
  const line = view.figure.querySelector('.line');
  const changed = view.read !== index;
  view.read = index;
  view.figure.dataset.read = index;
  putLine(line, index < 0 ? view.finding() : view.words(index));
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

/** Where an arrow key leads; places that hold nothing are passed over. With `far`, by a whole map. */
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

// --- asking ---

function tell(sentence, isError = false) {
  status.textContent = sentence ?? QUIET;
  status.classList.toggle('error', isError);
  if (sentence) voice.textContent = sentence;
}

/** Without an answer there is nothing to draw, only a way to ask once more, if there is a model to ask about. */
function showFigures(areThere) {
  find('.probes').hidden = find('.foot').hidden = !areThere;
  again.hidden = areThere || !state.checkpoint;
}

function fail(sentence) {
  if (shown) Object.assign(state, shown);
  else showFigures(false);
  syncControls();
  tell(sentence, true);
  root.dataset.state = 'error';
}

/** Ask for a model's probes and show them, if nothing newer was asked meanwhile; until then the old ones stay.
    Gives true once they are shown, false if they are refused. */
async function load() {
  const mine = ++ticket;
  const asked = { ...state };
  root.dataset.state = 'working';
  syncControls();
  tell(null);
  const waiting = setTimeout(() => mine === ticket && tell('Working…'), PATIENCE);
  const reply = await ask('probes', asked);
  clearTimeout(waiting);
  if (mine !== ticket) return undefined;
  if (!reply || reply.error) {
    fail(reply?.error || NO_ANSWER);
    return false;
  }
  answer = reply;
  shown = asked;
  tell(null);
  showFigures(true);
  draw();
  root.dataset.state = 'ready';
  root.dataset.ready = `${asked.checkpoint} ${asked.images}`;
  return true;
}

/** Load what a visitor chose. The address names it only once it is shown: what is refused would be refused again. */
async function choose(change) {
  Object.assign(state, change);
  if (await load()) writeAddress();
}

/** Load what the address asks for; a model that takes no test images is shown over the samples, and the page says why. */
async function loadAsked() {
  const asked = { ...state };
  if ((await load()) !== false || asked.images === 'samples') return;
  const refusal = status.textContent;
  Object.assign(state, asked, { images: 'samples' });
  const isShown = await load();
  if (isShown) {
    writeAddress();
    tell(refusal);
  } else if (isShown === false) {
    Object.assign(state, shown ?? asked);
  }
}

function writeAddress() {
  followed = shown.checkpoint;
  keepAddress(shown, { images: 'samples' });
}

function syncControls() {
  models.value = state.checkpoint;
  choice.elements.images.value = state.images;
}

const isKnown = (name) => catalog.checkpoints.some((checkpoint) => checkpoint.name === name);

/** When the page is shown, take the model that was chosen on another page since. The address tells. */
function follow() {
  const asked = new URLSearchParams(location.search).get('checkpoint');
  const isNew = asked !== followed && isKnown(asked) && asked !== state.checkpoint;
  followed = asked;
  if (isNew) state.checkpoint = asked;
  return isNew;
}

async function comeBack() {
  await learnOffers(models);
  offerImages();
  if (follow() || root.dataset.state === 'error') loadAsked();
}

// --- events ---

function offerImages() {
  choice.hidden = !catalog.cifar.available;
  find('.absent').textContent = catalog.cifar.message;
}

async function askAgain() {
  await loadAsked();
  if (shown) find('.stage').focus({ preventScroll: true }); // the button goes away
}

function listen() {
  findAll('figure').forEach(listenTo);
  again.addEventListener('click', askAgain);
  models.addEventListener('change', () => choose({ checkpoint: models.value }));
  choice.addEventListener('submit', (event) => event.preventDefault());
  choice.addEventListener('change', (event) => choose({ images: event.target.value }));
  new ResizeObserver(() => {
    if (root.clientWidth && root.clientWidth !== drawnWidth) draw();
  }).observe(root);
  new IntersectionObserver(([entry]) => entry.isIntersecting && comeBack()).observe(root);
  followTheme(draw);
}

async function start() {
  models.replaceChildren(...modelOptions());
  const linked = new URLSearchParams(location.search);
  if (isOfRun(linked.get('checkpoint')) || linked.has('images')) await learnOffers(models);
  offerImages();
  if (!catalog.checkpoints.length) return fail('There is no model to look into yet: put a checkpoint in the folder of checkpoints and start vitviz again.');
  state.checkpoint = catalog.checkpoints[0].name;
  if (catalog.cifar.available && linked.get('images') === 'test') state.images = 'test';
  follow();
  listen();
  await loadAsked();
  if (answer && followed && !isKnown(followed)) tell(absentSentence('model', followed, state.checkpoint));
}

start();
