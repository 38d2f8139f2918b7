/* Images to choose from: samples, test images, files and the camera. */

const picker = find('.picker');

function makeThumb(wanted, name, src) {
  const thumb = make('button', 'thumb');
  const image = make('img');
  thumb.type = 'button';
  thumb.dataset.image = JSON.stringify(wanted);
  image.alt = thumb.title = name;
  if (isImage(src)) image.src = src;
  thumb.append(image);
  thumb.addEventListener('click', () => chooseImage(wanted));
  return thumb;
}

async function chooseImage(wanted) {
  await load(state.checkpoint, wanted);
  writeAddressSoon();
}

function buildSamples() {
  const thumbs = catalog.samples.map(({ name, src }) => makeThumb({ kind: 'sample', name }, name, src));
  find('[data-source=sample] .thumbs').replaceChildren(...thumbs);
}

/** In a strip that scrolls, bring the chosen image into view. */
function revealThumb() {
  const thumb = find('.thumb[aria-pressed=true]');
  if (thumb) thumb.parentElement.scrollTop = thumb.offsetTop - thumb.offsetHeight;
}

const gallery = { label: -1, shown: 'all', page: 0, pages: 1, ticket: 0, filled: null }; // `filled`: what is on screen

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

/** Let the choices say what is on screen. */
function chooseInGallery({ label, shown, page }) {
  Object.assign(gallery, { label, shown, page });
  picker.elements.label.value = label;
  picker.elements.shown.value = shown;
}

/** While a model sorts the images for a first time, those on screen are not what is asked for. */
function waitInGallery(isWaiting) {
  find('.sorting').hidden = !isWaiting;
  find('.gallery .thumbs').inert = isWaiting;
  find('[data-page="-1"]').disabled = isWaiting || gallery.page === 0;
  find('[data-page="1"]').disabled = isWaiting || gallery.page >= gallery.pages - 1;
}

async function fillGallery() {
  if (!catalog.cifar.available) return;
  const asked = galleryWanted();
  const mine = ++gallery.ticket;
  if (JSON.stringify(asked) === JSON.stringify(gallery.filled)) return waitInGallery(false); // back to what is on screen
  const patience = setTimeout(() => mine === gallery.ticket && waitInGallery(true), LINGER);
  const reply = await ask('gallery', asked);
  clearTimeout(patience);
  if (mine !== gallery.ticket) return;
  if (!reply || reply.error) {
    if (gallery.filled) chooseInGallery(gallery.filled);
    waitInGallery(false);
    return tell(reply?.error || NO_ANSWER, true);
  }
  gallery.filled = asked;
  gallery.pages = Math.max(1, reply.pages);
  if (gallery.page >= gallery.pages) { // another model names fewer of them wrong
    gallery.page = gallery.pages - 1;
    return fillGallery();
  }
  const name = (label) => catalog.cifar.classes[label] ?? 'image';
  const thumbs = reply.images.map(({ index, label, src, said, probability }) => {
    const words = said == null ? '' : `, named ${said} with ${percent(probability, 0)}`;
    return makeThumb({ kind: 'cifar', index }, `${name(label)}, image ${index}${words}`, src);
  });
  find('.gallery .thumbs').replaceChildren(...thumbs);
  setText(find('.page-number'), reply.pages ? `${gallery.page + 1} of ${gallery.pages}` : 'none');
  waitInGallery(false);
  syncControls();
}

function showShelf(kind) {
  for (const shelf of findAll('.shelf')) shelf.hidden = shelf.dataset.source !== kind;
  if (kind === 'cifar') fillGallery();
  if (kind !== 'upload') closeCamera();
}

async function takeFile(file) {
  if (!file.type.startsWith('image/')) {
    return tell(`Only images can be shown: ${file.name} is ${file.type || 'of an unknown kind'}. Choose a PNG, JPEG or WebP file.`, true);
  }
  if (file.size > catalog.mostBytes) {
    return tell(`An image may have at most ${mebibytes(catalog.mostBytes)}: ${file.name} has ${mebibytes(file.size)}. Save it smaller, as JPEG for example.`, true);
  }
  const mine = ++ticket;
  picker.elements.source.value = 'upload';
  showShelf('upload');
  beginWork();
  try {
    const { path } = await upload(file);
    if (mine === ticket) chooseImage({ kind: 'upload', path, name: file.name });
  } catch {
    if (mine === ticket) fail(`The server did not take ${file.name}: it is away, or holds as many images as it can. Try again later.`);
  }
}

// --- the camera ---

const camera = find('.camera video');
const canFilm = Boolean(navigator.mediaDevices?.getUserMedia);

async function openCamera() {
  tell(null);
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { width: { ideal: 640 } } });
  } catch {
    return tell('The browser gives no camera to this page. Allow it there, or choose a file.', true);
  }
  closeCamera(); // a second click may have opened it while the browser asked
  if (find('.shelf[data-source=upload]').hidden || !isOnScreen()) return stopTracks(stream); // the visitor went on meanwhile
  camera.srcObject = stream;
  try {
    await camera.play();
  } catch {
    return camera.srcObject === stream && closeCamera(); // it was closed, or opened once more, meanwhile
  }
  showCamera(true);
  find('[data-do=snap]').focus();
}

function showCamera(isOpen) {
  find('.camera').hidden = !isOpen;
  find('[data-do=camera]').hidden = isOpen || !canFilm;
}

function stopTracks(stream) {
  for (const track of stream?.getTracks() ?? []) track.stop();
}

function closeCamera() {
  stopTracks(camera.srcObject);
  camera.srcObject = null;
  showCamera(false);
}

/** Close the camera by its button, which goes with it. */
function putCameraAway() {
  closeCamera();
  find('[data-do=camera]').focus();
}

/** Take what the camera sees as an image. */
function snap() {
  const canvas = make('canvas');
  Object.assign(canvas, { width: camera.videoWidth, height: camera.videoHeight });
  canvas.getContext('2d').drawImage(camera, 0, 0);
  closeCamera();
  canvas.toBlob((blob) => takeFile(new File([blob], 'photo.png', { type: 'image/png' })));
}

const mebibytes = (bytes) => `${(bytes / 2 ** 20).toFixed(1).replace('.0', '')}${SPACE}MiB`;
