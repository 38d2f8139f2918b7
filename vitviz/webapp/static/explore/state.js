/* The state, the address that holds it, and the status line. */

const LINGER = 500; // ms an image stays before its methods are asked for
const BUSY_PAUSE = 3000; // ms until what a busy server put off is asked for again
const OUTLINE_SIDE = 336; // px of the contour drawing, the largest size of the map

// --- state ---

/** What the visitor chose. Layers, heads and patches count from 0; `hover` and `read` are -1 for none. */
const state = {
  checkpoint: '',
  image: null,
  layer: MEAN,
  head: MEAN,
  pins: [],
  several: false,
  direction: 'from',
  scale: 'shared',
  smooth: false,
  method: null,
  off: [], // heads, layer * heads + head
  gone: [], // patches that are left out
  instead: 'nothing', // what a head that is off passes on: nothing, or its mean over the samples
  way: 'drop', // of taking patches away: their tokens are dropped, or they are painted grey
  target: [], // the class that is explained, and the one it is compared with; empty: the predicted one
  hover: -1,
  read: -1,
};

/** What Python answered last, and what was made of it once. */
let shape = null; // {layers, heads, rows, columns, prefix, classToken, gone}
let answer = null;
let source = null; // {firstRows: Float32Array, full: Uint16Array or null}
let rows = null;
let limits = {}; // ends of the shared scale, by direction and kind of question
let image = null; // the decoded image
let shown = null; // {checkpoint, image} on screen, to go back to after an error
let fullFailed = false;
let changed = null; // {key, probabilities} while heads are off or patches left out
let judged = null; // {scores, chance} of the maps on screen, once they are known

const placesOf = (index, count) => (index === MEAN ? [...Array(count).keys()] : [index]);

/** Whether a head is off; of a mean, whether all its heads are. */
function isOff(layer, head) {
  if (!state.off.length) return false;
  const heads = placesOf(head, shape.heads);
  return placesOf(layer, shape.layers).every((l) => heads.every((h) => state.off.includes(l * shape.heads + h)));
}

const isGone = (patch) => shape.gone.includes(patch);
const keyNow = () => changed?.key ?? answer.key;

const methodOf = (key) => catalog.methods.find((method) => method.key === key);
const checkpointOf = (name) => catalog.checkpoints.find((checkpoint) => checkpoint.name === name);

/** The patches chosen right now: the one under the pointer beats the kept ones. */
function chosenPatches() {
  if (state.hover < 0) return state.pins;
  if (!state.several || state.pins.includes(state.hover)) return state.several ? state.pins : [state.hover];
  return [...state.pins, state.hover];
}

/** Those of them that can answer, if any can. Empty: the class token. */
function askedPatches() {
  const chosen = chosenPatches();
  const there = chosen.filter((patch) => !isGone(patch));
  return there.length ? there : chosen;
}

/** The method shown large; hovering the image lifts it for as long as it lasts. */
const activeMethod = () => (state.hover < 0 && answer.maps[state.method] ? state.method : null);

// --- the address holds the state ---

const DEFAULTS = { direction: 'from', scale: 'shared', draw: 'patches', instead: 'nothing', way: 'drop' };

function parseNumber(text, count, otherwise) {
  if (text === 'mean') return MEAN;
  const number = Number(text);
  if (!text || !Number.isInteger(number)) return otherwise;
  return Math.min(count, Math.max(1, number)) - 1;
}

/** "4-7_5-1" -> patches; those outside the grid are left out. */
function parsePatches(text) {
  const patches = (text || '').split('_').map((pair) => {
    const [row, column] = pair.split('-').map(Number);
    const inside = row >= 1 && row <= shape.rows && column >= 1 && column <= shape.columns;
    return inside && Number.isInteger(row + column) ? (row - 1) * shape.columns + column - 1 : -1;
  });
  return [...new Set(patches)].filter((patch) => patch >= 0);
}

/** "5-3_6-1", layers and heads from 1 -> heads that are off. */
function parseHeads(text) {
  const heads = (text || '').split('_').map((pair) => {
    const [layer, head] = pair.split('-').map(Number);
    const there = layer >= 1 && layer <= shape.layers && head >= 1 && head <= shape.heads;
    return there && Number.isInteger(layer + head) ? (layer - 1) * shape.heads + head - 1 : -1;
  });
  return [...new Set(heads)].filter((k) => k >= 0);
}

const patchParam = (patch) => `${Math.floor(patch / shape.columns) + 1}-${(patch % shape.columns) + 1}`;

/** An image by its name in the address, or null if it is not here. */
function imageNamed(text) {
  const index = /^cifar:(\d{1,4})$/.exec(text);
  if (index) return catalog.cifar.available ? { kind: 'cifar', index: Number(index[1]) } : null;
  return catalog.samples.some(({ name }) => name === text) ? { kind: 'sample', name: text } : null;
}

