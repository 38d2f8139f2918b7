/* Asking Python: an image, its whole attention; the latest question wins. */

let ticket = 0; // the newest question wins, late answers to older ones are dropped
let refused = null; // the model that could not be shown

function fail(sentence) {
  root.dataset.state = 'error';
  waitNoMore();
  if (shown) Object.assign(state, shown);
  syncControls();
  tell(sentence, true);
}

/** Ask for an image seen by a model, and show it if nothing newer was asked meanwhile. */
async function load(checkpoint, wanted, asked = null) {
  const mine = ++ticket;
  Object.assign(state, { checkpoint, image: wanted });
  beginWork();
  syncControls();
  const reply = await ask('explain', { checkpoint, image: wanted });
  if (mine !== ticket) return;
  if (!reply || reply.error) {
    if (reply && !reply.busy && !isAway(reply)) refused = checkpoint;
    return fail(reply?.error || NO_ANSWER);
  }
  const image = await decoded(reply.image.src);
  if (mine !== ticket) return;
  if (!image) return fail('The image could not be shown. Choose another one.');
  // A question beyond the first rows waits for all: new image and old maps must never meet.
  const full = needsFull(asked?.patch) ? await ask('attention', { key: reply.key }) : null;
  if (mine !== ticket) return;
  show(reply, image, asked);
  if (typeof full === 'string') keepFull(full, reply.key);
  else fetchFull();
}

const needsFull = (patches) => Boolean(patches) || state.pins.length > 0 || state.direction === 'to';

async function decoded(src) {
  const image = new Image();
  image.src = isImage(src) ? src : '';
  try {
    await image.decode();
    return image;
  } catch {
    return null;
  }
}

let before = { off: [], gone: [], instead: 'nothing', way: 'drop' }; // what was off or gone when it was last shown

function show(reply, image, asked) {
  const { layers, heads, rows: down, columns, aspect, prefix, classToken } = reply;
  const oldShape = shape;
  const kept = oldShape && answer && oldShape.rows === down && oldShape.columns === columns;
  const names = answer && state.target.map((k) => answer.classes[k]);
  answer = reply;
  image = image;
  if (shown && JSON.stringify(shown.image) !== JSON.stringify(state.image)) state.target = []; // back to what is predicted
  shown = { checkpoint: state.checkpoint, image: state.image };
  refused = null;
  source = { firstRows: floatsOf(reply.cls), full: null };
  judged = changed = null;
  before = { ...before, off: [], gone: [] };
  if (names && state.target.length) state.target = names.map((name) => reply.classes.indexOf(name)); // another model may number them otherwise
  if (!state.target.every((k) => k >= 0 && k < reply.classes.length)) state.target = [];
  limits = {};
  fullFailed = false;
  shape = { layers, heads, rows: down, columns, aspect, prefix, classToken, gone: [] };
  if (!rows || JSON.stringify({ ...oldShape, gone: [] }) !== JSON.stringify(shape)) build();
  fitChoice(asked, kept);
  forgetPainted();
  delete root.dataset.full;
  requestAnimationFrame(() => finishShowing(reply.key));
}

/** Keep what the visitor chose where the new model and grid allow it. */
function fitChoice(asked, kept) {
  state.layer = Math.min(state.layer, shape.layers - 1);
  state.head = Math.min(state.head, shape.heads - 1);
  state.hover = state.read = -1;
  if (asked) Object.assign(state, { pins: parsePatches(asked.patch), off: parseHeads(asked.off), gone: parsePatches(asked.gone) });
  else if (!kept) state.pins = [];
  if (!asked) Object.assign(state, { off: [], gone: [] });
  state.several = state.pins.length > 1 || (state.several && state.pins.length > 0);
}

function finishShowing(key) {
  if (answer.key !== key) return;
  waitNoMore();
  drawImage();
  drawOutlines();
  buildVersus();
  drawPredictions();
  root.dataset.state = 'ready';
  draw();
  syncControls();
  revealThumb();
  const best = predictedClass();
  speakSoon(0, `Predicted: ${answer.classes[best]}, ${percent(answer.probabilities[best], 1)}. `);
  if (state.off.length || state.gone.length) fetchChanged();
  fetchMethods(LINGER);
  markPainted(key);
}

