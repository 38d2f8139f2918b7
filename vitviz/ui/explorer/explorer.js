/* The explorer itself: state, drawing, asking Python, events.
   Gradio calls this once per mount with (element, trigger, props, server, upload, watch). */

const root = element.querySelector('.vitviz-explorer');
const find = (selector) => root.querySelector(selector);
const findAll = (selector) => [...root.querySelectorAll(selector)];

const PATIENCE = 300; // ms until "Working…" appears
const REST = 600; // ms the pointer rests before a screen reader speaks
const OUTLINE_SIDE = 336; // px of the contour drawing, the largest size of the map
const SHARES = ['attention', 'average']; // methods whose values are shares of attention
const ARROWS = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'];
const NO_ANSWER = 'The server did not answer. Check that vitviz is still running, then try again.';

function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text != null) node.textContent = text;
  return node;
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// --- state ---

let catalog = props.catalog;

/** What the visitor chose. Layers, heads and patches count from 0; `hover` and `read` are -1 for none. */
const state = {
  checkpoint: '',
  picture: null,
  layer: MEAN,
  head: MEAN,
  pins: [],
  several: false,
  direction: 'from',
  scale: 'shared',
  smooth: false,
  method: null,
  hover: -1,
  read: -1,
};

/** What Python answered last, and what was made of it once. */
let shape = null; // {layers, heads, rows, columns, prefix}
let answer = null;
let source = null; // {classRows: Float32Array, full: Uint16Array or null}
let rows = null;
let limits = {}; // ends of the shared scale, by direction and kind of question
let picture = null; // the decoded image
let shown = null; // {checkpoint, picture} on screen, to go back to after an error
let fullFailed = false;

const methodOf = (key) => catalog.methods.find((method) => method.key === key);
const checkpointOf = (name) => catalog.checkpoints.find((checkpoint) => checkpoint.name === name);
const pageIsDark = () => element.closest('.dark') !== null;
let dark = pageIsDark(); // kept by the theme watcher, so that drawing need not look it up

/** The patches asked right now: the one under the pointer beats the kept ones. Empty: the class token. */
function askedPatches() {
  if (state.hover < 0) return state.pins;
  if (!state.several || state.pins.includes(state.hover)) return state.several ? state.pins : [state.hover];
  return [...state.pins, state.hover];
}

/** The method shown large; hovering the picture lifts it for as long as it lasts. */
const activeMethod = () => (state.hover < 0 ? state.method : null);

// --- the address holds the state ---

const DEFAULTS = { direction: 'from', scale: 'shared', draw: 'patches' };
const numberName = (index) => (index === MEAN ? 'mean' : String(index + 1));

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

const patchParam = (patch) => `${Math.floor(patch / shape.columns) + 1}-${(patch % shape.columns) + 1}`;

function parsePicture(text) {
  const index = /^cifar:(\d{1,6})$/.exec(text || '');
  if (index && catalog.cifar.available) return { kind: 'cifar', index: Number(index[1]) };
  const names = catalog.samples.map((sample) => sample.name);
  const name = names.includes(text) ? text : names.includes('cat') ? 'cat' : names[0];
  return name == null ? null : { kind: 'sample', name };
}

function pictureParam() {
  if (state.picture.kind === 'sample') return state.picture.name;
  return state.picture.kind === 'cifar' ? `cifar:${state.picture.index}` : null;
}

const among = (value, allowed) => (allowed.includes(value) ? value : allowed[0]);

function readAddress() {
  const params = new URLSearchParams(location.search);
  const asked = checkpointOf(params.get('checkpoint')) || catalog.checkpoints[0];
  state.checkpoint = asked.name;
  state.picture = parsePicture(params.get('picture'));
  state.layer = parseNumber(params.get('layer'), asked.layers, asked.layers - 1);
  state.head = parseNumber(params.get('head'), asked.heads, MEAN);
  state.direction = among(params.get('direction'), ['from', 'to']);
  state.scale = among(params.get('scale'), ['shared', 'even', 'own']);
  state.smooth = params.get('draw') === 'smooth';
  state.method = methodOf(params.get('method'))?.key ?? null;
  return params.get('patch'); // patches wait for the grid of the answer
}

function writeAddress() {
  clearTimeout(writeAddress.timer);
  if (!answer) return;
  const params = new URLSearchParams(location.search);
  const values = {
    checkpoint: state.checkpoint,
    picture: pictureParam(),
    layer: numberName(state.layer),
    head: numberName(state.head),
    patch: state.pins.map(patchParam).join('_'),
    direction: state.direction,
    scale: state.scale,
    draw: state.smooth ? 'smooth' : 'patches',
    method: state.method,
  };
  for (const [name, value] of Object.entries(values)) {
    if (value && value !== DEFAULTS[name]) params.set(name, value);
    else params.delete(name);
  }
  history.replaceState(history.state, '', `${location.pathname}?${params}${location.hash}`);
}

/** Browsers refuse many changes of the address in a row, so held keys wait. */
function writeAddressSoon() {
  clearTimeout(writeAddress.timer);
  writeAddress.timer = setTimeout(writeAddress, 150);
}

