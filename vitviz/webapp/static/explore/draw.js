/* Drawing from the state: marks, scales, the large map, the matrix, methods and predictions. */

// --- marks on image and map ---

function addMark(stage, className) {
  const mark = make('div', `mark ${className}`);
  mark.hidden = true;
  stage.append(mark);
  return mark;
}

function makeMarks(stage) {
  return { stage, query: [], removed: [], read: addMark(stage, 'read') };
}

function placeRemoved(marks, removed) {
  while (marks.removed.length < removed.length) marks.removed.push(addMark(marks.stage, 'removed'));
  marks.removed.forEach((mark, i) => placeMark(mark, removed[i] ?? -1, shape));
}

const imageMarks = makeMarks(imageStage);
const mapMarks = makeMarks(mapStage);

function placeMarks(marks, query, read) {
  while (marks.query.length < query.length) marks.query.push(addMark(marks.stage, 'query'));
  marks.query.forEach((mark, i) => placeMark(mark, query[i] ?? -1, shape));
  placeMark(marks.read, read, shape);
}

// --- scales and colors ---

const sharedScale = { kind: 'linear', limit: 1, clips: true, isWeight: true };
const mapScale = { kind: 'linear', limit: 1, clips: false, isWeight: true };
const methodScale = { kind: 'linear', limit: 1, clips: false, isWeight: true };
const signedScale = { kind: 'signed', limit: 1, isWeight: false };
const uniformScale = { kind: 'uniform', uniform: 1, isWeight: true };

const tableFor = (scale) => table(scale.kind === 'linear' ? 'seq' : 'div');

function limitFor(query) {
  const kind = query.length ? 'patch' : 'class';
  return (limits[state.direction + kind] ??= sharedLimit(shape, source, state.direction, kind));
}

function fitMapScale(row) {
  let limit = 1e-9;
  for (let j = shape.prefix; j < row.length; j++) if (row[j] > limit) limit = row[j];
  mapScale.limit = limit;
  return mapScale;
}

/** The scale of one row; reused by the next call. */
function scaleFor(row) {
  if (state.scale === 'map') return fitMapScale(row);
  return state.scale === 'uniform' ? uniformScale : sharedScale;
}

// --- drawing ---

let painted = {}; // what is on the canvases, so that only changes are painted
let measured = 0;

/** Repaint everything in the next frame. */
function invalidate() {
  painted = {};
}

function draw() {
  if (!answer) return;
  const start = performance.now();
  const query = queryPatches();
  const method = activeMethod();
  if (awaitsMethod()) return showWaiting();
  drawMarks(query, method);
  if (canDraw(query)) {
    if (root.dataset.state !== 'working') stopWaiting();
    computeRows(query);
    drawLarge(method);
    drawMatrix(query, method);
    drawWords(query, method);
    setText(jump, `${headline.textContent}.`);
  } else if (fullFailed) {
    fallBackToClassToken();
  } else {
    showWaiting();
  }
  measure(start);
}

/** Without the full attention only the class token can be the query. */
function fallBackToClassToken() {
  Object.assign(state, { pins: [], multiple: false, hover: -1, direction: 'from' });
  stopWaiting();
  syncControls();
  draw();
  showNotice('The attention between patches could not be loaded. Choose the image again to retry.', true);
}

function measure(start) {
  if (++measured % 1000 === 0) performance.clearMeasures('vitviz:redraw');
  performance.measure('vitviz:redraw', { start, end: performance.now() });
}

const canDraw = (query) => source.full !== null || firstRowsSuffice(query, state.direction);

function computeRows(query) {
  const key = `${state.direction} ${query}`;
  if (painted.query === key) return;
  fillRows(rows, shape, source, query, state.direction, isAblated);
  sharedScale.limit = limitFor(query);
  uniformScale.uniform = uniformWeight(shape);
  painted.query = key;
}

