/* Requests to the server: an image, its full attention, attribution maps, ablations. The latest request wins. */

let ticket = 0; // of the latest request; responses to earlier ones are dropped
let refused = null; // the model that could not be shown

function fail(sentence) {
  root.dataset.state = 'error';
  stopWaiting();
  if (shown) Object.assign(state, shown);
  syncControls();
  showNotice(sentence, true);
}

/** Explain an image with a model and show the result, unless a later request was made.
    @param linked the parts of the address that need the sizes of the response */
async function load(checkpoint, wanted, linked = null) {
  const mine = ++ticket;
  Object.assign(state, { checkpoint, image: wanted });
  startWaiting();
  syncControls();
  const reply = await request('explain', { checkpoint, image: wanted });
  if (mine !== ticket) return;
  if (!reply || reply.error) {
    if (reply && !reply.busy && !isUnreachable(reply)) refused = checkpoint;
    return fail(reply?.error || NO_ANSWER);
  }
  const decoded = await decodeImage(reply.image.src);
  if (mine !== ticket) return;
  if (!decoded) return fail('The image could not be displayed. Choose another one.');
  // A query other than the class token waits for the full attention: a new image must not appear with old maps.
  const full = needsFullAttention(linked?.patch) ? await request('attention', { key: reply.key }) : null;
  if (mine !== ticket) return;
  show(reply, decoded, linked);
  if (typeof full === 'string') storeFull(full, reply.key);
  else fetchFull();
}

const needsFullAttention = (patches) => Boolean(patches) || state.pins.length > 0 || state.direction === 'to';

async function decodeImage(src) {
  const node = new Image();
  node.src = isImageUrl(src) ? src : '';
  try {
    await node.decode();
    return node;
  } catch {
    return null;
  }
}

let before = { ablated: [], removed: [], mode: 'zero', patch_mode: 'drop' }; // the changes shown last

function show(reply, decoded, linked) {
  const { layers, heads, rows: down, columns, aspect, prefix, classToken } = reply;
  const oldShape = shape;
  const sameGrid = oldShape && answer && oldShape.rows === down && oldShape.columns === columns;
  const names = answer && state.target.map((k) => answer.classes[k]);
  answer = reply;
  image = decoded;
  if (shown && JSON.stringify(shown.image) !== JSON.stringify(state.image)) state.target = []; // back to the predicted class
  shown = { checkpoint: state.checkpoint, image: state.image };
  refused = null;
  source = { firstRows: floatsOf(reply.cls), full: null };
  faithfulness = changed = null;
  before = { ...before, ablated: [], removed: [] };
  if (names && state.target.length) state.target = names.map((name) => reply.classes.indexOf(name)); // another model may number the classes differently
  if (!state.target.every((k) => k >= 0 && k < reply.classes.length)) state.target = [];
  limits = {};
  fullFailed = false;
  shape = { layers, heads, rows: down, columns, aspect, prefix, classToken, removed: [] };
  if (!rows || JSON.stringify({ ...oldShape, removed: [] }) !== JSON.stringify(shape)) build();
  fitState(linked, sameGrid);
  invalidate();
  stopWaiting(); // now, as a late "Working…" would replace later notices
  delete root.dataset.full;
  requestAnimationFrame(() => finishShowing(reply.key));
}

/** Keep the choices that the new model and grid allow. */
function fitState(linked, sameGrid) {
  state.layer = Math.min(state.layer, shape.layers - 1);
  state.head = Math.min(state.head, shape.heads - 1);
  state.hover = state.read = -1;
  if (linked) Object.assign(state, { pins: parsePatches(linked.patch), ablated: parseHeads(linked.ablated), removed: parsePatches(linked.removed) });
  else if (!sameGrid) state.pins = [];
  if (!linked) Object.assign(state, { ablated: [], removed: [] });
  state.multiple = state.pins.length > 1 || (state.multiple && state.pins.length > 0);
}

function finishShowing(key) {
  if (answer.key !== key) return;
  drawImage();
  drawOutlines();
  buildContrast();
  drawPredictions();
  root.dataset.state = 'ready';
  draw();
  syncControls();
  revealThumb();
  const best = predictedClass();
  speakSoon(0, `Predicted: ${answer.classes[best]}, ${percent(answer.probabilities[best], 1)}. `);
  if (state.ablated.length || state.removed.length) fetchAblation();
  fetchMethods(METHODS_DELAY);
  markPainted(key);
}

/** Send a request about the image on screen; if the server has evicted its explanation, recompute that first. */
async function requestCached(name, question = {}) {
  const mine = answer;
  const reply = await request(name, { ...question, key: mine.key });
  if (reply !== null || answer !== mine) return reply;
  const again = await request('explain', shown);
  if (!again?.key || answer !== mine) return again;
  if (String(again.probabilities) !== String(mine.probabilities)) { // its model has been trained further
    load(state.checkpoint, state.image);
    return { error: 'This model has been trained further: the image is explained again.' };
  }
  mine.key = again.key;
  root.dataset.ready = again.key;
  return request(name, { ...question, key: again.key });
}

