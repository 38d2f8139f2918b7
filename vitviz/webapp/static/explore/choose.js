/* What a visitor may do with the image on screen. */

// --- actions ---

/** Change the state by hand: clear old notices, redraw, remember in the address. */
function act(change, delay = REST) {
  clearNotice();
  change();
  state.several &&= state.pins.length > 0; // without any it is the class token that asks
  syncControls();
  drawSoon();
  speakSoon(delay);
  writeAddressSoon();
  jump.hidden = mapIsInView;
}

function glance(change, delay = REST) {
  clearNotice();
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
  if (isGone(patch)) return tell(`${capital(patchName(patch, shape))} is left out: it asks nothing and gets nothing.`);
  const has = state.pins.includes(patch);
  act(() => {
    state.method = null;
    state.several ||= add;
    if (state.several) state.pins = has ? state.pins.filter((pin) => pin !== patch) : [...state.pins, patch];
    else state.pins = has ? [] : [patch];
  });
  speakSoon(REST, has ? 'Let go. ' : 'Kept. ');
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

/** Make buttons, selects and thumbnails say what the state says. */
function syncControls() {
  controls.elements.ask.value = state.several ? 'several' : state.pins.length ? 'one' : 'class';
  controls.elements.direction.value = state.direction;
  controls.elements.scale.value = state.scale;
  controls.elements.draw.value = state.smooth ? 'smooth' : 'patches';
  find('.model select').value = state.checkpoint;
  const now = JSON.stringify(state.image);
  for (const thumb of findAll('.thumb')) thumb.setAttribute('aria-pressed', thumb.dataset.image === now);
}

async function copyLink() {
  writeAddress();
  const rest = state.image?.kind === 'upload' ? ' Your own image is not part of it.' : '';
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
  const about = answer;
  const nullable = (index) => (index === MEAN ? null : index);
  const reply = await (state.method ? askAgain : askOfChanged)('figure', {
    layer: nullable(state.layer),
    head: nullable(state.head),
    patches: state.pins,
    direction: state.direction,
    method: state.method,
    target: state.target,
  });
  if (about !== answer) return;
  waitNoMore();
  if (!reply?.src) return tell(reply?.error || NO_ANSWER, true);
  saveAs(reply.name, reply.src);
  tell(`Saved as ${reply.name}.`);
}

/** The class that class-specific methods explain; the predicted one stands for itself. */
function chooseClass(k) {
  const other = state.target[1] === k ? [] : state.target.slice(1);
  retarget([k, ...other]);
}

function chooseVersus(text) {
  const first = targetClass();
  retarget(text === '' || Number(text) === first ? [first] : [first, Number(text)]);
}

function retarget(target) {
  const plain = target.length === 1 && target[0] === predictedClass();
  act(() => { state.target = plain ? [] : target; });
  drawPredictions();
  fetchMethods();
}

const toggled = (list, item) => (list.includes(item) ? list.filter((other) => other !== item) : [...list, item]);

/** Change what is off or gone, or what that means, and ask what the model says then. */
function takeAway(change) {
  act(() => Object.assign(state, change), 0);
  fetchChanged();
}

/** Switch the chosen head off, or on again. */
function toggleHead() {
  if (!answer || state.layer === MEAN || state.head === MEAN) return;
  takeAway({ off: toggled(state.off, state.layer * shape.heads + state.head), method: null });
}

/** Leave a patch out, or put it back. */
function togglePatch(patch) {
  takeAway({ gone: toggled(state.gone, patch), pins: state.pins.filter((pin) => pin !== patch), method: null });
}