function drawMarks(query, method) {
  const framed = method ? [] : query;
  placeRemoved(imageMarks, state.removed);
  placeRemoved(mapMarks, method ? [] : state.removed); // attribution maps are of the unchanged image
  placeMarks(imageMarks, framed, state.read);
  placeMarks(mapMarks, framed, state.read);
  find('.class-token').setAttribute('aria-pressed', !query.length && !state.method);
}

/** Whether the large map is that of another class and the new one is loading: the old one stays until then. */
const awaitsMethod = () => state.hover < 0 && state.method !== null && painted.method === state.method && !answer.maps[state.method];

/** Values, offset of the first patch, and scale of the large map: a method's, or the selected head's. */
function largeMap(method) {
  if (!method) {
    const row = rowOf(rows, shape, state.layer, state.head);
    return { values: row, first: shape.prefix, scale: scaleFor(row) };
  }
  const scale = methodScaleOf(method);
  return { values: answer.maps[method], first: 0, scale };
}

/** The shape of the unchanged image, which the attribution methods explain. */
const shapeFor = (method) => (method ? { ...shape, removed: [] } : shape);

/** The scale of a method's map: from 0 to its maximum, or symmetric about 0 for signed methods. */
function methodScaleOf(method) {
  const values = answer.maps[method];
  const { unit } = methodOf(method);
  const limit = Math.max(...values.map(Math.abs)) || 1;
  return unit === 'logits' ? { ...signedScale, limit } : { ...methodScale, isWeight: unit === 'weights', limit };
}