// --- status line and voice ---

const headline = find('.headline');
const status = find('.status');
const voice = find('.voice');
let notice = null; // a sentence that stands in the status line until the next action
let waiting = 0;

function putLine(parts) {
  status.replaceChildren(...parts.map((part) => (part.strong == null ? part : make('b', '', part.strong))));
}

function speakSoon(delay) {
  clearTimeout(speakSoon.timer);
  speakSoon.timer = setTimeout(() => setText(voice, `${headline.textContent}. ${status.textContent}`), delay);
}

function tell(sentence, isError = false) {
  notice = sentence;
  status.classList.toggle('error', isError);
  if (sentence == null) return;
  putLine([sentence]);
  setText(voice, sentence);
}

function waitVisibly() {
  if (waiting) return;
  waiting = setTimeout(() => tell('Working…'), PATIENCE);
}

function waitNoMore() {
  clearTimeout(waiting);
  waiting = 0;
  if (notice === 'Working…') tell(null);
}

// --- building, when a picture or another model comes ---

const pictureStage = find('.stage.picture');
const mapStage = find('.stage.map');
const matrix = find('.matrix');
let tiles = []; // {layer, head, button, values: tile}
let labels = []; // {layer or head, node}

const mapTile = () => makeTile(find('.values'), shape.columns, shape.rows);
const barTile = makeTile(find('.bar canvas'), 256, 1);
const classTile = makeTile(find('.class-cell'), 1, 1);
let largeTile = null;
let methodTiles = []; // {key, button, tile, range}

function build() {
  root.style.setProperty('--rows', shape.rows);
  root.style.setProperty('--columns', shape.columns);
  root.style.setProperty('--heads', shape.heads);
  root.classList.toggle('many-heads', shape.heads > 8);
  largeTile = mapTile();
  rows = makeRows(shape);
  for (const entry of methodTiles) entry.values = makeTile(entry.canvas, shape.columns, shape.rows);
  buildMatrix();
  buildLayerSelect();
}

function buildMatrix() {
  const across = [...Array(shape.heads).keys(), MEAN];
  const down = [...Array(shape.layers).keys(), MEAN];
  tiles = [];
  labels = [];
  matrix.replaceChildren(headRow(across), ...down.map((layer) => layerRow(layer, across)));
}

function headRow(across) {
  const row = matrixRow('head-row');
  row.append(make('span', 'label corner', shape.heads > 8 ? 'head' : ''));
  for (const head of across) row.append(label('columnheader', 'head', head));
  return row;
}

function layerRow(layer, across) {
  const row = matrixRow(layer === MEAN ? 'mean-row' : '');
  row.dataset.layer = layer;
  row.append(label('rowheader', 'layer', layer), ...across.map((head) => cell(layer, head)));
  return row;
}

function matrixRow(className) {
  const row = make('div', `matrix-row ${className}`);
  row.setAttribute('role', 'row');
  return row;
}

function label(role, kind, index) {
  const named = index === 0 && (kind === 'layer' || shape.heads <= 8); // many heads: the corner says "head"
  const text = index === MEAN ? 'mean' : named ? `${kind} 1` : index + 1;
  const node = make('span', `label${index === MEAN ? ' mean' : ''}`, text);
  node.setAttribute('role', role);
  labels.push({ kind, index, node });
  return node;
}

function cell(layer, head) {
  const button = make('button', `cell${head === MEAN ? ' mean' : ''}`);
  const canvas = make('canvas');
  button.type = 'button';
  button.dataset.head = numberName(head);
  button.setAttribute('role', 'gridcell');
  button.setAttribute('aria-label', mapName(layer, head));
  button.append(canvas);
  button.addEventListener('click', () => chooseHead(layer, head));
  tiles.push({ layer, head, button, values: makeTile(canvas, shape.columns, shape.rows) });
  return button;
}

const layerSelect = find('.layer-select select');

function buildLayerSelect() {
  const options = [...Array(shape.layers).keys(), MEAN].map((layer) => new Option(layer === MEAN ? 'mean' : layer + 1, layer));
  layerSelect.replaceChildren(...options);
}

function buildMethods() {
  methodTiles = catalog.methods.map((method) => {
    const button = make('button', 'method');
    const canvas = make('canvas');
    const range = make('span', 'method-range');
    button.type = 'button';
    button.setAttribute('aria-label', `${method.name}: ${method.about}`);
    button.append(canvas, make('span', 'method-name', method.name), range, make('span', 'method-about', method.about));
    button.addEventListener('click', () => act(() => { state.method = state.method === method.key ? null : method.key; }));
    return { key: method.key, button, canvas, range, values: null };
  });
  find('.method-tiles').replaceChildren(...methodTiles.map((entry) => entry.button));
}

function buildModels() {
  const options = catalog.checkpoints.map(({ name, layers, heads }) => {
    const size = `${layers} ${layers === 1 ? 'layer' : 'layers'}, ${heads} ${heads === 1 ? 'head' : 'heads'}`;
    return new Option(`${name} · ${size}`, name);
  });
  find('.model select').replaceChildren(...options);
}

