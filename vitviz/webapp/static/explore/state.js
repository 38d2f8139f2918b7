/* State of the page, the address that stores it, and the status line. */

const METHODS_DELAY = 500; // ms an image stays on screen before its attribution maps are requested
const RETRY_DELAY = 3000; // ms before a request that a busy server refused is repeated
const OUTLINE_SIDE = 336; // px of the contour drawing: the largest size of the map

// --- state ---

/** The user's choices. Layers, heads and patches count from 0. In `hover` and `read` -1 means no patch. */
const state = {
  checkpoint: '',
  image: null,
  layer: MEAN,
  head: MEAN,
  pins: [], // pinned query patches
  multiple: false,
  direction: 'from',
  scale: 'shared',
  smooth: false,
  method: null,
  ablated: [], // heads, layer * heads + head
  removed: [], // patches
  mode: 'zero', // the output of an ablated head: zero, or its mean over the sample images
  patch_mode: 'drop', // of patches: their tokens are dropped, or they are painted gray
  target: [], // the explained class, and the contrast class if any; empty: the predicted class
  hover: -1,
  read: -1,
};

/** The latest response, and what was derived from it. */
let shape = null; // {layers, heads, rows, columns, prefix, classToken, removed}
let answer = null;
let source = null; // {firstRows: Float32Array, full: Uint16Array or null}
let rows = null;
let limits = {}; // upper ends of the shared scale, by direction and kind of query
let image = null; // the decoded image
let shown = null; // {checkpoint, image} on screen, restored after an error
let fullFailed = false;
let changed = null; // {key, probabilities} while heads are ablated or patches removed
let faithfulness = null; // {scores, random_baseline} of the maps on screen, once computed

const indicesOf = (index, count) => (index === MEAN ? [...Array(count).keys()] : [index]);

/** Whether a head is ablated; for a mean, whether all of its heads are. */
function isAblated(layer, head) {
  if (!state.ablated.length) return false;
  const heads = indicesOf(head, shape.heads);
  return indicesOf(layer, shape.layers).every((l) => heads.every((h) => state.ablated.includes(l * shape.heads + h)));
}

const isRemoved = (patch) => shape.removed.includes(patch);
const currentKey = () => changed?.key ?? answer.key;

const methodOf = (key) => catalog.methods.find((method) => method.key === key);
const checkpointOf = (name) => catalog.checkpoints.find((checkpoint) => checkpoint.name === name);

/** The patches selected now: the patch under the pointer takes precedence over the pinned ones. */
function selectedPatches() {
  if (state.hover < 0) return state.pins;
  if (!state.multiple || state.pins.includes(state.hover)) return state.multiple ? state.pins : [state.hover];
  return [...state.pins, state.hover];
}

/** The selected patches without removed ones, if any remain. Empty: the class token is the query. */
function queryPatches() {
  const selected = selectedPatches();
  const remaining = selected.filter((patch) => !isRemoved(patch));
  return remaining.length ? remaining : selected;
}

/** The method shown large; hovering the image hides it temporarily. */
const activeMethod = () => (state.hover < 0 && answer.maps[state.method] ? state.method : null);

// --- the address ---

const DEFAULTS = { direction: 'from', scale: 'shared', display: 'patches', mode: 'zero', patch_mode: 'drop' };

function parseNumber(text, count, otherwise) {
  if (text === 'mean') return MEAN;
  const number = Number(text);
  if (!text || !Number.isInteger(number)) return otherwise;
  return Math.min(count, Math.max(1, number)) - 1;
}

/** "4-7_5-1" -> patches; those outside the grid are ignored. */
function parsePatches(text) {
  const patches = (text || '').split('_').map((pair) => {
    const [row, column] = pair.split('-').map(Number);
    const inside = row >= 1 && row <= shape.rows && column >= 1 && column <= shape.columns;
    return inside && Number.isInteger(row + column) ? (row - 1) * shape.columns + column - 1 : -1;
  });
  return [...new Set(patches)].filter((patch) => patch >= 0);
}

/** "5-3_6-1", layers and heads from 1 -> ablated heads. */
function parseHeads(text) {
  const heads = (text || '').split('_').map((pair) => {
    const [layer, head] = pair.split('-').map(Number);
    const exists = layer >= 1 && layer <= shape.layers && head >= 1 && head <= shape.heads;
    return exists && Number.isInteger(layer + head) ? (layer - 1) * shape.heads + head - 1 : -1;
  });
  return [...new Set(heads)].filter((k) => k >= 0);
}

const patchParam = (patch) => `${Math.floor(patch / shape.columns) + 1}-${(patch % shape.columns) + 1}`;

