/* Event listeners: pointer, keys, drop, paste, theme. */

/** Store the patch under the pointer or chosen by keys in `state[name]`. */
function follow(stage, name, touchReads) {
  const move = (patch, delay) => {
    if (answer && patch !== state[name]) hover(() => { state[name] = patch; }, delay);
  };
  stage.addEventListener('pointermove', (event) => {
    if (answer && event.pointerType !== 'touch') move(patchAt(stage, event, shape));
  });
  stage.addEventListener('pointerleave', (event) => {
    if (event.pointerType !== 'touch') move(-1);
  });
  stage.addEventListener('blur', () => move(-1));
  stage.addEventListener('click', (event) => {
    if (!answer) return;
    const patch = patchAt(stage, event, shape);
    if (patch < 0) return;
    if (name === 'hover' && root.classList.contains('removing')) togglePatch(patch);
    else if (touchReads && event.pointerType === 'touch') move(state[name] === patch ? -1 : patch);
    else pinPatch(patch, event.shiftKey);
  });
  stage.addEventListener('keydown', (event) => {
    if (!answer || isShortcut(event)) return;
    const from = state[name] >= 0 ? state[name] : state.pins[0] ?? middlePatch(shape);
    if (ARROWS.includes(event.key)) move(neighbour(from, event.key, shape), 0);
    else if ((event.key === 'Enter' || event.key === ' ') && state[name] >= 0) pinPatch(state[name], event.shiftKey);
    else if (event.key === 'Escape') leaveStage(name);
    else if ((event.key === 'Delete' || event.key === 'Backspace') && state[name] >= 0) togglePatch(state[name]);
    else return;
    event.preventDefault();
  });
}

function leaveStage(name) {
  state[name] = -1;
  queryClassToken();
}

function walkMatrix(event) {
  if (!answer || isShortcut(event)) return;
  if (event.key === 'Escape') return queryClassToken();
  if (event.key === 'x' || event.key === 'Delete') return toggleHead();
  if (!ARROWS.includes(event.key)) return;
  event.preventDefault();
  const tile = nextTile(tiles, shape, state.layer, state.head, event.key);
  chooseHead(tile.layer, tile.head, 0);
  draw(); // on a phone the row of the tile is hidden until drawn, and could not be focused
  tile.button.focus();
}

/** Whether the Explore tab is the one on screen. */
const isVisible = () => root.offsetParent !== null;

/** Listen on the document while this component is mounted. */
function listenToPage(type, listener) {
  document.addEventListener(type, function handle(event) {
    if (element.isConnected) listener(event);
    else document.removeEventListener(type, handle);
  });
}

/** Accept files dropped anywhere on the page: outside of a drop zone the browser would navigate to the file. */
function acceptDrop(event) {
  if (![...(event.dataTransfer?.types ?? [])].includes('Files')) return;
  if (!isVisible() && event.target.closest?.('input[type=file]')) return; // a file input of another tab
  event.preventDefault();
  if (!isVisible()) return;
  root.classList.toggle('dropping', event.type === 'dragover');
  const file = event.dataTransfer.files[0];
  if (event.type === 'drop' && file) takeFile(file);
}

function acceptPaste(event) {
  if (!isVisible()) return;
  const file = [...(event.clipboardData?.files ?? [])][0];
  if (file) takeFile(file);
}

function changeTheme() {
  if (!answer) return;
  drawMethods();
  drawOutlines();
  drawSoon();
}