/** Five rows, filled by each new picture. */
const predictions = Array.from({ length: 5 }, () => {
  const item = make('li', 'prediction');
  const parts = { item, name: make('span', 'class-name'), tag: make('span', 'tag', 'true'), value: make('span', 'value'), fill: make('span', 'fill') };
  const track = make('span', 'track');
  track.append(parts.fill);
  parts.tag.hidden = true;
  item.append(parts.name, parts.tag, parts.value, track);
  return parts;
});
find('.predictions').append(...predictions.map((entry) => entry.item));

// --- marks on picture and map ---

function addMark(stage, className) {
  const mark = make('div', `mark ${className}`);
  mark.hidden = true;
  stage.append(mark);
  return mark;
}

function makeMarks(stage) {
  return { stage, asked: [], read: addMark(stage, 'read') };
}

const pictureMarks = makeMarks(pictureStage);
const mapMarks = makeMarks(mapStage);

function placeMark(mark, patch) {
  mark.hidden = patch < 0;
  if (patch < 0) return;
  mark.style.left = `${(100 * (patch % shape.columns)) / shape.columns}%`;
  mark.style.top = `${(100 * Math.floor(patch / shape.columns)) / shape.rows}%`;
}

function placeMarks(marks, asked, read) {
  while (marks.asked.length < asked.length) marks.asked.push(addMark(marks.stage, 'asked'));
  marks.asked.forEach((mark, i) => placeMark(mark, i < asked.length ? asked[i] : -1));
  placeMark(marks.read, read);
}

// --- scales and colours ---

const tables = {};
const sharedScale = { kind: 'linear', limit: 1, clips: true, isShare: true };
const ownScale = { kind: 'linear', limit: 1, clips: false, isShare: true };
const methodScale = { kind: 'linear', limit: 1, clips: false, isShare: true };
const evenScale = { kind: 'even', even: 1, isShare: true };

function tableFor(scale) {
  const page = dark ? 'dark' : 'light';
  const kind = scale.kind === 'even' ? 'div' : 'seq';
  return (tables[page + kind] ??= pixelsOf(catalog.colours[page][kind]));
}

function limitFor(asked) {
  const kind = asked.length ? 'patch' : 'class';
  return (limits[state.direction + kind] ??= sharedLimit(shape, source, state.direction, kind));
}

function fitOwnScale(row) {
  let limit = 1e-9;
  for (let j = shape.prefix; j < row.length; j++) if (row[j] > limit) limit = row[j];
  ownScale.limit = limit;
  return ownScale;
}

/** The scale of one row; valid until the next call. */
function scaleFor(row) {
  if (state.scale === 'own') return fitOwnScale(row);
  return state.scale === 'even' ? evenScale : sharedScale;
}

// --- drawing ---

let painted = {}; // what stands on the canvases now, so that only changes are painted
let measured = 0;

/** Read everything again at the next frame. */
function forgetPainted() {
  painted = {};
}

function draw() {
  if (!answer) return;
  const start = performance.now();
  const asked = askedPatches();
  const method = activeMethod();
  drawMarks(method ? [] : asked);
  if (canAnswer(asked)) {
    if (root.dataset.state !== 'working') waitNoMore();
    answerQuestion(asked);
    drawLarge(asked, method);
    drawMatrix(asked, method);
    drawWords(asked, method);
  } else if (fullFailed) {
    fallBack();
  } else {
    waitVisibly();
  }
  measure(start);
}

/** Without the attention between patches only the class token can be asked. */
function fallBack() {
  Object.assign(state, { pins: [], several: false, hover: -1, direction: 'from' });
  waitNoMore();
  syncControls();
  draw();
  tell('The attention between patches did not arrive. Choose the picture again to retry.', true);
}

function measure(start) {
  if (++measured % 1000 === 0) performance.clearMeasures('vitviz:redraw');
  performance.measure('vitviz:redraw', { start, end: performance.now() });
}

const tokensOf = (asked) => (asked.length ? asked.map((patch) => shape.prefix + patch) : [0]);
const canAnswer = (asked) => source.full !== null || classRowsSuffice(tokensOf(asked), state.direction);

function answerQuestion(asked) {
  const question = `${state.direction} ${asked}`;
  if (painted.question === question) return;
  fillRows(rows, shape, source, tokensOf(asked), state.direction);
  sharedScale.limit = limitFor(asked);
  evenScale.even = evenShare(shape);
  painted.question = question;
}

function drawMarks(asked) {
  placeMarks(pictureMarks, asked, state.read);
  placeMarks(mapMarks, asked, state.read);
  find('.class-token').setAttribute('aria-pressed', !asked.length && !state.method);
}

/** Values, offset of the first patch, and scale of the large map. */
function largeMap(method) {
  if (!method) {
    const row = rowOf(rows, shape, state.layer, state.head);
    return { values: row, first: shape.prefix, scale: scaleFor(row) };
  }
  const values = answer.maps[method];
  methodScale.isShare = SHARES.includes(method);
  methodScale.limit = methodScale.isShare ? values[largest(values)] : 1;
  return { values: methodScale.isShare ? values : relative(method), first: 0, scale: methodScale };
}

