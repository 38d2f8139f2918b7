/* Drawing: marks, scales and colours, the large map, the matrix and the rest, from the state. */

// --- marks on image and map ---

function addMark(stage, className) {
  const mark = make('div', `mark ${className}`);
  mark.hidden = true;
  stage.append(mark);
  return mark;
}

function makeMarks(stage) {
  return { stage, asked: [], gone: [], read: addMark(stage, 'read') };
}

function placeGone(marks, gone) {
  while (marks.gone.length < gone.length) marks.gone.push(addMark(marks.stage, 'gone'));
  marks.gone.forEach((mark, i) => placeMark(mark, gone[i] ?? -1, shape));
}

const imageMarks = makeMarks(imageStage);
const mapMarks = makeMarks(mapStage);

function placeMarks(marks, asked, read) {
  while (marks.asked.length < asked.length) marks.asked.push(addMark(marks.stage, 'asked'));
  marks.asked.forEach((mark, i) => placeMark(mark, asked[i] ?? -1, shape));
  placeMark(marks.read, read, shape);
}

// --- scales and colours ---

const sharedScale = { kind: 'linear', limit: 1, clips: true, isShare: true };
const ownScale = { kind: 'linear', limit: 1, clips: false, isShare: true };
const methodScale = { kind: 'linear', limit: 1, clips: false, isShare: true };
const signedScale = { kind: 'signed', limit: 1, isShare: false };
const evenScale = { kind: 'even', even: 1, isShare: true };

const tableFor = (scale) => table(scale.kind === 'linear' ? 'seq' : 'div');

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
  if (awaitsMethod()) return waitVisibly();
  drawMarks(asked, method);
  if (canAnswer(asked)) {
    if (root.dataset.state !== 'working') waitNoMore();
    answerQuestion(asked);
    drawLarge(asked, method);
    drawMatrix(asked, method);
    drawWords(asked, method);
    setText(jump, `${headline.textContent}.`);
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
  tell('The attention between patches did not arrive. Choose the image again to retry.', true);
}

function measure(start) {
  if (++measured % 1000 === 0) performance.clearMeasures('vitviz:redraw');
  performance.measure('vitviz:redraw', { start, end: performance.now() });
}

const canAnswer = (asked) => source.full !== null || firstRowsSuffice(asked, state.direction);

function answerQuestion(asked) {
  const question = `${state.direction} ${asked}`;
  if (painted.question === question) return;
  fillRows(rows, shape, source, asked, state.direction, isOff);
  sharedScale.limit = limitFor(asked);
  evenScale.even = evenShare(shape);
  painted.question = question;
}

function drawMarks(asked, method) {
  const framed = method ? [] : asked;
  placeGone(imageMarks, state.gone);
  placeGone(mapMarks, method ? [] : state.gone); // the methods' maps are of the whole image
  placeMarks(imageMarks, framed, state.read);
  placeMarks(mapMarks, framed, state.read);
  find('.class-token').setAttribute('aria-pressed', !asked.length && !state.method);
}

/** Whether the map that stands large is a method's for another class, and this one's is on its way: it stays meanwhile. */
const awaitsMethod = () => state.hover < 0 && state.method !== null && painted.method === state.method && !answer.maps[state.method];

/** Values, offset of the first patch, and scale of the large map; a method whose map is not there yet leaves the head's. */
function largeMap(method) {
  if (!method) {
    const row = rowOf(rows, shape, state.layer, state.head);
    return { values: row, first: shape.prefix, scale: scaleFor(row) };
  }
  const scale = methodScaleOf(method);
  return { values: answer.maps[method], first: 0, scale };
}

/** Methods are asked about the image as it is, from which nothing is left out. */
const shapeFor = (method) => (method ? { ...shape, gone: [] } : shape);

/** The scale of a method's map: its own, from 0, or to both sides of 0 where a patch may speak against the class. */
function methodScaleOf(method) {
  const values = answer.maps[method];
  const { unit } = methodOf(method);
  const limit = Math.max(...values.map(Math.abs)) || 1;
  return unit === 'logits' ? { ...signedScale, limit } : { ...methodScale, isShare: unit === 'shares', limit };
}

function drawLarge(asked, method) {
  const key = `${painted.question} ${method} ${state.layer} ${state.head} ${state.scale} ${dark}`;
  if (painted.large !== key) {
    painted.map = largeMap(method);
    const { values, first, scale } = painted.map;
    painted.scale = { ...scale };
    paintTile(largeTile, values, first, tableFor(scale), scale);
    setText(find('.map-title'), method ? methodTitle(methodOf(method), targetNames()) : mapName(state.layer, state.head));
    drawBar(shapeFor(method));
    drawClassCell(method);
    painted.large = key;
    painted.method = method;
  }
  drawReading();
}

const tickNodes = Array.from({ length: 7 }, () => find('.bar').appendChild(make('span', 'tick')));