/** The image to begin with where the address has none. */
const firstImage = () => imageNamed('cat') ?? imageNamed(catalog.samples[0]?.name);

const OWN = 'own'; // in the address; no link can bring it back

function imageParam() {
  if (state.image.kind === 'sample') return state.image.name;
  return state.image.kind === 'cifar' ? `cifar:${state.image.index}` : OWN;
}

const among = (value, allowed) => (allowed.includes(value) ? value : allowed[0]);

function readAddress() {
  const params = new URLSearchParams(location.search);
  const asked = checkpointOf(params.get('checkpoint')) || catalog.checkpoints[0];
  state.checkpoint = asked.name;
  state.image = imageNamed(params.get('image')) ?? firstImage();
  state.layer = parseNumber(params.get('layer'), asked.layers, asked.layers - 1);
  state.head = parseNumber(params.get('head'), asked.heads, MEAN);
  state.direction = among(params.get('direction'), ['from', 'to']);
  state.scale = among(params.get('scale'), ['shared', 'even', 'own']);
  state.smooth = params.get('draw') === 'smooth';
  state.instead = among(params.get('instead'), ['nothing', 'mean']);
  state.way = among(params.get('way'), ['drop', 'grey']);
  state.method = methodOf(params.get('method'))?.key ?? null;
  const [model, wanted] = [params.get('checkpoint'), params.get('image')];
  const isThere = !wanted || imageNamed(wanted);
  const classes = isThere && (!model || checkpointOf(model)) ? (params.get('class') || '').split('-').filter(Boolean).map(Number).filter(Number.isInteger) : [];
  state.target = [...new Set(classes)].slice(0, 2);
  const [patch, gone] = isThere ? [params.get('patch'), params.get('gone')] : [null, null]; // of another image
  return { patch, off: params.get('off'), gone }; // these wait for the answer's sizes
}

/** What the address names and is not here, and what is shown instead; empty if all is. */
function absentSentences() {
  const params = new URLSearchParams(location.search);
  const [model, wanted] = [params.get('checkpoint'), params.get('image')];
  return [
    ...(model && !checkpointOf(model) ? [absentSentence('model', model, state.checkpoint)] : []),
    ...(wanted === OWN ? [`A link does not keep your own image: this is ${imageParam()}. Choose the file again.`] : []),
    ...(wanted && wanted !== OWN && !imageNamed(wanted) ? [absentSentence('image', wanted, imageParam())] : []),
  ].join(' ');
}

function writeAddress() {
  clearTimeout(writeAddress.timer);
  if (!answer) return;
  const values = {
    checkpoint: state.checkpoint,
    image: imageParam(),
    layer: numberName(state.layer),
    head: numberName(state.head),
    patch: state.pins.map(patchParam).join('_'),
    direction: state.direction,
    scale: state.scale,
    draw: state.smooth ? 'smooth' : 'patches',
    method: state.method,
    class: state.target.join('-'),
    off: state.off.map((k) => `${Math.floor(k / shape.heads) + 1}-${(k % shape.heads) + 1}`).join('_'),
    gone: state.gone.map(patchParam).join('_'),
    instead: state.off.length ? state.instead : '',
    way: state.gone.length ? state.way : '',
  };
  keepAddress(values, DEFAULTS);
}

/** Browsers refuse many changes of the address in a row, so held keys wait. */
function writeAddressSoon() {
  clearTimeout(writeAddress.timer);
  writeAddress.timer = setTimeout(writeAddress, 150);
}

// --- status line and voice ---

const WORKING = 'Working…';
const headline = find('.headline');
let notice = null; // a sentence that stands in the status line until the next action
let waiting = 0;

/** Tell who does not see it what is on screen, and first what was done. */
function speakSoon(delay, done = '') {
  clearTimeout(speakSoon.timer);
  speakSoon.timer = setTimeout(() => setText(voice, `${done}${headline.textContent}. ${status.textContent}`), delay);
}

function tell(sentence, isError = false) {
  notice = sentence;
  status.classList.toggle('error', isError);
  if (sentence == null) return;
  putLine(status, [sentence]);
  setText(voice, sentence);
}

function waitVisibly() {
  if (waiting) return;
  waiting = setTimeout(() => tell(WORKING), PATIENCE);
}

/** Say that another question is on its way, in place of what was said before. */
function beginWork() {
  root.dataset.state = 'working';
  waitNoMore();
  tell(null);
  waitVisibly();
}

function waitNoMore() {
  clearTimeout(waiting);
  waiting = 0;
  if (notice === WORKING) tell(null);
}

/** Clear a notice that is read; that something is on its way stays. */
function clearNotice() {
  if (notice !== WORKING) tell(null);
}