/** A method's map divided by its largest patch. */
function relative(method) {
  const values = answer.maps[method];
  const most = values[largest(values)] || 1;
  return values.map((value) => value / most);
}

function drawLarge(asked, method) {
  const key = `${painted.question} ${method} ${state.layer} ${state.head} ${state.scale} ${dark}`;
  if (painted.large !== key) {
    painted.map = largeMap(method);
    const { values, first, scale } = painted.map;
    painted.scale = { ...scale };
    paintTile(largeTile, values, first, tableFor(scale), scale);
    setText(find('.map-title'), method ? methodOf(method).name : mapName(state.layer, state.head));
    drawBar();
    drawClassCell(method);
    painted.large = key;
  }
  drawReading();
}

const tickNodes = Array.from({ length: 7 }, () => find('.bar').appendChild(make('span', 'tick')));

function drawBar() {
  const { scale } = painted;
  const page = `${scale.kind} ${dark}`;
  if (painted.bar !== page) paintBar(barTile, tableFor(scale));
  painted.bar = page;
  const key = `${scale.kind} ${scale.limit} ${scale.clips} ${scale.isShare}`;
  if (painted.ticks === key) return;
  painted.ticks = key;
  const ticks = ticksOf(scale);
  tickNodes.forEach((node, i) => {
    node.hidden = i >= ticks.length;
    if (node.hidden) return;
    node.style.left = `${100 * ticks[i][0]}%`;
    node.classList.toggle('first', i === 0);
    node.classList.toggle('last', i === ticks.length - 1);
    setText(node, ticks[i][1]);
  });
  setText(find('.unit'), unitOf(scale));
  drawEvenMark(scale);
}

function drawEvenMark(scale) {
  const at = scale.kind === 'linear' && scale.isShare ? evenShare(shape) / scale.limit : 1;
  find('.even').hidden = at >= 1;
  find('.even').style.left = `${100 * at}%`;
  setText(find('.even-text'), at < 1 ? `dashed: even spread, ${percent(evenShare(shape))}` : '');
}

function drawClassCell(method) {
  const { values, scale } = painted.map;
  classTile.canvas.hidden = Boolean(method);
  setText(find('.class-share'), method ? '' : outsideLine(values, shape, state.direction));
  if (!method) paintTile(classTile, values, 0, tableFor(scale), scale);
}

const tip = find('.tip');
const caret = find('.caret');

/** The number under the pointer: at the patch and on the bar. */
function drawReading() {
  tip.hidden = caret.hidden = state.read < 0;
  if (state.read < 0) return;
  const { values, first } = painted.map;
  const method = activeMethod();
  const value = values[first + state.read];
  const [number, remark] = method ? methodNumber(answer.maps[method], state.read, shape, painted.scale.isShare) : headNumber(value, shape);
  setText(tip.children[0], number);
  setText(tip.children[1], remark);
  const row = Math.floor(state.read / shape.columns);
  const middle = (100 * ((state.read % shape.columns) + 0.5)) / shape.columns;
  tip.style.left = `${Math.min(80, Math.max(20, middle))}%`;
  tip.style.top = `${(100 * (row || 1)) / shape.rows}%`;
  tip.classList.toggle('below', row === 0);
  caret.style.left = `${100 * Math.min(1, Math.max(0, place(painted.scale, value)))}%`;
}

function drawMatrix(asked, method) {
  const values = `${painted.question} ${state.scale} ${dark}`;
  if (painted.matrix !== values) {
    const table = tableFor(state.scale === 'even' ? evenScale : sharedScale);
    for (const tile of tiles) {
      const row = rowOf(rows, shape, tile.layer, tile.head);
      paintTile(tile.values, row, shape.prefix, table, scaleFor(row));
    }
    frameAsked(asked);
    setText(find('.matrix-note'), state.scale === 'own' ? 'each on its own scale' : 'all on one scale');
    painted.matrix = values;
  }
  drawChoice(method);
}

/** One asked patch is framed in every tile. */
function frameAsked(asked) {
  matrix.classList.toggle('asked', asked.length === 1);
  if (asked.length !== 1) return;
  matrix.style.setProperty('--asked-left', `${(100 * (asked[0] % shape.columns)) / shape.columns}%`);
  matrix.style.setProperty('--asked-top', `${(100 * Math.floor(asked[0] / shape.columns)) / shape.rows}%`);
}

/** Bring a cell into a frame that scrolls sideways; the page itself stays where it is. */
function scrollInto(frame, cell) {
  const margin = 12;
  const [left, right] = [cell.offsetLeft - margin, cell.offsetLeft + cell.offsetWidth + margin];
  if (left < frame.scrollLeft) frame.scrollLeft = left;
  else if (right > frame.scrollLeft + frame.clientWidth) frame.scrollLeft = right - frame.clientWidth;
}

