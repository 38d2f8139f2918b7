/* What a visitor may do: actions, and pictures to choose from. */

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
    key: state.method ? answer.key : keyNow(),
    layer: nullable(state.layer),
    head: nullable(state.head),
    patches: state.pins,
    direction: state.direction,
    method: state.method,
    target: state.target,
  });
  waitNoMore();
  if (!reply?.src) return tell(reply?.error || NO_ANSWER, true);
  saveAs(reply.name, reply.src);
  tell(`Saved as ${reply.name}.`);
}

// --- pictures to choose from ---

function makeThumb(wanted, name, src) {
  const thumb = make('button', 'thumb');
  const image = make('img');
  thumb.type = 'button';
  thumb.dataset.picture = JSON.stringify(wanted);
  image.alt = thumb.title = name;
  if (isPicture(src)) image.src = src;
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

const gallery = { label: -1, shown: 'all', page: 0, pages: 1, ticket: 0, filled: '' }; // `filled`: what is on screen

function buildGallery() {
  const { available, classes, message } = catalog.cifar;
  const shelf = find('.shelf[data-source=cifar]');
  shelf.querySelector('.empty').hidden = available;
  shelf.querySelector('.gallery').hidden = !available;
  setText(shelf.querySelector('.empty'), available ? '' : message);
  const options = ['All classes', ...(classes || [])].map((name, k) => new Option(name, k - 1));
  picker.elements.label.replaceChildren(...options);
}

/** What is asked for; what the model says matters only where it chooses. */
function galleryWanted() {
  const { label, shown, page } = gallery;
  return { label, shown, page, ...(shown === 'all' ? {} : { checkpoint: state.checkpoint }) };
}

async function fillGallery() {
  const asked = galleryWanted();
  if (!catalog.cifar.available || JSON.stringify(asked) === gallery.filled) return;
  const mine = ++gallery.ticket;
  const sorting = find('.sorting');
  const patience = setTimeout(() => { sorting.hidden = mine !== gallery.ticket; }, LINGER);
  const reply = await ask('gallery', asked);
  clearTimeout(patience);
  if (mine !== gallery.ticket) return;
  sorting.hidden = true;
  if (!reply || reply.error) return tell(reply?.error || NO_ANSWER, true);
  gallery.filled = JSON.stringify(asked);
  gallery.pages = Math.max(1, reply.pages);
  const name = (label) => catalog.cifar.classes[label] ?? 'picture';
  const thumbs = reply.pictures.map(({ index, label, src, said, probability }) => {
    const words = said == null ? '' : `, named ${said} with ${percent(probability, 0)}`;
    return makeThumb({ kind: 'cifar', index }, `${name(label)}, picture ${index}${words}`, src);
  });
  find('.gallery .thumbs').replaceChildren(...thumbs);
  setText(find('.page-number'), reply.pages ? `${gallery.page + 1} of ${gallery.pages}` : 'none');
  find('[data-page="-1"]').disabled = gallery.page === 0;
  find('[data-page="1"]').disabled = gallery.page >= gallery.pages - 1;
  syncControls();
}

function showShelf(kind) {
  for (const shelf of findAll('.shelf')) shelf.hidden = shelf.dataset.source !== kind;
  if (kind === 'cifar') fillGallery();
  if (kind !== 'upload') closeCamera();
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

// --- the camera ---

const camera = find('.camera video');
const canFilm = Boolean(navigator.mediaDevices?.getUserMedia);

async function openCamera() {
  tell(null);
  try {
    camera.srcObject = await navigator.mediaDevices.getUserMedia({ video: { width: { ideal: 640 } } });
  } catch {
    return tell('The browser gives no camera to this page. Allow it there, or choose a file.', true);
  }
  await camera.play();
  showCamera(true);
  find('[data-do=snap]').focus();
}

function showCamera(isOpen) {
  find('.camera').hidden = !isOpen;
  find('[data-do=camera]').hidden = isOpen || !canFilm;
}

function closeCamera() {
  for (const track of camera.srcObject?.getTracks() ?? []) track.stop();
  camera.srcObject = null;
  showCamera(false);
}

/** Take what the camera sees as a picture. */
function snap() {
  const canvas = make('canvas');
  Object.assign(canvas, { width: camera.videoWidth, height: camera.videoHeight });
  canvas.getContext('2d').drawImage(camera, 0, 0);
  closeCamera();
  canvas.toBlob((blob) => takeFile(new File([blob], 'photo.png', { type: 'image/png' })));
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)}${SPACE}MB`;

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
  act(() => { state.target = plain ? [] : target; }, 0);
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