function drawLarge(method) {
  const key = `${painted.query} ${method} ${state.layer} ${state.head} ${state.scale} ${dark}`;
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

function drawBar(bounds) {
  const { scale } = painted;
  const theme = `${scale.kind} ${dark}`;
  if (painted.bar !== theme) paintBar(barTile, tableFor(scale));
  painted.bar = theme;
  const key = `${scale.kind} ${scale.limit} ${scale.clips} ${scale.isWeight} ${bounds.removed.length}`;
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
  drawUniformMark(scale, uniformWeight(bounds));
}

function drawUniformMark(scale, uniform) {
  const at = scale.kind === 'linear' && scale.isWeight ? uniform / scale.limit : 1;
  find('.uniform').hidden = at >= 1;
  find('.uniform').style.left = `${100 * at}%`;
  setText(find('.uniform-text'), at < 1 ? `dashed: uniform, ${percent(uniform)}` : '');
}

function drawClassCell(method) {
  const { values, scale } = painted.map;
  classTile.canvas.hidden = Boolean(method) || !shape.classToken;
  setText(find('.class-weight'), method ? '' : prefixLine(values, shape, state.direction));
  if (!method) paintTile(classTile, values, 0, tableFor(scale), scale);
}

const tip = find('.tip');
const caret = find('.caret');

/** Show the value under the pointer, at the patch and on the color bar. */
function drawReading() {
  tip.hidden = caret.hidden = state.read < 0;
  if (state.read < 0) return;
  const { values, first } = painted.map;
  const method = activeMethod();
  const value = values[first + state.read];
  const reading = () => (isRemoved(state.read) ? ['removed', ''] : headNumber(value, shape));
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

function drawMatrix(query, method) {
  const values = `${painted.query} ${state.scale} ${dark}`;
  if (painted.matrix !== values) {
    const table = tableFor(state.scale === 'uniform' ? uniformScale : sharedScale);
    for (const tile of tiles) {
      const row = rowOf(rows, shape, tile.layer, tile.head);
      paintTile(tile.values, row, shape.prefix, table, scaleFor(row));
    }
    frameQuery(query);
    setText(find('.matrix-note'), state.scale === 'map' ? 'one scale per map' : 'shared scale');
    painted.matrix = values;
  }
  drawChoice(method);
}

/** Frame a single query patch in every tile. */
function frameQuery(query) {
  matrix.classList.toggle('framed', query.length === 1);
  if (query.length !== 1) return;
  const { left, top } = cornerOf(query[0], shape);
  matrix.style.setProperty('--query-left', left);
  matrix.style.setProperty('--query-top', top);
}

function drawChoice(method) {
  const key = `${state.layer} ${state.head} ${method} ${state.smooth} ${state.ablated}`;
  if (painted.choice === key) return;
  painted.choice = key;
  for (const { layer, head, button } of tiles) {
    button.classList.toggle('ablated', isAblated(layer, head));
    button.setAttribute('aria-label', mapName(layer, head) + (isAblated(layer, head) ? ', ablated' : ''));
  }
  markTile({ tiles, labels }, state.layer, state.head, find('.matrix-frame'), !method);
  for (const row of matrix.children) row.classList.toggle('current', Number(row.dataset.layer) === state.layer);
  for (const { key: name, button } of methodTiles) button.setAttribute('aria-pressed', name === method);
  layerSelect.value = state.layer;
  root.classList.toggle('smooth', state.smooth);
  root.classList.toggle('shows-method', Boolean(method));
  root.classList.toggle('head-ablated', !method && isAblated(state.layer, state.head));
  find('[data-do=leave]').hidden = !method;
  const button = find('[data-do=ablate]');
  button.hidden = Boolean(method) || state.layer === MEAN || state.head === MEAN;
  setText(button, isAblated(state.layer, state.head) ? 'Restore head' : 'Ablate head');
  drawMethodAbout(method);
}

function drawWords(query, method) {
  const { values, scale } = painted.map;
  const view = { row: values, query, direction: state.direction, layer: state.layer, head: state.head, read: state.read };
  if (!method && isAblated(state.layer, state.head)) {
    setText(headline, `${mapName(state.layer, state.head)} is ablated`);
    if (notice === null) putLine(status, [ablatedLine(state.layer === MEAN || state.head === MEAN)]);
    return;
  }
  if (!method && query.length && query.every(isRemoved)) {
    setText(headline, `${capital(queryName(query, shape))} ${query.length > 1 ? 'are' : 'is'} removed`);
    if (notice === null) putLine(status, ['Removed patches neither attend nor are attended to. Choose another patch, or the class token.']);
    return;
  }
  setText(headline, method ? methodHeadline(methodOf(method), targetNames(), values, shape) : headHeadline(view, shape));
  if (notice !== null) return;
  if (!method && isRemoved(state.read)) return putLine(status, [`${capital(patchName(state.read, shape))} is removed: it neither attends nor is attended to.`]);
  putLine(status, method ? methodLine(methodOf(method), values, state.read, scale, faithfulness, targetNames()[0], shapeFor(method)) : headLine(view, shape));
}

/** State what replaces the output of the ablated head, or of all heads of a mean. */
function ablatedLine(isMean) {
  const usesMean = state.mode === 'mean';
  if (isMean) return `The outputs of all its heads are replaced by ${usesMean ? 'their means over the sample images' : 'zero'}. Prediction shows the effect.`;
  return `Its output is replaced by ${usesMean ? 'its mean over the sample images' : 'zero'}. Prediction shows the effect.`;
}

const predictedClass = () => largest(answer.probabilities);
const targetClass = () => state.target[0] ?? predictedClass();
const targetNames = () => [targetClass(), ...state.target.slice(1)].map((k) => answer.classes[k]);

/** Repaint the large map if it shows a method. */
function invalidateMethod() {
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
  setText(find('.method-group:nth-child(2) .group-name'), `For class ${targetTitle(names)}`);
  setText(find('.score-note'), scoreNote(faithfulness, names[0]));
}

function drawScore({ key, track, fill, random, value, baseline }) {
  track.classList.toggle('waiting', !faithfulness);
  const place = (number) => `${100 * Math.min(1, Math.max(0, number))}%`;
  const score = faithfulness?.scores[key];
  fill.style.width = place(score ?? 0);
  random.style.left = faithfulness ? place(faithfulness.random_baseline[0]) : '0';
  setText(value, !faithfulness ? '…' : score == null ? '–' : scoreText(score)); // a flat map has no score
  const word = faithfulness?.random_baseline[0] < 0 ? '' : 'random '; // two minus signs leave no room; the note above names it
  setText(baseline, faithfulness ? word + scoreText(faithfulness.random_baseline[0]) : '');
}

function drawMethodAbout(method) {
  const node = find('.method-about');
  node.hidden = !method;
  if (!method) return;
  const { name, source, ...texts } = methodOf(method);
  const about = shape.classToken ? texts.about : texts.aboutWithoutClassToken;
  const formula = shape.classToken ? texts.formula : texts.formulaWithoutClassToken;
  node.replaceChildren(make('b', '', name), ` ${about} `, make('span', 'formula', formula), ` ${source}.`);
}

/** The classes with a row: the four most likely for the unchanged image, whose order stays fixed under ablations, and the
    most likely of the others. */
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
  predictions.forEach(({ item, button, name, tag, value, fill, before: tick }, i) => {
    const k = order[i];
    item.hidden = k === undefined;
    if (item.hidden) return;
    setText(name, classes[k]);
    setText(value, percent(probabilities[k], 1));
    tag.hidden = k !== about.truth;
    button.dataset.class = k;
    button.setAttribute('aria-pressed', k === targetClass());
    button.setAttribute('aria-label', `${classes[k]}${tag.hidden ? '' : ' true'} ${percent(probabilities[k], 1)}, explain this class`);
    fill.style.width = `${100 * probabilities[k]}%`;
    tick.hidden = !changed;
    tick.style.left = `${100 * old[k]}%`;
  });
  const contrast = find('.contrast select');
  contrast.value = state.target[1] ?? '';
  for (const option of contrast.options) option.disabled = option.value === String(targetClass());
  root.classList.toggle('grayed', state.patch_mode === 'gray');
  find('.effect').hidden = !changed;
  setText(find('.methods-head span'), changed ? 'before ablation, one scale per map' : 'one scale per map');
  if (changed) drawEffect(old, probabilities);
  find('.accuracy').hidden = Boolean(changed);
  setText(find('.accuracy'), accuracyLine(checkpointOf(answer.checkpoint)));
}

function drawEffect(old, now) {
  const k = targetClass();
  const rounded = (probability) => Math.round(1000 * probability) / 10; // as printed, so that the difference adds up
  setText(find('.effect-what'), changesLine(state));
  for (const [name, used] of [['mode', state.ablated.length], ['patch_mode', state.removed.length]]) {
    const select = find(`.effect select[name=${name}]`);
    select.value = state[name];
    select.parentNode.hidden = !used;
  }
  putLine(find('.effect-points'), [{ strong: signed(rounded(now[k]) - rounded(old[k]), 1) }, ' percentage points']);
  const winner = largest(now);
  const change = winner === predictedClass() ? '' : `. The model now predicts ${answer.classes[winner]}, ${percent(now[winner], 1)}.`;
  setText(find('.effect-from'), `for ${answer.classes[k]}, from ${percent(old[k], 1)}${change}`);
}

function drawImage() {
  const canvas = find('.pixels');
  const { caption, note, truth, shows, original } = answer.image;
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  canvas.getContext('2d').drawImage(image, 0, 0);
  setText(find('.truth'), truth == null ? (shows ? `${shows}: not a class of this model` : '') : `true label: ${answer.classes[truth]}`);
  setText(find('.image-note'), keepSizes([caption, note].filter(Boolean).join(' · ')));
  const whole = find('.original');
  whole.hidden = !isImageUrl(original);
  if (whole.hidden) whole.removeAttribute('src');
  else whole.src = original;
  whole.alt = 'The uploaded image before cropping';
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