function drawChoice(method) {
  const key = `${state.layer} ${state.head} ${method} ${state.smooth}`;
  if (painted.choice === key) return;
  painted.choice = key;
  for (const { layer, head, button } of tiles) {
    const chosen = layer === state.layer && head === state.head;
    button.setAttribute('aria-selected', chosen && !method);
    button.tabIndex = chosen ? 0 : -1;
    if (chosen) scrollInto(find('.matrix-frame'), button);
  }
  for (const { kind, index, node } of labels) node.classList.toggle('on', !method && state[kind] === index);
  for (const row of matrix.children) row.classList.toggle('current', Number(row.dataset.layer) === state.layer);
  for (const { key: name, button } of methodTiles) button.setAttribute('aria-pressed', name === method);
  layerSelect.value = state.layer;
  root.classList.toggle('smooth', state.smooth);
  root.classList.toggle('shows-method', Boolean(method));
  find('[data-do=leave]').hidden = !method;
}

function drawWords(asked, method) {
  const { values } = painted.map;
  const isShare = painted.scale.isShare;
  const seen = { row: values, asked, direction: state.direction, layer: state.layer, head: state.head, read: state.read };
  setText(headline, method ? methodHeadline(methodOf(method), values, shape) : headHeadline(seen, shape));
  if (notice === null) putLine(method ? methodLine(values, state.read, shape, isShare) : headLine(seen, shape));
}

function drawMethods() {
  for (const { key, range, values } of methodTiles) {
    const map = answer.maps[key];
    const scale = { kind: 'linear', limit: map[largest(map)] || 1 };
    paintTile(values, map, 0, tableFor(scale), scale);
    setText(range, SHARES.includes(key) ? `0 to ${percent(scale.limit)}` : '0 to 1, relative');
  }
}

function drawPredictions() {
  const { probabilities, classes, picture: about } = answer;
  const order = probabilities.map((_, k) => k).sort((a, b) => probabilities[b] - probabilities[a]);
  predictions.forEach(({ item, name, tag, value, fill }, i) => {
    const k = order[i];
    item.hidden = k === undefined;
    if (item.hidden) return;
    setText(name, classes[k]);
    setText(value, percent(probabilities[k], 1));
    tag.hidden = k !== about.truth;
    fill.style.width = `${100 * probabilities[k]}%`;
  });
  setText(find('.accuracy'), accuracyLine(checkpointOf(answer.checkpoint)?.accuracy));
}

function drawPicture() {
  const canvas = find('.pixels');
  const { caption, note, truth, original } = answer.picture;
  canvas.width = picture.naturalWidth;
  canvas.height = picture.naturalHeight;
  canvas.getContext('2d').drawImage(picture, 0, 0);
  setText(find('.truth'), truth == null ? '' : `true label: ${answer.classes[truth]}`);
  setText(find('.seen'), keepSizes([caption, note].filter(Boolean).join(' · ')));
  const whole = find('.original');
  whole.hidden = !String(original || '').startsWith('data:image/');
  if (whole.hidden) whole.removeAttribute('src');
  else whole.src = original;
  whole.alt = 'The whole picture with the part the model sees';
}

function drawOutlines() {
  const shrink = OUTLINE_SIDE / Math.max(shape.rows, shape.columns);
  paintOutlines(find('.outlines'), picture, Math.round(shrink * shape.columns), Math.round(shrink * shape.rows), dark ? 235 : 20);
}

let frame = 0;

function drawSoon() {
  frame ||= requestAnimationFrame(() => {
    frame = 0;
    draw();
  });
}

// --- asking Python ---

let ticket = 0; // the newest question wins, late answers to older ones are dropped

async function ask(name, argument) {
  try {
    return (await server[name](argument)) ?? null;
  } catch {
    return { error: NO_ANSWER };
  }
}

function fail(sentence) {
  root.dataset.state = 'error';
  waitNoMore();
  if (shown) Object.assign(state, shown);
  syncControls();
  tell(sentence, true);
}

/** Ask for a picture seen by a model, and show it if nothing newer was asked meanwhile. */
async function load(checkpoint, wanted, patches = null) {
  const mine = ++ticket;
  Object.assign(state, { checkpoint, picture: wanted });
  root.dataset.state = 'working';
  tell(null);
  waitVisibly();
  syncControls();
  const reply = await ask('explain', { checkpoint, picture: wanted });
  if (mine !== ticket) return;
  if (!reply || reply.error) return fail(reply?.error || NO_ANSWER);
  const image = await decoded(reply.picture.src);
  if (mine !== ticket) return;
  if (!image) return fail('The picture could not be shown. Choose another one.');
  // A question beyond the class token's rows waits for all: new picture and old maps must never meet.
  const full = needsFull(patches) ? await ask('attention', { key: reply.key }) : null;
  if (mine !== ticket) return;
  show(reply, image, patches);
  if (typeof full === 'string') keepFull(full, reply.key);
  else fetchFull(reply.key, true);
}

const needsFull = (patches) => Boolean(patches) || state.pins.length > 0 || state.direction === 'to';

async function decoded(src) {
  const image = new Image();
  image.src = String(src).startsWith('data:image/') ? src : '';
  try {
    await image.decode();
    return image;
  } catch {
    return null;
  }
}

