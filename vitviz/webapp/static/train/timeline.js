/* The timeline: what the class token looked at, moment by moment. All moments of one image are in the browser, so
   that going through them only draws. */

const slider = find('.moment');
const playButton = find('[data-do=play]');
const sourceSelect = find('.source');
const mapNode = find('.map');
const STEP = 200; // ms of a moment while it plays: five a second
const BARS = 6; // predictions on screen

let source = null; // whose timeline is on screen: a checkpoint that ships, or runs/NAME
let image = 0; // which probe image
let moment = -1; // which moment; as long as it is the last one, it goes on with the training
let past = null; // what Python sent: {shape, classes, images, moments: [{epoch, seconds, rows, probabilities, ...}]}
let rows = null; // of the moment on screen, with means
let grid = null; // {tiles, labels}
let mapTile = null;
let chosen = { layer: MEAN, head: MEAN };
let read = -1; // the patch under the pointer
let playing = 0;
let drawnMoments = 0;
let tickets = 0; // the newest question wins
let probes = ''; // names and images of those on screen
const scale = { kind: 'linear', limit: 1, clips: true, isShare: true };

const epochShown = () => (past && followed && source === sourceOf(followed) ? past.moments[moment].epoch : null);

// --- taking what comes ---

/** Ask for a timeline from its start, to show a moment (-1: the last one); else that on screen stays. */
async function loadTimeline(name, place, at = source === name && past && moment < past.moments.length - 1 ? moment : -1) {
  if (!name) return; // another is on its way
  const mine = ++tickets;
  root.dataset.state = 'working';
  const reply = await ask('poll', { version, timeline: { source: name, image: place, from: 0 } });
  if (mine !== tickets) return;
  if (!reply || reply.error) {
    if (source !== name) {
      source = name; // the next poll asks again
      showNoMoments();
    }
    return fail(reply?.error || NO_ANSWER);
  }
  takeListed(reply);
  if (mine !== tickets) return; // it follows another now
  source = name;
  image = reply.timeline?.image ?? place;
  past = null;
  takeMoments(reply.timeline, at);
}

/** Add moments that are new; those of another beginning replace all. */
function takeMoments(reply, stays = null) {
  if (!reply) return showNoMoments();
  const follows = !past || moment >= past.moments.length - 1;
  if (!reply.from) startTimeline(reply);
  if (!past) return showNoMoments();
  const { layers, heads } = past.shape;
  const tokens = tokenCount(past.shape);
  const shares = sharesOf(reply.rows);
  const size = layers * heads * tokens;
  past.moments.length = reply.from;
  reply.epoch.forEach((epoch, i) => {
    const firstRows = Float32Array.from(shares.subarray(i * size, (i + 1) * size), (share) => share / 65535);
    past.moments.push({
      epoch,
      seconds: reply.seconds[i],
      firstRows,
      probabilities: reply.probabilities[i],
      entropy: reply.entropy?.[i] ?? null,
      distance: reply.distance?.[i] ?? null,
      limit: sharedLimit(past.shape, { firstRows, full: null }, 'from', 'class'),
    });
  });
  scale.limit = Math.max(...past.moments.map(({ limit }) => limit));
  drawScale();
  slider.max = past.moments.length - 1;
  const last = past.moments.length - 1;
  showMoment(stays !== null && stays >= 0 ? Math.min(stays, last) : follows ? last : Math.min(moment, last));
  showLive(true);
  root.dataset.state = 'ready';
  root.dataset.count = past.moments.length;
  markPainted(`${source} ${image}`);
}

function startTimeline(reply) {
  image = reply.image; // another than was asked for, if there are fewer
  past = { shape: reply.shape, classes: reply.classes, images: reply.images, moments: [] };
  const kind = JSON.stringify([past.shape, past.classes.length]);
  if (grid?.kind !== kind) buildLive(kind);
  buildProbes();
  setText(find('.who'), `Where ${askedName([], 'from', past.shape)} looks`);
  const seen = find('.seen');
  const { name, src } = reply.images[image];
  if (isImage(src)) seen.src = src;
  seen.alt = `Probe image: ${name}`;
}

function showNoMoments() {
  past = null;
  moment = -1;
  showLive(false);
  setText(find('.no-moments'), noMomentsWords(runOf(followed)));
  setText(find('.when'), '');
  slider.max = slider.value = 0;
  root.dataset.state = 'ready';
  root.dataset.count = 0;
  markPainted(`${source} ${image}`);
}