function drawBar(seen) {
  const { scale } = painted;
  const page = `${scale.kind} ${dark}`;
  if (painted.bar !== page) paintBar(barTile, tableFor(scale));
  painted.bar = page;
  const key = `${scale.kind} ${scale.limit} ${scale.clips} ${scale.isShare} ${seen.gone.length}`;
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
  drawEvenMark(scale, evenShare(seen));
}

function drawEvenMark(scale, even) {
  const at = scale.kind === 'linear' && scale.isShare ? even / scale.limit : 1;
  find('.even').hidden = at >= 1;
  find('.even').style.left = `${100 * at}%`;
  setText(find('.even-text'), at < 1 ? `dashed: even spread, ${percent(even)}` : '');
}

function drawClassCell(method) {
  const { values, scale } = painted.map;
  classTile.canvas.hidden = Boolean(method) || !shape.classToken;
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
  const reading = () => (isGone(state.read) ? ['left out', ''] : headNumber(value, shape));
  const [number, remark] = method ? methodNumber(value, painted.scale, shapeFor(method)) : reading();
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
  const { left, top } = cornerOf(asked[0], shape);
  matrix.style.setProperty('--asked-left', left);
  matrix.style.setProperty('--asked-top', top);
}

function drawChoice(method) {
  const key = `${state.layer} ${state.head} ${method} ${state.smooth} ${state.off}`;
  if (painted.choice === key) return;
  painted.choice = key;
  for (const { layer, head, button } of tiles) {
    button.classList.toggle('off', isOff(layer, head));
    button.setAttribute('aria-label', mapName(layer, head) + (isOff(layer, head) ? ', switched off' : ''));
  }
  markTile({ tiles, labels }, state.layer, state.head, find('.matrix-frame'), !method);
  for (const row of matrix.children) row.classList.toggle('current', Number(row.dataset.layer) === state.layer);
  for (const { key: name, button } of methodTiles) button.setAttribute('aria-pressed', name === method);
  layerSelect.value = state.layer;
  root.classList.toggle('smooth', state.smooth);
  root.classList.toggle('shows-method', Boolean(method));
  root.classList.toggle('head-off', !method && isOff(state.layer, state.head));
  find('[data-do=leave]').hidden = !method;
  const off = find('[data-do=off]');
  off.hidden = Boolean(method) || state.layer === MEAN || state.head === MEAN;
  setText(off, isOff(state.layer, state.head) ? 'Switch on' : 'Switch off');
  drawWhy(method);
}

function drawWords(asked, method) {
  const { values, scale } = painted.map;
  const seen = { row: values, asked, direction: state.direction, layer: state.layer, head: state.head, read: state.read };
  if (!method && isOff(state.layer, state.head)) {
    setText(headline, `${mapName(state.layer, state.head)} is switched off`);
    if (notice === null) putLine(status, [offLine(state.layer === MEAN || state.head === MEAN)]);
    return;
  }
  if (!method && asked.length && asked.every(isGone)) {
    setText(headline, `${capital(askedName(asked, 'from', shape))} ${asked.length > 1 ? 'are' : 'is'} left out`);
    if (notice === null) putLine(status, ['What is left out asks nothing and gets nothing. Choose another patch, or the class token.']);
    return;
  }
  setText(headline, method ? methodHeadline(methodOf(method), targetNames(), values, shape) : headHeadline(seen, shape));
  if (notice !== null) return;
  if (!method && isGone(state.read)) return putLine(status, [`${capital(patchName(state.read, shape))} is left out: it gets nothing.`]);
  putLine(status, method ? methodLine(methodOf(method), values, state.read, scale, judged, targetNames()[0], shapeFor(method)) : headLine(seen, shape));
}

/** What becomes of a head that is off, or of all heads of a mean. */
function offLine(isMean) {
  const passed = state.instead === 'mean';
  if (isMean) return `All its heads are off: ${passed ? 'they pass on their means over the samples' : 'their outputs are set to zero'}; see the prediction.`;
  return `${passed ? 'It passes on its mean over the samples' : 'Its output is set to zero'}. The other heads go on without it; see the prediction.`;
}

const predictedClass = () => largest(answer.probabilities);
const targetClass = () => state.target[0] ?? predictedClass();
const targetNames = () => [targetClass(), ...state.target.slice(1)].map((k) => answer.classes[k]);

/** The large map shows another target's map now. */
function forgetMethod() {
  if (activeMethod()) painted.large = painted.ticks = null;
}

function drawMethods() {
  for (const entry of methodTiles) {
    const map = answer.maps[entry.key];
    entry.button.classList.toggle('waiting', !map);
    if (map) {
      const scale = methodScaleOf(entry.key);
      paintTile(entry.values, map, 0, tableFor(scale), scale);
    }
    drawScore(entry);
  }
  const names = targetNames();
  setText(find('.method-group:nth-child(2) .group-name'), `For the class ${names.join(', rather than ')}`);
  setText(find('.score-note'), scoreNote(judged, names[0]));
}