function show(reply, image, patches) {
  const { layers, heads, rows: down, columns, prefix } = reply;
  const before = shape;
  const kept = before && answer && before.rows === down && before.columns === columns;
  answer = reply;
  picture = image;
  shown = { checkpoint: state.checkpoint, picture: state.picture };
  source = { classRows: floatsOf(reply.cls), full: null };
  limits = {};
  fullFailed = false;
  shape = { layers, heads, rows: down, columns, prefix };
  if (!rows || JSON.stringify(before) !== JSON.stringify(shape)) build();
  fitChoice(patches, kept);
  forgetPainted();
  delete root.dataset.full;
  requestAnimationFrame(() => finishShowing(reply.key));
}

/** Keep what the visitor chose where the new model and grid allow it. */
function fitChoice(patches, kept) {
  state.layer = Math.min(state.layer, shape.layers - 1);
  state.head = Math.min(state.head, shape.heads - 1);
  state.hover = state.read = -1;
  if (patches !== null) state.pins = parsePatches(patches);
  else if (!kept) state.pins = [];
  state.several = state.pins.length > 1 || (state.several && state.pins.length > 0);
}

function finishShowing(key) {
  if (answer.key !== key) return;
  waitNoMore();
  drawPicture();
  drawOutlines();
  drawPredictions();
  drawMethods();
  root.dataset.state = 'ready';
  draw();
  syncControls();
  revealThumb();
  const painted = new MessageChannel();
  painted.port1.onmessage = () => { root.dataset.ready = key; };
  painted.port2.postMessage(null);
}

/** Fetch the attention between all tokens; if Python has forgotten it, ask for the picture once more. */
async function fetchFull(key, mayRetry) {
  const reply = await ask('attention', { key });
  if (answer.key !== key) return;
  if (typeof reply === 'string') return keepFull(reply, key);
  if (reply === null && mayRetry) {
    const again = await ask('explain', shown);
    if (answer.key !== key) return;
    if (again?.key) {
      answer.key = again.key;
      root.dataset.ready = again.key;
      return fetchFull(again.key, false);
    }
  }
  fullFailed = true;
  drawSoon();
}

function keepFull(reply, key) {
  const full = sharesOf(reply);
  const expected = shape.layers * shape.heads * tokenCount(shape) ** 2;
  fullFailed = full.length !== expected;
  if (!fullFailed) {
    source.full = full;
    root.dataset.full = key;
  }
  drawSoon();
}

// --- actions ---

/** Change the state by hand: clear old notices, redraw, remember in the address. */
function act(change, delay = REST) {
  tell(null);
  change();
  syncControls();
  drawSoon();
  speakSoon(delay);
  writeAddressSoon();
}

function glance(change, delay = REST) {
  if (notice !== 'Working…') tell(null);
  change();
  drawSoon();
  speakSoon(delay);
}

function chooseHead(layer, head, delay = REST) {
  act(() => Object.assign(state, { layer, head, method: null }), delay);
}

function askClassToken() {
  act(() => Object.assign(state, { pins: [], hover: -1, several: false, method: null }), 0);
}

/** Keep a patch, or let it go; with `add` next to those kept before. */
function keepPatch(patch, add) {
  act(() => {
    const has = state.pins.includes(patch);
    state.method = null;
    state.several ||= add;
    if (state.several) state.pins = has ? state.pins.filter((pin) => pin !== patch) : [...state.pins, patch];
    else state.pins = has ? [] : [patch];
    state.several &&= state.pins.length > 0;
  });
}

const CHANGES = {
  ask(value) {
    state.method = null;
    state.several = value === 'several';
    if (value === 'class') state.pins = [];
    else if (!state.pins.length) state.pins = [middlePatch(shape)];
    if (value === 'one') state.pins = state.pins.slice(0, 1);
  },
  direction(value) {
    Object.assign(state, { direction: value, method: null });
  },
  scale(value) {
    Object.assign(state, { scale: value, method: null });
  },
  draw(value) {
    state.smooth = value === 'smooth';
  },
};

const controls = find('.controls');
const picker = find('.picker');

/** Make buttons, selects and thumbnails say what the state says. */
function syncControls() {
  controls.elements.ask.value = state.several ? 'several' : state.pins.length ? 'one' : 'class';
  controls.elements.direction.value = state.direction;
  controls.elements.scale.value = state.scale;
  controls.elements.draw.value = state.smooth ? 'smooth' : 'patches';
  find('.model select').value = state.checkpoint;
  const now = JSON.stringify(state.picture);
  for (const thumb of findAll('.thumb')) thumb.setAttribute('aria-pressed', thumb.dataset.picture === now);
}

async function copyLink() {
  writeAddress();
  const rest = state.picture?.kind === 'upload' ? ' Your own picture is not part of it.' : '';
  try {
    await navigator.clipboard.writeText(location.href);
    tell(`Link copied.${rest}`);
  } catch {
    tell(`The browser keeps the clipboard closed: copy the link from the address bar.${rest}`);
  }
}

async function saveFigure() {
  if (!answer) return;
  waitVisibly();
  const nullable = (index) => (index === MEAN ? null : index);
  const reply = await ask('figure', {
    key: answer.key,
    layer: nullable(state.layer),
    head: nullable(state.head),
    patches: state.pins,
    direction: state.direction,
    method: state.method,
  });
  waitNoMore();
  if (!reply?.src) return tell(reply?.error || NO_ANSWER, true);
  const link = make('a');
  link.href = reply.src;
  link.download = reply.name;
  link.click();
  tell(`Saved as ${reply.name}.`);
}

