/* The timeline: attention of the class token, snapshot by snapshot. All snapshots of one image are in the browser, so
   that stepping through them needs no request. */

const slider = find('.snapshot');
const playButton = find('[data-do=play]');
const sourceSelect = find('.source');
const mapNode = find('.map');
const STEP = 200; // ms per snapshot while playing
const BARS = 6; // number of classes shown

let source = null; // of the timeline on screen: a bundled checkpoint, or runs/NAME
let image = 0; // index of the probe image
let snapshot = -1; // index; the last one follows the training
let past = null; // {shape, classes, images, snapshots: [{epoch, seconds, firstRows, probabilities, ...}]}
let rows = null; // of the snapshot on screen, with means
let grid = null; // {tiles, labels}
let mapTile = null;
let chosen = { layer: MEAN, head: MEAN };
let read = -1; // the patch under the pointer
let playing = 0;
let drawnSnapshots = 0;
let tickets = 0; // number of requests; responses to all but the latest are dropped
let probes = ''; // JSON of the probe images on screen
const scale = { kind: 'linear', limit: 1, clips: true, isWeight: true };

const epochShown = () => (past && followed && source === sourceOf(followed) ? past.snapshots[snapshot].epoch : null);

// --- loading ---

/** Load a timeline from its start and show a snapshot (-1: the last one), by default the one on screen. */
async function loadTimeline(name, place, at = source === name && past && snapshot < past.snapshots.length - 1 ? snapshot : -1) {
  if (!name) return; // another one is loading
  const mine = ++tickets;
  root.dataset.state = 'working';
  const reply = await request('poll', { version, timeline: { source: name, image: place, from: 0 } });
  if (mine !== tickets) return;
  if (!reply || reply.error) {
    if (source !== name) {
      source = name; // requested again by the next poll
      showNoSnapshots();
    }
    return fail(reply?.error || NO_ANSWER);
  }
  applyLists(reply);
  if (mine !== tickets) return; // another run is followed now
  source = name;
  image = reply.timeline?.image ?? place;
  past = null;
  addSnapshots(reply.timeline, at);
}

/** Append new snapshots; those of a new session replace all. */
function addSnapshots(reply, stays = null) {
  if (!reply) return showNoSnapshots();
  const follows = !past || snapshot >= past.snapshots.length - 1;
  if (!reply.from) startTimeline(reply);
  if (!past) return showNoSnapshots();
  const { layers, heads } = past.shape;
  const tokens = tokenCount(past.shape);
  const weights = uint16Of(reply.rows);
  const size = layers * heads * tokens;
  past.snapshots.length = reply.from;
  reply.epoch.forEach((epoch, i) => {
    const firstRows = Float32Array.from(weights.subarray(i * size, (i + 1) * size), (weight) => weight / 65535);
    past.snapshots.push({
      epoch,
      seconds: reply.seconds[i],
      firstRows,
      probabilities: reply.probabilities[i],
      entropy: reply.entropy?.[i] ?? null,
      distance: reply.distance?.[i] ?? null,
      limit: sharedLimit(past.shape, { firstRows, full: null }, 'from', 'class'),
    });
  });
  scale.limit = Math.max(...past.snapshots.map(({ limit }) => limit));
  drawScale();
  slider.max = past.snapshots.length - 1;
  const last = past.snapshots.length - 1;
  showSnapshot(stays !== null && stays >= 0 ? Math.min(stays, last) : follows ? last : Math.min(snapshot, last));
  showLive(true);
  root.dataset.state = 'ready';
  root.dataset.count = past.snapshots.length;
  markPainted(`${source} ${image}`);
}

function startTimeline(reply) {
  image = reply.image; // may differ from the requested one if there are fewer
  past = { shape: reply.shape, classes: reply.classes, images: reply.images, snapshots: [] };
  const kind = JSON.stringify([past.shape, past.classes.length]);
  if (grid?.kind !== kind) buildLive(kind);
  buildProbes();
  setText(find('.query'), `What ${queryName([], past.shape)} attends to`);
  const photo = find('.probe-image');
  const { name, src } = reply.images[image];
  if (isImageUrl(src)) photo.src = src;
  photo.alt = `Probe image: ${name}`;
}

function showNoSnapshots() {
  past = null;
  snapshot = -1;
  showLive(false);
  setText(find('.no-snapshots'), noSnapshotsReason(runOf(followed)));
  setText(find('.when'), '');
  slider.max = slider.value = 0;
  root.dataset.state = 'ready';
  root.dataset.count = 0;
  markPainted(`${source} ${image}`);
}

function showLive(isThere) {
  find('.no-snapshots').hidden = isThere;
  find('.live').hidden = find('.forming').hidden = !isThere;
  slider.disabled = playButton.disabled = !isThere;
}

// --- building ---

