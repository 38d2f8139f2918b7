/* Events, which come last: pointer, keys, drop, paste, theme. */

/** Follow the pointer or the keys over a stage; `name` is the part of the state that follows. */
function follow(stage, name, touchReads) {
  const move = (patch, delay) => {
    if (answer && patch !== state[name]) glance(() => { state[name] = patch; }, delay);
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
    if (name === 'hover' && root.classList.contains('drops')) togglePatch(patch);
    else if (touchReads && event.pointerType === 'touch') move(state[name] === patch ? -1 : patch);
    else keepPatch(patch, event.shiftKey);
  });
  stage.addEventListener('keydown', (event) => {
    if (!answer || isShortcut(event)) return;
    const from = state[name] >= 0 ? state[name] : state.pins[0] ?? middlePatch(shape);
    if (ARROWS.includes(event.key)) move(neighbour(from, event.key, shape), 0);
    else if ((event.key === 'Enter' || event.key === ' ') && state[name] >= 0) keepPatch(state[name], event.shiftKey);
    else if (event.key === 'Escape') leaveStage(name);
    else if ((event.key === 'Delete' || event.key === 'Backspace') && state[name] >= 0) togglePatch(state[name]);
    else return;
    event.preventDefault();
  });
}

function leaveStage(name) {
  state[name] = -1;
  askClassToken();
}

function walkMatrix(event) {
  if (!answer || isShortcut(event)) return;
  if (event.key === 'Escape') return askClassToken();
  if (event.key === 'x' || event.key === 'Delete') return toggleHead();
  if (!ARROWS.includes(event.key)) return;
  event.preventDefault();
  const tile = nextTile(tiles, shape, state.layer, state.head, event.key);
  chooseHead(tile.layer, tile.head, 0);
  draw(); // on a phone the tile's row is hidden until then, and could not be focused
  tile.button.focus();
}

/** Whether this explorer is on screen: its tab may not be the one that is shown. */
const isOnScreen = () => root.offsetParent !== null;

/** Listen to the whole page for as long as this explorer is part of it. */
function listenToPage(type, listener) {
  document.addEventListener(type, function heard(event) {
    if (element.isConnected) listener(event);
    else document.removeEventListener(type, heard);
  });
}

/** A file may be dropped anywhere on the page: beside the explorer the browser would open it in place of the page. */
function acceptDrop(event) {
  if (![...(event.dataTransfer?.types ?? [])].includes('Files')) return;
  if (!isOnScreen() && event.target.closest?.('input[type=file]')) return; // another page's, which takes files
  event.preventDefault();
  if (!isOnScreen()) return;
  root.classList.toggle('dropping', event.type === 'dragover');
  const file = event.dataTransfer.files[0];
  if (event.type === 'drop' && file) takeFile(file);
}

function acceptPaste(event) {
  if (!isOnScreen()) return;
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
  controls.addEventListener('click', ({ target }) => { // while a method is shown none looks chosen, and one is
    if (answer && state.method && target.checked && target.name !== 'draw') act(() => CHANGES[target.name](target.value), 0);
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
  find('[data-do=close-camera]').addEventListener('click', putCameraAway);
  for (const type of ['dragover', 'dragleave', 'drop']) listenToPage(type, acceptDrop);
  listenToPage('paste', acceptPaste);
  find('.class-token').addEventListener('click', askClassToken);
  find('.outline-slider input').addEventListener('input', (event) => {
    find('.outlines').style.opacity = event.target.value / 100;
  });
  find('.model select').addEventListener('change', (event) => showModel(event.target.value));
  find('.versus select').addEventListener('change', (event) => answer && chooseVersus(event.target.value));
  for (const select of findAll('.effect select')) {
    select.addEventListener('change', () => takeAway({ [select.name]: select.value }));
  }
  layerSelect.addEventListener('change', () => chooseHead(Number(layerSelect.value), state.head, 0));
  find('[data-do=link]').addEventListener('click', copyLink);
  find('[data-do=figure]').addEventListener('click', saveFigure);
  find('[data-do=off]').addEventListener('click', toggleHead);
  find('[data-do=restore]').addEventListener('click', () => {
    takeAway({ off: [], gone: [] });
    focusTile(); // the button goes away
  });
  find('[data-do=drop]').addEventListener('click', (event) => {
    event.target.setAttribute('aria-pressed', root.classList.toggle('drops'));
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
  find('.methods').addEventListener('keydown', (event) => event.key === 'Escape' && answer && askClassToken());
  followTheme(changeTheme);
}

const focusTile = () => tiles.find(({ layer, head }) => layer === state.layer && head === state.head).button.focus({ preventScroll: true });

/** Show the image as another model sees it. */
async function showModel(name) {
  await load(name, state.image);
  if (state.checkpoint === name) writeAddressSoon();
  if (!find('.shelf[data-source=cifar]').hidden) fillGallery();
}

/** What was chosen on another tab, and stands in the address, is shown here, too. */
async function comeBack(models) {
  const { available } = catalog.cifar;
  await learnOffers(models);
  if (catalog.cifar.available !== available) {
    buildGallery();
    showShelf(picker.elements.source.value);
  }
  const asked = new URLSearchParams(location.search).get('checkpoint');
  const isNew = asked !== state.checkpoint && asked !== shown?.checkpoint; // else what was chosen is on its way
  if (asked && isNew && asked !== refused && checkpointOf(asked)) showModel(asked);
}

/** Fill the lists that come from the catalog. */
function fillLists() {
  find('.model select').replaceChildren(...modelOptions());
  buildMethods();
  buildSamples();
  buildGallery();
}

/** Empty tiles in the size of the model, until the first answer comes. */
function sketch() {
  const { layers, heads } = checkpointOf(state.checkpoint);
  shape = { layers, heads, rows: 8, columns: 8, aspect: 1, prefix: 1, classToken: true, gone: [] };
  build();
}

async function start() {
  fillLists();
  listen();
  const models = find('.model select');
  const linked = new URLSearchParams(location.search);
  if (isOfRun(linked.get('checkpoint')) || (linked.get('image') ?? '').startsWith('cifar')) {
    await learnOffers(models);
    buildGallery();
  }
  if (!catalog.checkpoints.length) return fail('There is no model to explore yet: put a checkpoint in the folder of checkpoints and start vitviz again.');
  const asked = readAddress();
  if (state.image) picker.elements.source.value = state.image.kind;
  showShelf(picker.elements.source.value);
  sketch();
  syncControls();
  if (!state.image) return fail('There is no sample image: choose CIFAR-10 or your own.');
  await load(state.checkpoint, state.image, asked);
  const absent = absentSentences();
  if (answer && absent) tell(absent);
  new IntersectionObserver(([entry]) => {
    if (entry.isIntersecting) comeBack(models);
    else if (!isOnScreen()) closeCamera();
  }).observe(root);
}

start();
