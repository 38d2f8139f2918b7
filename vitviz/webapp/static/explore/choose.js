/* User actions on the image on screen. */

// --- actions ---

/** Change the state: clear notices, redraw, update the address. */
function act(change, delay = SPEAK_DELAY) {
  clearNotice();
  change();
  state.multiple &&= state.pins.length > 0; // without pinned patches the class token is the query
  syncControls();
  drawSoon();
  speakSoon(delay);
  writeAddressSoon();
  jump.hidden = mapIsInView;
}

/** Change what the pointer points at: redraw, but leave the address as it is. */
function hover(change, delay = SPEAK_DELAY) {
  clearNotice();
  change();
  drawSoon();
  speakSoon(delay);
}

function chooseHead(layer, head, delay = SPEAK_DELAY) {
  act(() => Object.assign(state, { layer, head, method: null }), delay);
}

function queryClassToken() {
  act(() => Object.assign(state, { pins: [], hover: -1, multiple: false, method: null }), 0);
}

/** Pin or unpin a patch; with `add`, together with the patches pinned before. */
function pinPatch(patch, add) {
  if (isRemoved(patch)) return showNotice(`${capital(patchName(patch, shape))} is removed: it neither attends nor is attended to.`);
  const isPinned = state.pins.includes(patch);
  act(() => {
    state.method = null;
    state.multiple ||= add;
    if (state.multiple) state.pins = isPinned ? state.pins.filter((pin) => pin !== patch) : [...state.pins, patch];
    else state.pins = isPinned ? [] : [patch];
  });
  speakSoon(SPEAK_DELAY, isPinned ? 'Unpinned. ' : 'Pinned. ');
}

const CHANGES = {
  query(value) {
    state.method = null;
    state.multiple = value === 'patches';
    if (value === 'class') state.pins = [];
    else if (!state.pins.length) state.pins = [middlePatch(shape)];
    if (value === 'patch') state.pins = state.pins.slice(0, 1);
  },
  direction(value) {
    Object.assign(state, { direction: value, method: null });
  },
  scale(value) {
    Object.assign(state, { scale: value, method: null });
  },
  display(value) {
    state.smooth = value === 'smooth';
  },
};

const controls = find('.controls');

/** Make buttons, selects and thumbnails match the state. */
function syncControls() {
  controls.elements.query.value = state.multiple ? 'patches' : state.pins.length ? 'patch' : 'class';
  controls.elements.direction.value = state.direction;
  controls.elements.scale.value = state.scale;
  controls.elements.display.value = state.smooth ? 'smooth' : 'patches';
  find('.model select').value = state.checkpoint;
  const current = JSON.stringify(state.image);
  for (const thumb of findAll('.thumb')) thumb.setAttribute('aria-pressed', thumb.dataset.image === current);
}

async function copyLink() {
  writeAddress();
  const rest = state.image?.kind === 'upload' ? ' It does not contain the uploaded image.' : '';
  try {
    await navigator.clipboard.writeText(location.href);
    showNotice(`Link copied.${rest}`);
  } catch {
    showNotice(`The browser does not allow copying: copy the link from the address bar.${rest}`);
  }
}

async function saveFigure() {
  if (!answer) return;
  showWaiting();
  const about = answer;
  const nullable = (index) => (index === MEAN ? null : index);
  const reply = await (state.method ? requestCached : requestAblated)('figure', {
    layer: nullable(state.layer),
    head: nullable(state.head),
    patches: state.pins,
    direction: state.direction,
    method: state.method,
    target: state.target,
  });
  if (about !== answer) return;
  stopWaiting();
  if (!reply?.src) return showNotice(reply?.error || NO_ANSWER, true);
  saveAs(reply.name, reply.src);
  showNotice(`Saved as ${reply.name}.`);
}

/** Choose the class that class-specific methods explain. */
function chooseClass(k) {
  const other = state.target[1] === k ? [] : state.target.slice(1);
  retarget([k, ...other]);
}

function chooseContrast(text) {
  const first = targetClass();
  retarget(text === '' || Number(text) === first ? [first] : [first, Number(text)]);
}

function retarget(target) {
  const isDefault = target.length === 1 && target[0] === predictedClass();
  act(() => { state.target = isDefault ? [] : target; });
  drawPredictions();
  fetchMethods();
}

const toggled = (list, item) => (list.includes(item) ? list.filter((other) => other !== item) : [...list, item]);

/** Change the ablated heads, the removed patches or their replacement, and fetch the new prediction. */
function ablate(change) {
  act(() => Object.assign(state, change), 0);
  fetchAblation();
}

/** Ablate or restore the selected head. */
function toggleHead() {
  if (!answer || state.layer === MEAN || state.head === MEAN) return;
  ablate({ ablated: toggled(state.ablated, state.layer * shape.heads + state.head), method: null });
}

/** Remove or restore a patch. */
function togglePatch(patch) {
  ablate({ removed: toggled(state.removed, patch), pins: state.pins.filter((pin) => pin !== patch), method: null });
}