function buildLive(kind) {
  const { shape } = past;
  sizeMatrix(shape);
  rows = makeRows(shape);
  grid = { kind, ...makeMatrix(find('.matrix'), shape, chooseTile) };
  mapTile = makeTile(find('.values'), shape.columns, shape.rows);
  if (chosen.layer >= shape.layers || chosen.head >= shape.heads) chosen = { layer: MEAN, head: MEAN };
  markTile(grid, chosen.layer, chosen.head, find('.matrix-frame'));
  find('.predictions').replaceChildren(...Array.from({ length: Math.min(BARS, past.classes.length) }, () => {
    const item = make('li', 'prediction');
    const track = make('span', 'track');
    track.append(make('span', 'fill'));
    item.append(make('span', 'class-name'), track, make('span', 'value'));
    return item;
  }));
}

function buildProbes() {
  const box = find('.probes');
  const wanted = JSON.stringify(past.images);
  if (probes === wanted) return markProbe();
  probes = wanted;
  box.replaceChildren(...past.images.map(({ name, src }, place) => {
    const button = make('button', 'thumb');
    const thumb = make('img');
    button.type = 'button';
    button.setAttribute('role', 'radio');
    if (isImageUrl(src)) thumb.src = src;
    thumb.alt = name;
    button.append(thumb);
    button.addEventListener('click', () => loadTimeline(source, place));
    return button;
  }));
  markProbe();
}

function markProbe() {
  [...find('.probes').children].forEach((button, place) => {
    button.setAttribute('aria-checked', place === image);
    button.tabIndex = place === image ? 0 : -1;
  });
}

// --- drawing ---

function showSnapshot(place) {
  snapshot = place;
  slider.value = place;
  drawSnapshot();
  drawCursor();
  clearTimeout(keepView.timer);
  keepView.timer = setTimeout(keepView, SPEAK_DELAY); // not at each snapshot while playing: browsers limit the rate of changes
}

/** Write the view into the address: images and snapshots count from 1; the last snapshot is the default. */
function keepView() {
  const isFirst = source === catalog.sources[0]?.name;
  const isLast = !past || snapshot === past.snapshots.length - 1;
  updateAddress({ run: followed, timeline: followed || isFirst ? null : source, probe: image && image + 1, snapshot: isLast ? null : snapshot + 1 });
}

function drawSnapshot() {
  if (!past) return;
  const start = performance.now();
  const { shape } = past;
  const { firstRows, epoch, seconds } = past.snapshots[snapshot];
  fillRows(rows, shape, { firstRows, full: null }, [], 'from', () => false);
  for (const tile of grid.tiles) paintTile(tile.values, rowOf(rows, shape, tile.layer, tile.head), shape.prefix, table('seq'), scale);
  drawWhen();
  slider.setAttribute('aria-valuetext', `Epoch ${epochText(epoch)}, after ${duration(seconds)}`);
  drawMap();
  drawPredictions();
  drawFinding();
  root.dataset.snapshot = snapshot;
  if (++drawnSnapshots % 1000 === 0) performance.clearMeasures('vitviz:snapshot');
  performance.measure('vitviz:snapshot', { start, end: performance.now() });
}

/** Show the epoch on screen, and whether it is the current one of a training. */
function drawWhen() {
  if (!past) return;
  const isNow = snapshot === past.snapshots.length - 1 && RUNNING.includes(runOf(followed)?.state);
  setText(find('.when'), `Epoch ${epochText(past.snapshots[snapshot].epoch)}${isNow ? ' (now)' : ''}`);
}

/** Draw the selected map and its line. */
function drawMap() {
  const { shape } = past;
  const row = rowOf(rows, shape, chosen.layer, chosen.head);
  paintTile(mapTile, row, shape.prefix, table('seq'), scale);
  const patch = read >= 0 ? read : largest(row, shape.prefix) - shape.prefix;
  const weight = row[shape.prefix + patch];
  const isSame = read < 0 && isUniformMap({ row }, shape);
  const place = isSame ? 'the same for all patches' : `${read >= 0 ? '' : 'most to '}${patchName(patch, shape)}`;
  placeMark(find('.map .read'), read, shape);
  putLine(find('.map-line'), [{ strong: mapName(chosen.layer, chosen.head) }, `: ${place}, `, { strong: percent(weight) }, `, ${timesUniform(weight / uniformWeight(shape))} uniform.`]);
}