/** An image by its name in the address, or null if it is unavailable. */
function parseImage(text) {
  const index = /^cifar:(\d{1,4})$/.exec(text);
  if (index) return catalog.cifar.available ? { kind: 'cifar', index: Number(index[1]) } : null;
  return catalog.samples.some(({ name }) => name === text) ? { kind: 'sample', name: text } : null;
}

/** The initial image if the address has none. */
const firstImage = () => parseImage('cat') ?? parseImage(catalog.samples[0]?.name);

const UPLOADED = 'upload'; // in the address; a link cannot restore an uploaded image

function imageParam() {
  if (state.image.kind === 'sample') return state.image.name;
  return state.image.kind === 'cifar' ? `cifar:${state.image.index}` : UPLOADED;
}

const oneOf = (value, allowed) => (allowed.includes(value) ? value : allowed[0]);

/** Read the address into the state. Returns the parts that need the sizes of the response. */
function readAddress() {
  const params = new URLSearchParams(location.search);
  const checkpoint = checkpointOf(params.get('checkpoint')) || catalog.checkpoints[0];
  state.checkpoint = checkpoint.name;
  state.image = parseImage(params.get('image')) ?? firstImage();
  state.layer = parseNumber(params.get('layer'), checkpoint.layers, checkpoint.layers - 1);
  state.head = parseNumber(params.get('head'), checkpoint.heads, MEAN);
  state.direction = oneOf(params.get('direction'), ['from', 'to']);
  state.scale = oneOf(params.get('scale'), ['shared', 'uniform', 'map']);
  state.smooth = params.get('display') === 'smooth';
  state.mode = oneOf(params.get('mode'), ['zero', 'mean']);
  state.patch_mode = oneOf(params.get('patch_mode'), ['drop', 'gray']);
  state.method = methodOf(params.get('method'))?.key ?? null;
  const [model, wanted] = [params.get('checkpoint'), params.get('image')];
  const isAvailable = !wanted || parseImage(wanted);
  const classes = isAvailable && (!model || checkpointOf(model)) ? (params.get('class') || '').split('-').filter(Boolean).map(Number).filter(Number.isInteger) : [];
  state.target = [...new Set(classes)].slice(0, 2);
  const [patch, removed] = isAvailable ? [params.get('patch'), params.get('removed')] : [null, null]; // of another image
  return { patch, ablated: params.get('ablated'), removed };
}

/** State which parts of the address are unavailable and what is shown instead; empty if all are available. */
function unavailableSentences() {
  const params = new URLSearchParams(location.search);
  const [model, wanted] = [params.get('checkpoint'), params.get('image')];
  return [
    ...(model && !checkpointOf(model) ? [unavailable('model', model, state.checkpoint)] : []),
    ...(wanted === UPLOADED ? [`A link does not contain an uploaded image: showing ${imageParam()}. Upload the file again.`] : []),
    ...(wanted && wanted !== UPLOADED && !parseImage(wanted) ? [unavailable('image', wanted, imageParam())] : []),
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
    display: state.smooth ? 'smooth' : 'patches',
    method: state.method,
    class: state.target.join('-'),
    ablated: state.ablated.map((k) => `${Math.floor(k / shape.heads) + 1}-${(k % shape.heads) + 1}`).join('_'),
    removed: state.removed.map(patchParam).join('_'),
    mode: state.ablated.length ? state.mode : '',
    patch_mode: state.removed.length ? state.patch_mode : '',
  };
  updateAddress(values, DEFAULTS);
}

/** Browsers limit the rate of address changes, so changes by held keys are debounced. */
function writeAddressSoon() {
  clearTimeout(writeAddress.timer);
  writeAddress.timer = setTimeout(writeAddress, 150);
}

// --- status line and live region ---

const WORKING = 'Working…';
const headline = find('.headline');
let notice = null; // a sentence shown in the status line until the next action
let waiting = 0;

/** Announce the view to screen readers, preceded by the action just taken. */
function speakSoon(delay, action = '') {
  clearTimeout(speakSoon.timer);
  speakSoon.timer = setTimeout(() => setText(voice, `${action}${headline.textContent}. ${status.textContent}`), delay);
}

function showNotice(sentence, isError = false) {
  notice = sentence;
  status.classList.toggle('error', isError);
  if (sentence == null) return;
  putLine(status, [sentence]);
  setText(voice, sentence);
}

function showWaiting() {
  if (waiting) return;
  waiting = setTimeout(() => showNotice(WORKING), WORKING_DELAY);
}

/** Clear earlier notices and show "Working…" if the response takes long. */
function startWaiting() {
  root.dataset.state = 'working';
  stopWaiting();
  showNotice(null);
  showWaiting();
}

function stopWaiting() {
  clearTimeout(waiting);
  waiting = 0;
  if (notice === WORKING) showNotice(null);
}

/** Clear a notice, except "Working…". */
function clearNotice() {
  if (notice !== WORKING) showNotice(null);
}