/** Ask about the image on screen; if Python has let it go, have it explained once more first. */
async function askAgain(name, question = {}) {
  const mine = answer;
  const reply = await ask(name, { ...question, key: mine.key });
  if (reply !== null || answer !== mine) return reply;
  const again = await ask('explain', shown);
  if (!again?.key || answer !== mine) return again;
  if (String(again.probabilities) !== String(mine.probabilities)) { // its model has learned on
    load(state.checkpoint, state.image);
    return { error: 'This model has learned on since: the image is explained anew.' };
  }
  mine.key = again.key;
  root.dataset.ready = again.key;
  return ask(name, { ...question, key: again.key });
}

/** The same about the image with what is off and left out on it. */
async function askOfChanged(name, question) {
  if (!changed) return askAgain(name, question);
  const reply = await ask(name, { ...question, key: changed.key });
  if (reply !== null) return reply;
  const refusal = await fetchChanged();
  if (refusal) return refusal;
  return changed ? ask(name, { ...question, key: changed.key }) : askAgain(name, question);
}

/** Fetch the attention between all tokens. */
async function fetchFull() {
  const [mine, now] = [answer, changed];
  const reply = await (now ? ask('attention', { key: now.key }) : askAgain('attention'));
  if (answer !== mine || changed !== now) return;
  if (typeof reply === 'string') return keepFull(reply, keyNow());
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

let methodsTicket = 0; // as above, for the strip of methods
const pause = (time) => new Promise((resolve) => { setTimeout(resolve, time); });

/** Fetch the maps of all methods for the class that is explained, then what they are worth.
    Both take the server a while, so an image that is only passed over is not asked about. */
async function fetchMethods(delay = 0) {
  const mine = ++methodsTicket;
  const [about, { target }] = [answer, state];
  const late = () => mine !== methodsTicket || answer !== about;
  judged = null;
  delete root.dataset.methods;
  delete root.dataset.scores;
  forgetMethod();
  for (const { key, forClass } of catalog.methods) if (forClass) delete answer.maps[key]; // those of another class
  drawMethods();
  await pause(delay);
  if (late()) return;
  for (const name of ['methods', 'scores']) {
    let reply = await askAgain(name, { target });
    while ((reply?.busy || isAway(reply)) && !late()) {
      if (isAway(reply)) leaveLarge(NO_ANSWER);
      await pause(BUSY_PAUSE);
      if (!late()) reply = await askAgain(name, { target });
    }
    if (late()) return;
    if (!reply || reply.error) return leaveLarge(reply?.error || NO_ANSWER);
    if (notice === NO_ANSWER) tell(null);
    if (name === 'methods') answer.maps = reply.maps;
    else judged = reply;
    root.dataset[name] = `${answer.key} ${target}`;
    forgetMethod();
    drawMethods();
    draw();
    if (activeMethod()) speakSoon(REST);
  }
}

/** Say why a map does not come; one for another class that stands large meanwhile is left. */
function leaveLarge(refusal) {
  forgetPainted();
  draw();
  tell(refusal, true);
}

let changeTicket = 0; // as above, for heads switched off and patches left out

/** Ask what the model says without these heads and patches, and show that; without any, go back to the image as it is.
    Gives the refusal, if there is one. */
async function fetchChanged() {
  const mine = ++changeTicket;
  const about = answer;
  const { off, gone, instead, way } = state;
  delete root.dataset.changed;
  if (!off.length && !gone.length) return showChanged(null, answer.cls);
  const heads = off.map((k) => [Math.floor(k / shape.heads), k % shape.heads]);
  const reply = await askAgain('intervene', { heads, patches: gone, instead, way });
  if (mine !== changeTicket || answer !== about) return;
  if (reply && !reply.error) return showChanged({ key: reply.key, probabilities: reply.probabilities }, reply.cls);
  Object.assign(state, before);
  const refusal = { error: reply?.error || NO_ANSWER };
  tell(refusal.error, true);
  drawPredictions();
  drawSoon();
  writeAddressSoon();
  return refusal;
}

function showChanged(now, rowsText) {
  changed = now;
  before = { off: state.off, gone: state.gone, instead: state.instead, way: state.way };
  source = { firstRows: floatsOf(rowsText), full: null };
  fullFailed = false;
  shape.gone = now && state.way === 'drop' ? state.gone : [];
  forgetPainted();
  drawPredictions();
  draw();
  root.dataset.changed = keyNow();
  delete root.dataset.full;
  fetchFull();
  speakSoon(0);
}