/** Draw the bars in the order of the last snapshot, so that their order stays fixed. */
function drawPredictions() {
  const { probabilities } = past.snapshots[snapshot];
  const last = past.snapshots.at(-1).probabilities;
  const truth = past.classes.indexOf(past.images[image].name);
  const ranking = last.map((_, k) => k).sort((a, b) => last[b] - last[a]).slice(0, BARS);
  if (truth >= 0 && !ranking.includes(truth)) ranking[ranking.length - 1] = truth;
  const best = largest(probabilities);
  [...find('.predictions').children].forEach((item, i) => {
    const k = ranking[i];
    const [name, track, value] = item.children;
    item.classList.toggle('best', k === best);
    setText(name, k === truth ? `${past.classes[k]} (true)` : past.classes[k]);
    setText(value, percent(probabilities[k], 1));
    track.firstElementChild.style.width = `${100 * probabilities[k]}%`;
  });
}

function drawFinding() {
  const { shape } = past;
  const now = past.snapshots[snapshot];
  const tokens = tokenCount(shape);
  putLine(find('.finding'), findingLine(effectiveOf(now), effectiveOf(past.snapshots[0]), shape, snapshot === 0));
  const measured = find('.measured');
  measured.hidden = !now.distance;
  if (!now.distance) return;
  const distances = now.distance.map(meanOf);
  putLine(measured, ['Mean over all probe images: attention distance ', { strong: `${meanOf(distances).toFixed(1)}${SPACE}px` }, ` (${distances[0].toFixed(1)} in layer 1, ${distances.at(-1).toFixed(1)} in the last), entropy `, { strong: `${meanOf(now.entropy.flat()).toFixed(2)}${SPACE}nats` }, ` (uniform: ${Math.log(tokens).toFixed(2)}).`]);
}

const FORMING = {
  effective: { height: 150, print: (value) => value.toFixed(0) },
  distance: { height: 150, print: (value) => value.toFixed(1) },
};

/** Draw a line per layer, the mean of its heads: effective number of tokens and attention distance at each snapshot. */
function drawForming() {
  if (!past) return;
  const { layers, heads } = past.shape;
  const last = Math.max(past.snapshots.at(-1).epoch, 0.01);
  const lineOf = (layer, valuesOf) => ({
    name: `layer ${layer + 1}`,
    points: past.snapshots.map((now) => [now.epoch, meanOf(valuesOf(now).slice(layer * heads, (layer + 1) * heads))]),
    color: cssColor(table('seq')[Math.round(120 + (100 * layer) / Math.max(1, layers - 1))]),
    dash: '',
    className: 'other',
  });
  const cursor = () => past.snapshots[snapshot].epoch;
  const all = [...Array(layers).keys()];
  const shown = layers > 6 ? all.filter((layer) => layer % Math.ceil(layers / 6) === 0 || layer === layers - 1) : all;
  const draw = (name, valuesOf) => drawChart(find(`[data-forming=${name}] .chart`), FORMING[name], shown.map((layer) => lineOf(layer, valuesOf)), last, cursor);
  draw('effective', effectiveOf);
  const hasDistance = past.snapshots.every(({ distance }) => distance);
  find('[data-forming=distance]').hidden = !hasDistance;
  if (hasDistance) draw('distance', ({ distance }) => distance.flat());
}

/** The effective number of tokens of each head at a snapshot. */
function effectiveOf(now) {
  const { layers, heads } = past.shape;
  const tokens = tokenCount(past.shape);
  return (now.effective ??= Array.from({ length: layers * heads }, (_, k) => effectiveTokens(now.firstRows.subarray(k * tokens, (k + 1) * tokens))));
}

/** Draw the cursor in the curves, at most once per frame. */
let cursorFrame = 0;
function drawCursor() {
  cursorFrame ||= requestAnimationFrame(() => {
    cursorFrame = 0;
    drawCurves();
    drawForming();
  });
}

function drawScale() {
  if (!past) return;
  const digits = digitsOf(scale.limit);
  addBar(find('.scale'), 'seq', [`0${SPACE}%`, 'attention weight, all snapshots', `≥ ${percent(scale.limit, digits)}`]);
}

// --- acting ---

function chooseTile(layer, head) {
  chosen = { layer, head };
  read = -1;
  markTile(grid, layer, head, find('.matrix-frame'));
  drawMap();
  speakSoon();
}

/** Announce the line of the map once the selection is stable. */
function speakSoon() {
  clearTimeout(speakSoon.timer);
  speakSoon.timer = setTimeout(() => setText(voice, find('.map-line').textContent), SPEAK_DELAY);
}

function play() {
  if (playing) return pause();
  if (snapshot >= past.snapshots.length - 1) showSnapshot(0);
  setText(playButton, 'Pause');
  playing = setInterval(() => {
    if (!element.isConnected || !past || snapshot >= past.snapshots.length - 1) return pause();
    showSnapshot(snapshot + 1);
  }, STEP);
}

function pause() {
  clearInterval(playing);
  playing = 0;
  setText(playButton, 'Play');
}

function stepSnapshot(by) {
  pause();
  showSnapshot(Math.min(past.snapshots.length - 1, Math.max(0, snapshot + by)));
}