// --- pictures to choose from ---

function makeThumb(wanted, name, src) {
  const thumb = make('button', 'thumb');
  const image = make('img');
  thumb.type = 'button';
  thumb.dataset.picture = JSON.stringify(wanted);
  image.alt = name;
  if (String(src).startsWith('data:image/')) image.src = src;
  thumb.append(image);
  thumb.addEventListener('click', () => choosePicture(wanted));
  return thumb;
}

async function choosePicture(wanted) {
  await load(state.checkpoint, wanted);
  writeAddressSoon();
}

function buildSamples() {
  const thumbs = catalog.samples.map(({ name, src }) => makeThumb({ kind: 'sample', name }, name, src));
  find('[data-source=sample] .thumbs').replaceChildren(...thumbs);
}

/** In a strip that scrolls, bring the chosen picture into view. */
function revealThumb() {
  const thumb = find('.thumb[aria-pressed=true]');
  if (thumb) thumb.parentElement.scrollTop = thumb.offsetTop - thumb.offsetHeight;
}

const gallery = { label: -1, page: 0, pages: 1, ticket: 0, filled: false };

function buildGallery() {
  const { available, classes, message } = catalog.cifar;
  const shelf = find('.shelf[data-source=cifar]');
  shelf.querySelector('.empty').hidden = available;
  shelf.querySelector('.gallery').hidden = !available;
  setText(shelf.querySelector('.empty'), available ? '' : message);
  const options = ['All classes', ...(classes || [])].map((name, k) => new Option(name, k - 1));
  shelf.querySelector('select').replaceChildren(...options);
}

async function fillGallery() {
  if (!catalog.cifar.available) return;
  const mine = ++gallery.ticket;
  const reply = await ask('gallery', { label: gallery.label, page: gallery.page });
  if (mine !== gallery.ticket) return;
  if (!reply || reply.error) return tell(reply?.error || NO_ANSWER, true);
  gallery.filled = true;
  gallery.pages = Math.max(1, reply.pages);
  const name = (label) => catalog.cifar.classes[label] ?? 'picture';
  const thumbs = reply.pictures.map(({ index, label, src }) => makeThumb({ kind: 'cifar', index }, `${name(label)}, picture ${index}`, src));
  find('.gallery .thumbs').replaceChildren(...thumbs);
  setText(find('.page-number'), `${gallery.page + 1} of ${gallery.pages}`);
  find('[data-page="-1"]').disabled = gallery.page === 0;
  find('[data-page="1"]').disabled = gallery.page >= gallery.pages - 1;
  syncControls();
}

function showShelf(kind) {
  for (const shelf of findAll('.shelf')) shelf.hidden = shelf.dataset.source !== kind;
  if (kind === 'cifar' && !gallery.filled) fillGallery();
}