function listen() {
  follow(imageStage, 'hover', false);
  follow(mapStage, 'read', true);
  matrix.addEventListener('keydown', walkMatrix);
  controls.addEventListener('change', (event) => {
    if (answer) act(() => CHANGES[event.target.name](event.target.value), 0);
  });
  controls.addEventListener('click', ({ target }) => { // while a method is shown no option looks selected, although one is
    if (answer && state.method && target.checked && target.name !== 'display') act(() => CHANGES[target.name](target.value), 0);
  });
  controls.addEventListener('submit', (event) => event.preventDefault());
  picker.addEventListener('submit', (event) => event.preventDefault());
  for (const radio of picker.elements.source) radio.addEventListener('change', () => showShelf(radio.value));
  for (const select of findAll('.gallery select')) {
    select.addEventListener('change', () => {
      Object.assign(gallery, { label: Number(picker.elements.label.value), shown: picker.elements.shown.value, page: 0 });
      fillGallery();
    });
  }
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
  showCamera(false);
  find('[data-do=camera]').addEventListener('click', openCamera);
  find('[data-do=snap]').addEventListener('click', snap);
  find('[data-do=close-camera]').addEventListener('click', dismissCamera);
  for (const type of ['dragover', 'dragleave', 'drop']) listenToPage(type, acceptDrop);
  listenToPage('paste', acceptPaste);
  find('.class-token').addEventListener('click', queryClassToken);
  find('.outline-slider input').addEventListener('input', (event) => {
    find('.outlines').style.opacity = event.target.value / 100;
  });
  find('.model select').addEventListener('change', (event) => showModel(event.target.value));
  find('.contrast select').addEventListener('change', (event) => answer && chooseContrast(event.target.value));
  for (const select of findAll('.effect select')) {
    select.addEventListener('change', () => ablate({ [select.name]: select.value }));
  }
  layerSelect.addEventListener('change', () => chooseHead(Number(layerSelect.value), state.head, 0));
  find('[data-do=link]').addEventListener('click', copyLink);
  find('[data-do=figure]').addEventListener('click', saveFigure);
  find('[data-do=ablate]').addEventListener('click', toggleHead);
  find('[data-do=restore]').addEventListener('click', () => {
    ablate({ ablated: [], removed: [] });
    focusTile(); // the button disappears
  });
  find('[data-do=remove]').addEventListener('click', (event) => {
    const isOn = root.classList.toggle('removing');
    event.target.setAttribute('aria-pressed', isOn);
    showNotice(isOn ? 'Click patches to remove them; click again to restore them.' : null);
  });
  find('[data-do=leave]').addEventListener('click', () => {
    act(() => { state.method = null; }, 0);
    focusTile();
  });
  new IntersectionObserver(([entry]) => {
    mapIsInView = entry.isIntersecting;
    if (mapIsInView) jump.hidden = true;
  }).observe(mapStage);
  jump.addEventListener('click', () => mapStage.scrollIntoView({ block: 'center' }));
  find('.methods').addEventListener('keydown', (event) => event.key === 'Escape' && answer && queryClassToken());
  followTheme(changeTheme);
}

const focusTile = () => tiles.find(({ layer, head }) => layer === state.layer && head === state.head).button.focus({ preventScroll: true });

/** Explain the image on screen with another model. */
async function showModel(name) {
  await load(name, state.image);
  if (state.checkpoint === name) writeAddressSoon();
  if (!find('.shelf[data-source=cifar]').hidden) fillGallery();
}

/** Show the model that was chosen on another tab, taken from the address. */
async function refresh(models) {
  const { available } = catalog.cifar;
  await refreshModels(models);
  if (catalog.cifar.available !== available) {
    buildGallery();
    showShelf(picker.elements.source.value);
  }
  const chosen = new URLSearchParams(location.search).get('checkpoint');
  const isNew = chosen !== state.checkpoint && chosen !== shown?.checkpoint; // otherwise it is loading
  if (chosen && isNew && chosen !== refused && checkpointOf(chosen)) showModel(chosen);
}

/** Fill the lists that come from the catalog. */
function fillLists() {
  find('.model select').replaceChildren(...modelOptions());
  buildMethods();
  buildSamples();
  buildGallery();
}

/** Draw empty tiles in the size of the model until the first response arrives. */
function drawPlaceholders() {
  const { layers, heads } = checkpointOf(state.checkpoint);
  shape = { layers, heads, rows: 8, columns: 8, aspect: 1, prefix: 1, classToken: true, removed: [] };
  build();
}

async function start() {
  fillLists();
  listen();
  const models = find('.model select');
  const params = new URLSearchParams(location.search);
  if (isOfRun(params.get('checkpoint')) || (params.get('image') ?? '').startsWith('cifar')) {
    await refreshModels(models);
    buildGallery();
  }
  if (!catalog.checkpoints.length) return fail('No model found: put a checkpoint into the checkpoints folder and restart vitviz.');
  const linked = readAddress();
  if (state.image) picker.elements.source.value = state.image.kind;
  showShelf(picker.elements.source.value);
  drawPlaceholders();
  syncControls();
  if (!state.image) return fail('No sample image found: choose a CIFAR-10 image or upload one.');
  await load(state.checkpoint, state.image, linked);
  const missing = unavailableSentences();
  if (answer && missing) showNotice(missing);
  new IntersectionObserver(([entry]) => {
    if (entry.isIntersecting) refresh(models);
    else if (!isVisible()) closeCamera();
  }).observe(root);
}

start();