function drawScore({ key, track, fill, chance, value, beside }) {
  track.classList.toggle('waiting', !judged);
  const share = (number) => `${100 * Math.min(1, Math.max(0, number))}%`;
  const score = judged?.scores[key];
  fill.style.width = share(score ?? 0);
  chance.style.left = judged ? share(judged.chance[0]) : '0';
  setText(value, !judged ? '…' : score == null ? '–' : scoreText(score)); // a map that gives all patches the same has none
  const word = judged?.chance[0] < 0 ? '' : 'chance '; // two signs leave no room for it; the line above says it
  setText(beside, judged ? word + scoreText(judged.chance[0]) : '');
}

function drawWhy(method) {
  const why = find('.method-why');
  why.hidden = !method;
  if (!method) return;
  const { name, about, formula, source } = methodOf(method);
  const words = (text) => (shape.classToken ? text : text.replaceAll('class token', 'mean of the patches')); // which asks there
  why.replaceChildren(make('b', '', name), ` ${words(about)} `, make('span', 'formula', words(formula)), ` ${source}.`);
}

/** The classes that have a row: the likeliest ones, which keep their places while the image is changed; the last row is
    for the likeliest of the others now. */
function listedClasses(old, now) {
  const order = old.map((_, k) => k).sort((a, b) => old[b] - old[a]);
  const others = order.splice(predictions.length - 1).sort((a, b) => now[b] - now[a]);
  return [...order, ...others.slice(0, 1)];
}

function drawPredictions() {
  const { classes, image: about } = answer;
  const old = answer.probabilities;
  const probabilities = changed?.probabilities ?? old;
  const order = listedClasses(old, probabilities);
  predictions.forEach(({ item, button, name, tag, value, fill, was }, i) => {
    const k = order[i];
    item.hidden = k === undefined;
    if (item.hidden) return;
    setText(name, classes[k]);
    setText(value, percent(probabilities[k], 1));
    tag.hidden = k !== about.truth;
    button.dataset.class = k;
    button.setAttribute('aria-pressed', k === targetClass());
    button.setAttribute('aria-label', `Explain ${classes[k]}, ${percent(probabilities[k], 1)}`);
    fill.style.width = `${100 * probabilities[k]}%`;
    was.hidden = !changed;
    was.style.left = `${100 * old[k]}%`;
  });
  const versus = find('.versus select');
  versus.value = state.target[1] ?? '';
  for (const option of versus.options) option.disabled = option.value === String(targetClass());
  root.classList.toggle('greyed', state.way === 'grey');
  find('.effect').hidden = !changed;
  setText(find('.methods-head span'), changed ? 'nothing off, each map on its own scale' : 'each map on its own scale');
  if (changed) drawEffect(old, probabilities);
  find('.accuracy').hidden = Boolean(changed);
  setText(find('.accuracy'), accuracyLine(checkpointOf(answer.checkpoint)));
}

function drawEffect(old, now) {
  const k = targetClass();
  const rounded = (share) => Math.round(1000 * share) / 10; // as they are printed, so that they add up
  setText(find('.effect-what'), changesLine(state));
  for (const [name, used] of [['instead', state.off.length], ['way', state.gone.length]]) {
    const select = find(`.effect select[name=${name}]`);
    select.value = state[name];
    select.parentNode.hidden = !used;
  }
  setText(find('.effect-points'), `${signed(rounded(now[k]) - rounded(old[k]), 1)} points`);
  const winner = largest(now);
  const change = winner === predictedClass() ? '' : `. The model now says ${answer.classes[winner]}, ${percent(now[winner], 1)}.`;
  setText(find('.effect-from'), `for ${answer.classes[k]}, from ${percent(old[k], 1)}${change}`);
}

function drawImage() {
  const canvas = find('.pixels');
  const { caption, note, truth, shows, original } = answer.image;
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  canvas.getContext('2d').drawImage(image, 0, 0);
  setText(find('.truth'), truth == null ? (shows ? `${shows}: no class of this model` : '') : `true label: ${answer.classes[truth]}`);
  setText(find('.seen'), keepSizes([caption, note].filter(Boolean).join(' · ')));
  const whole = find('.original');
  whole.hidden = !isImage(original);
  if (whole.hidden) whole.removeAttribute('src');
  else whole.src = original;
  whole.alt = 'Your whole image, before it was cropped';
}

function drawOutlines() {
  const [width, height] = [Math.min(1, shape.aspect), 1 / Math.max(1, shape.aspect)];
  paintOutlines(find('.outlines'), image, Math.round(OUTLINE_SIDE * width), Math.round(OUTLINE_SIDE * height), dark ? 235 : 20);
}

let frame = 0;

function drawSoon() {
  frame ||= requestAnimationFrame(() => {
    frame = 0;
    draw();
  });
}