async function takeFile(file) {
  if (!file.type.startsWith('image/')) {
    return tell(`Only pictures can be shown: ${file.name} is ${file.type || 'of an unknown kind'}. Choose a PNG, JPEG or WebP file.`, true);
  }
  const mine = ++ticket;
  picker.elements.source.value = 'upload';
  showShelf('upload');
  tell(null);
  root.dataset.state = 'working';
  waitVisibly();
  try {
    const { path } = await upload(file);
    if (mine === ticket) choosePicture({ kind: 'upload', path, name: file.name });
  } catch {
    if (mine === ticket) fail(`${file.name} could not be uploaded: it may be too large (${megabytes(file.size)}). Choose a smaller picture.`);
  }
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)}${SPACE}MB`;

// --- events ---

/** The patch under the pointer, or -1. */
function patchAt(stage, event) {
  const box = stage.getBoundingClientRect();
  const column = Math.floor(((event.clientX - box.left) / box.width) * shape.columns);
  const row = Math.floor(((event.clientY - box.top) / box.height) * shape.rows);
  const inside = column >= 0 && row >= 0 && column < shape.columns && row < shape.rows;
  return inside ? row * shape.columns + column : -1;
}

/** Follow the pointer or the keys over a stage; `name` is the part of the state that follows. */
function follow(stage, name, touchReads) {
  const move = (patch, delay) => {
    if (answer && patch !== state[name]) glance(() => { state[name] = patch; }, delay);
  };
  stage.addEventListener('pointermove', (event) => {
    if (answer && event.pointerType !== 'touch') move(patchAt(stage, event));
  });
  stage.addEventListener('pointerleave', (event) => {
    if (event.pointerType !== 'touch') move(-1);
  });
  stage.addEventListener('blur', () => move(-1));
  stage.addEventListener('click', (event) => {
    if (!answer) return;
    const patch = patchAt(stage, event);
    if (patch < 0) return;
    if (touchReads && event.pointerType === 'touch') move(state[name] === patch ? -1 : patch);
    else keepPatch(patch, event.shiftKey);
  });
  stage.addEventListener('keydown', (event) => {
    if (!answer) return;
    const from = state[name] >= 0 ? state[name] : state.pins[0] ?? middlePatch(shape);
    if (ARROWS.includes(event.key)) move(neighbour(from, event.key, shape), 0);
    else if ((event.key === 'Enter' || event.key === ' ') && state[name] >= 0) keepPatch(state[name], event.shiftKey);
    else if (event.key === 'Escape') leaveStage(name);
    else return;
    event.preventDefault();
  });
}

function leaveStage(name) {
  state[name] = -1;
  askClassToken();
}

function walkMatrix(event) {
  if (!answer) return;
  if (event.key === 'Escape') return askClassToken();
  if (!ARROWS.includes(event.key)) return;
  event.preventDefault();
  const grid = { rows: shape.layers + 1, columns: shape.heads + 1 };
  const index = (value, count) => (value === MEAN ? count : value);
  const at = index(state.layer, shape.layers) * grid.columns + index(state.head, shape.heads);
  const tile = tiles[neighbour(at, event.key, grid)];
  chooseHead(tile.layer, tile.head, 0);
  tile.button.focus();
}

function acceptDrop(event) {
  if (![...(event.dataTransfer?.types ?? [])].includes('Files')) return;
  event.preventDefault();
  root.classList.toggle('dropping', event.type === 'dragover');
  const file = event.dataTransfer.files[0];
  if (event.type === 'drop' && file) takeFile(file);
}

/** Paste arrives at the document; take it only while this explorer is on screen. */
function acceptPaste(event) {
  if (!element.isConnected) return document.removeEventListener('paste', acceptPaste);
  if (root.offsetParent === null || event.target.closest?.('input, textarea, [contenteditable]')) return;
  const file = [...(event.clipboardData?.files ?? [])][0];
  if (file) takeFile(file);
}

function changeTheme() {
  if (!element.isConnected) return themeWatcher.disconnect();
  if (dark === pageIsDark()) return;
  dark = pageIsDark();
  if (!answer) return;
  drawMethods();
  drawOutlines();
  drawSoon();
}

const themeWatcher = new MutationObserver(changeTheme);

function listen() {
  follow(pictureStage, 'hover', false);
  follow(mapStage, 'read', true);
  matrix.addEventListener('keydown', walkMatrix);
  controls.addEventListener('change', (event) => {
    if (answer) act(() => CHANGES[event.target.name](event.target.value), 0);
  });
  controls.addEventListener('submit', (event) => event.preventDefault());
  picker.addEventListener('submit', (event) => event.preventDefault());
  for (const radio of picker.elements.source) radio.addEventListener('change', () => showShelf(radio.value));
  find('.gallery select').addEventListener('change', (event) => {
    Object.assign(gallery, { label: Number(event.target.value), page: 0 });
    fillGallery();
  });
  for (const button of findAll('[data-page]')) {
    button.addEventListener('click', () => {
      gallery.page = Math.min(gallery.pages - 1, Math.max(0, gallery.page + Number(button.dataset.page)));
      fillGallery();
    });
  }
  find('.drop input').addEventListener('change', (event) => {
    if (event.target.files[0]) takeFile(event.target.files[0]);
    event.target.value = '';
  });
  for (const type of ['dragover', 'dragleave', 'drop']) root.addEventListener(type, acceptDrop);
  document.addEventListener('paste', acceptPaste);
  find('.class-token').addEventListener('click', askClassToken);
  find('.outline-slider input').addEventListener('input', (event) => {
    find('.outlines').style.opacity = event.target.value / 100;
  });
  find('.model select').addEventListener('change', async (event) => {
    await load(event.target.value, state.picture);
    writeAddressSoon();
  });
  layerSelect.addEventListener('change', () => chooseHead(Number(layerSelect.value), state.head, 0));
  find('[data-do=link]').addEventListener('click', copyLink);
  find('[data-do=figure]').addEventListener('click', saveFigure);
  find('[data-do=leave]').addEventListener('click', () => act(() => { state.method = null; }, 0));
  for (const node of [document.body, document.documentElement]) {
    themeWatcher.observe(node, { attributes: true, attributeFilter: ['class'] });
  }
}

/** Fill the lists that come from the catalog. */
function fillLists() {
  buildModels();
  buildMethods();
  buildSamples();
  buildGallery();
}

/** Empty tiles in the size of the model, until the first answer comes. */
function sketch() {
  const { layers, heads } = checkpointOf(state.checkpoint);
  shape = { layers, heads, rows: 8, columns: 8, prefix: 1 };
  build();
}

function start() {
  fillLists();
  listen();
  if (!catalog.checkpoints.length) return fail('There is no model to explore yet: put a checkpoint in the folder of checkpoints and start vitviz again.');
  const patches = readAddress();
  if (state.picture) picker.elements.source.value = state.picture.kind;
  showShelf(picker.elements.source.value);
  sketch();
  syncControls();
  if (!state.picture) return fail('There is no sample picture: choose CIFAR-10 or your own.');
  load(state.checkpoint, state.picture, patches);
}

watch('catalog', () => {
  catalog = props.catalog;
  buildModels();
  buildSamples();
  buildGallery();
  gallery.filled = false;
  syncControls();
});

start();