function showLive(isThere) {
  find('.no-moments').hidden = isThere;
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
    const image = make('img');
    button.type = 'button';
    button.setAttribute('role', 'radio');
    if (isImage(src)) image.src = src;
    image.alt = name;
    button.append(image);
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

function showMoment(place) {
  moment = place;
  slider.value = place;
  drawMoment();
  drawCursor();
  clearTimeout(keepView.timer);
  keepView.timer = setTimeout(keepView, REST); // not at each moment that plays: browsers allow few changes a second
}

/** Write what is on screen into the address: images and moments count from 1, the last moment needs no number. */
function keepView() {
  const isFirst = source === catalog.sources[0]?.name;
  const isLast = !past || moment === past.moments.length - 1;
  keepAddress({ run: followed, timeline: followed || isFirst ? null : source, probe: image && image + 1, moment: isLast ? null : moment + 1 });
}

function drawMoment() {
  if (!past) return;
  const start = performance.now();
  const { shape } = past;
  const { firstRows, epoch, seconds } = past.moments[moment];
  fillRows(rows, shape, { firstRows, full: null }, [], 'from', () => false);
  for (const tile of grid.tiles) paintTile(tile.values, rowOf(rows, shape, tile.layer, tile.head), shape.prefix, table('seq'), scale);
  drawWhen();
  slider.setAttribute('aria-valuetext', `Epoch ${epochText(epoch)}, after ${duration(seconds)}`);
  drawMap();
  drawPredictions();
  drawLook();
  root.dataset.moment = moment;
  if (++drawnMoments % 1000 === 0) performance.clearMeasures('vitviz:moment');
  performance.measure('vitviz:moment', { start, end: performance.now() });
}

/** The epoch on screen, and whether the training stands there now. */
function drawWhen() {
  if (!past) return;
  const isNow = moment === past.moments.length - 1 && RUNNING.includes(runOf(followed)?.state);
  setText(find('.when'), `Epoch ${epochText(past.moments[moment].epoch)}${isNow ? ' (now)' : ''}`);
}

/** The chosen map, large, and its line. */
function drawMap() {
  const { shape } = past;
  const row = rowOf(rows, shape, chosen.layer, chosen.head);
  paintTile(mapTile, row, shape.prefix, table('seq'), scale);
  const patch = read >= 0 ? read : largest(row, shape.prefix) - shape.prefix;
  const share = row[shape.prefix + patch];
  placeMark(find('.map .read'), read, shape);
  putLine(find('.map-line'), [{ strong: mapName(chosen.layer, chosen.head) }, `: ${read >= 0 ? '' : 'most at '}${patchName(patch, shape)}, `, { strong: percent(share) }, `, ${timesEven(share / evenShare(shape))} an even spread.`]);
}

/** Bars in the order of the last moment, so that they move and not their places. */
function drawPredictions() {
  const { probabilities } = past.moments[moment];
  const last = past.moments.at(-1).probabilities;
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

function drawLook() {
  const { shape } = past;
  const now = past.moments[moment];
  const tokens = tokenCount(shape);
  putLine(find('.look'), lookWords(effectiveOf(now), shape));
  const measured = find('.measured');
  measured.hidden = !now.distance;
  if (!now.distance) return;
  const near = now.distance.map(meanOf);
  putLine(measured, ['Over all probe images a patch looks ', { strong: meanOf(near).toFixed(1) }, ` pixels far on average: ${near[0].toFixed(1)} in layer 1, ${near.at(-1).toFixed(1)} in the last. Entropy `, { strong: meanOf(now.entropy.flat()).toFixed(2) }, ` nats; an even spread has ${Math.log(tokens).toFixed(2)}.`]);
}

const FORMING = {
  effective: { height: 150, print: (value) => value.toFixed(0) },
  distance: { height: 150, print: (value) => value.toFixed(1) },
};

/** One line for each layer, the mean of its heads: how sharp attention is at each moment, and how far it looks. */
function drawForming() {
  if (!past) return;
  const { layers, heads } = past.shape;
  const last = Math.max(past.moments.at(-1).epoch, 0.01);
  const lineOf = (layer, valuesOf) => ({
    name: `layer ${layer + 1}`,
    points: past.moments.map((now) => [now.epoch, meanOf(valuesOf(now).slice(layer * heads, (layer + 1) * heads))]),
    colour: cssColour(table('seq')[Math.round(120 + (100 * layer) / Math.max(1, layers - 1))]),
    dash: '',
    className: 'other',
  });
  const cursor = () => past.moments[moment].epoch;
  const all = [...Array(layers).keys()];
  const shown = layers > 6 ? all.filter((layer) => layer % Math.ceil(layers / 6) === 0 || layer === layers - 1) : all;
  const draw = (name, valuesOf) => drawChart(find(`[data-forming=${name}] .chart`), FORMING[name], shown.map((layer) => lineOf(layer, valuesOf)), last, cursor);
  draw('effective', effectiveOf);
  const hasDistance = past.moments.every(({ distance }) => distance);
  find('[data-forming=distance]').hidden = !hasDistance;
  if (hasDistance) draw('distance', ({ distance }) => distance.flat());
}

/** The effective number of tokens of each head at a moment. */
function effectiveOf(now) {
  const { layers, heads } = past.shape;
  const tokens = tokenCount(past.shape);
  return (now.effective ??= Array.from({ length: layers * heads }, (_, k) => effectiveTokens(now.firstRows.subarray(k * tokens, (k + 1) * tokens))));
}

/** The cursor in the curves; drawn once a frame at most. */
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
  addBar(find('.scale'), 'seq', [`0${SPACE}%`, 'share of attention, one scale for all moments', `≥ ${percent(scale.limit, digits)}`]);
}

// --- acting ---

function chooseTile(layer, head) {
  chosen = { layer, head };
  read = -1;
  markTile(grid, layer, head, find('.matrix-frame'));
  drawMap();
  speakSoon();
}

/** Say what the map tells once choosing and reading rest. */
function speakSoon() {
  clearTimeout(speakSoon.timer);
  speakSoon.timer = setTimeout(() => setText(voice, find('.map-line').textContent), REST);
}

function play() {
  if (playing) return pause();
  if (moment >= past.moments.length - 1) showMoment(0);
  setText(playButton, 'Pause');
  playing = setInterval(() => {
    if (!element.isConnected || !past || moment >= past.moments.length - 1) return pause();
    showMoment(moment + 1);
  }, STEP);
}

function pause() {
  clearInterval(playing);
  playing = 0;
  setText(playButton, 'Play');
}

function stepMoment(by) {
  pause();
  showMoment(Math.min(past.moments.length - 1, Math.max(0, moment + by)));
}