/** Like `requestCached`, about the image with its ablated heads and removed patches. */
async function requestAblated(name, question) {
  if (!changed) return requestCached(name, question);
  const reply = await request(name, { ...question, key: changed.key });
  if (reply !== null) return reply;
  const failure = await fetchAblation();
  if (failure) return failure;
  return changed ? request(name, { ...question, key: changed.key }) : requestCached(name, question);
}

/** Fetch the attention between all tokens. */
async function fetchFull() {
  const [mine, current] = [answer, changed];
  const reply = await (current ? request('attention', { key: current.key }) : requestCached('attention'));
  if (answer !== mine || changed !== current) return;
  if (typeof reply === 'string') return storeFull(reply, currentKey());
  fullFailed = true;
  drawSoon();
}

function storeFull(reply, key) {
  const full = uint16Of(reply);
  const expected = shape.layers * shape.heads * tokenCount(shape) ** 2;
  fullFailed = full.length !== expected;
  if (!fullFailed) {
    source.full = full;
    root.dataset.full = key;
  }
  drawSoon();
}

let methodsTicket = 0; // like `ticket`, for the attribution maps
const pause = (time) => new Promise((resolve) => { setTimeout(resolve, time); });

/** Fetch the maps of all methods for the explained class, then their faithfulness scores.
    Both are slow on the server, so they are not requested for an image that is shown only briefly. */
async function fetchMethods(delay = 0) {
  const mine = ++methodsTicket;
  const [about, { target }] = [answer, state];
  const isStale = () => mine !== methodsTicket || answer !== about;
  faithfulness = null;
  delete root.dataset.methods;
  delete root.dataset.scores;
  invalidateMethod();
  for (const { key, forClass } of catalog.methods) if (forClass) delete answer.maps[key]; // those of another class
  drawMethods();
  await pause(delay);
  if (isStale()) return;
  for (const name of ['methods', 'scores']) {
    let reply = await requestCached(name, { target });
    while ((reply?.busy || isUnreachable(reply)) && !isStale()) {
      if (isUnreachable(reply)) abandonMethod(NO_ANSWER);
      await pause(RETRY_DELAY);
      if (!isStale()) reply = await requestCached(name, { target });
    }
    if (isStale()) return;
    if (!reply || reply.error) return abandonMethod(reply?.error || NO_ANSWER);
    if (notice === NO_ANSWER) showNotice(null);
    if (name === 'methods') answer.maps = reply.maps;
    else faithfulness = reply;
    root.dataset[name] = `${answer.key} ${target}`;
    invalidateMethod();
    drawMethods();
    draw();
    if (activeMethod()) speakSoon(SPEAK_DELAY);
  }
}

/** Show why a map is missing; a map of another class that is still shown large is replaced by the head. */
function abandonMethod(sentence) {
  invalidate();
  draw();
  showNotice(sentence, true);
}

let ablationTicket = 0; // like `ticket`, for ablated heads and removed patches

/** Fetch and show the prediction with the ablated heads and removed patches; without any, restore the unchanged image.
    Returns the error, if there is one. */
async function fetchAblation() {
  const mine = ++ablationTicket;
  const about = answer;
  const { ablated, removed, mode, patch_mode } = state;
  delete root.dataset.changed;
  if (!ablated.length && !removed.length) return showAblation(null, answer.cls);
  const heads = ablated.map((k) => [Math.floor(k / shape.heads), k % shape.heads]);
  const reply = await requestCached('ablate', {
    heads,
    patches: removed,
    mode,
    patch_mode,
  });
  if (mine !== ablationTicket || answer !== about) return;
  if (reply && !reply.error) return showAblation({ key: reply.key, probabilities: reply.probabilities }, reply.cls);
  Object.assign(state, before);
  const failure = { error: reply?.error || NO_ANSWER };
  showNotice(failure.error, true);
  drawPredictions();
  drawSoon();
  writeAddressSoon();
  return failure;
}

function showAblation(result, rowsText) {
  changed = result;
  before = { ablated: state.ablated, removed: state.removed, mode: state.mode, patch_mode: state.patch_mode };
  source = { firstRows: floatsOf(rowsText), full: null };
  fullFailed = false;
  shape.removed = result && state.patch_mode === 'drop' ? state.removed : [];
  invalidate();
  drawPredictions();
  draw();
  root.dataset.changed = currentKey();
  delete root.dataset.full;
  fetchFull();
  speakSoon(0);
}
