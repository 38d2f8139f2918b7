/* Choice of images: samples, test images, uploads and the camera. */

const picker = find('.picker');

function makeThumb(wanted, name, src) {
  const thumb = make('button', 'thumb');
  const image = make('img');
  thumb.type = 'button';
  thumb.dataset.image = JSON.stringify(wanted);
  image.alt = thumb.title = name;
  if (isImageUrl(src)) image.src = src;
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

/** Scroll the chosen thumbnail into view. */
function revealThumb() {
  const thumb = find('.thumb[aria-pressed=true]');
  if (thumb) thumb.parentElement.scrollTop = thumb.offsetTop - thumb.offsetHeight;
}

const gallery = { label: -1, shown: 'all', page: 0, pages: 1, ticket: 0, filled: null }; // `filled`: the query on screen

function buildGallery() {
  const { available, classes, message } = catalog.cifar;
  const shelf = find('.shelf[data-source=cifar]');
  shelf.querySelector('.empty').hidden = available;
  shelf.querySelector('.gallery').hidden = !available;
  setText(shelf.querySelector('.empty'), available ? '' : message);
  const options = ['All classes', ...(classes || [])].map((name, k) => new Option(name, k - 1));
  picker.elements.label.replaceChildren(...options);
}

/** The query of the gallery; the model matters only if the images are selected by its predictions. */
function galleryQuery() {
  const { label, shown, page } = gallery;
  return { label, shown, page, ...(shown === 'all' ? {} : { checkpoint: state.checkpoint }) };
}

/** Set the selects to the images on screen. */
function chooseInGallery({ label, shown, page }) {
  Object.assign(gallery, { label, shown, page });
  picker.elements.label.value = label;
  picker.elements.shown.value = shown;
}

/** While a model classifies the test images for the first time, mark the images on screen as outdated. */
function waitInGallery(isWaiting) {
  find('.sorting').hidden = !isWaiting;
  find('.gallery .thumbs').inert = isWaiting;
  find('[data-page="-1"]').disabled = isWaiting || gallery.page === 0;
  find('[data-page="1"]').disabled = isWaiting || gallery.page >= gallery.pages - 1;
}

async function fillGallery() {
  if (!catalog.cifar.available) return;
  const query = galleryQuery();
  const mine = ++gallery.ticket;
  if (JSON.stringify(query) === JSON.stringify(gallery.filled)) return waitInGallery(false); // back to the images on screen
  const waiting = setTimeout(() => mine === gallery.ticket && waitInGallery(true), METHODS_DELAY);
  const reply = await request('gallery', query);
  clearTimeout(waiting);
  if (mine !== gallery.ticket) return;
  if (!reply || reply.error) {
    if (gallery.filled) chooseInGallery(gallery.filled);
    waitInGallery(false);
    return showNotice(reply?.error || NO_ANSWER, true);
  }
  gallery.filled = query;
  gallery.pages = Math.max(1, reply.pages);
  if (gallery.page >= gallery.pages) { // another model misclassifies fewer images
    gallery.page = gallery.pages - 1;
    return fillGallery();
  }
  const name = (label) => catalog.cifar.classes[label] ?? 'image';
  const thumbs = reply.images.map(({ index, label, src, prediction, probability }) => {
    const predicted = prediction == null ? '' : `, predicted ${prediction} with ${percent(probability, 0)}`;
    return makeThumb({ kind: 'cifar', index }, `${name(label)}, image ${index}${predicted}`, src);
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
    return showNotice(`The file must be an image: ${file.name} is ${file.type || 'of unknown type'}. Choose a PNG, JPEG or WebP file.`, true);
  }
  if (file.size > catalog.maxBytes) {
    return showNotice(`An image may have at most ${mebibytes(catalog.maxBytes)}: ${file.name} has ${mebibytes(file.size)}. Reduce its size, for example by saving it as JPEG.`, true);
  }
  const mine = ++ticket;
  picker.elements.source.value = 'upload';
  showShelf('upload');
  startWaiting();
  try {
    const { path } = await upload(file);
    if (mine === ticket) chooseImage({ kind: 'upload', path, name: file.name });
  } catch {
    if (mine === ticket) fail(`${file.name} could not be uploaded: the server is unreachable, or its upload storage is full. Try again later.`);
  }
}

// --- the camera ---

const camera = find('.camera video');
const hasCamera = Boolean(navigator.mediaDevices?.getUserMedia);

async function openCamera() {
  showNotice(null);
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { width: { ideal: 640 } } });
  } catch {
    return showNotice('Camera access was denied, or no camera was found. Allow access in the browser, or choose a file.', true);
  }
  closeCamera(); // a second click may have opened it during the permission prompt
  if (find('.shelf[data-source=upload]').hidden || !isVisible()) return stopTracks(stream); // the user has left the shelf or the tab
  camera.srcObject = stream;
  try {
    await camera.play();
  } catch {
    return camera.srcObject === stream && closeCamera(); // it was closed or reopened in between
  }
  showCamera(true);
  find('[data-do=snap]').focus();
}

function showCamera(isOpen) {
  find('.camera').hidden = !isOpen;
  find('[data-do=camera]').hidden = isOpen || !hasCamera;
}

function stopTracks(stream) {
  for (const track of stream?.getTracks() ?? []) track.stop();
}

function closeCamera() {
  stopTracks(camera.srcObject);
  camera.srcObject = null;
  showCamera(false);
}

/** Close the camera and move the focus from its button, which disappears. */
function dismissCamera() {
  closeCamera();
  find('[data-do=camera]').focus();
}

/** Take a photo and explain it. */
function snap() {
  const canvas = make('canvas');
  Object.assign(canvas, { width: camera.videoWidth, height: camera.videoHeight });
  canvas.getContext('2d').drawImage(camera, 0, 0);
  closeCamera();
  canvas.toBlob((blob) => takeFile(new File([blob], 'photo.png', { type: 'image/png' })));
}

const mebibytes = (bytes) => `${(bytes / 2 ** 20).toFixed(1).replace('.0', '')}${SPACE}MiB`;
