/* What every component needs of the page: nodes, text, questions, colours.
   Gradio calls the whole script once per mount with (element, trigger, props, server, upload, watch). */

const root = element.querySelector('.vitviz');
const find = (selector) => root.querySelector(selector);
const findAll = (selector) => [...root.querySelectorAll(selector)];
const status = find('.status');
const voice = find('.voice');
const catalog = { ...props.catalog };

const PATIENCE = 300; // ms until "Working…" appears
const REST = 600; // ms the pointer rests before a screen reader speaks
const ARROWS = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'];
const NO_ANSWER = 'The server did not answer. Check that vitviz is still running, then try again.';
const SVG = 'http://www.w3.org/2000/svg';

/** Whether a key belongs to the browser or the system: Alt and an arrow leads back, for example. */
const isShortcut = (event) => event.altKey || event.ctrlKey || event.metaKey;

function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text != null) node.textContent = text;
  return node;
}

/** Add a shape to a drawing. */
function addShape(parent, tag, attributes, text) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text != null) node.textContent = text;
  parent.append(node);
  return node;
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Parts of a line, strings and {strong: string}, as nodes. */
function putLine(node, parts) {
  node.replaceChildren(...parts.map((part) => (part.strong == null ? part : make('b', '', part.strong))));
}

/** Ask Python, which may answer null; a server that does not answer at all is an error in words. */
async function ask(name, argument) {
  try {
    const reply = await server[name](argument);
    return reply === undefined ? { error: NO_ANSWER } : reply;
  } catch {
    return { error: NO_ANSWER };
  }
}

const isAway = (reply) => reply?.error === NO_ANSWER;

/** Say that what belongs to `key` is on screen, once it is. */
function markPainted(key) {
  const painted = new MessageChannel();
  painted.port1.onmessage = () => { root.dataset.ready = key; };
  painted.port2.postMessage(null);
}

/** An image only from a data URL that Python made. */
const isImage = (src) => String(src).startsWith('data:image/');

/** Hand a file to the visitor. */
function saveAs(name, href) {
  const link = make('a');
  link.href = href;
  link.download = name;
  link.click();
}

/** The same for a file that Python sent as base64. */
function saveContent({ name, content }) {
  const address = URL.createObjectURL(new Blob([bytesOf(content)]));
  saveAs(name, address);
  URL.revokeObjectURL(address);
}

// --- patches on a stage ---

/** The patch under the pointer, or -1. */
function patchAt(stage, event, shape) {
  const box = stage.getBoundingClientRect();
  const column = Math.floor(((event.clientX - box.left) / box.width) * shape.columns);
  const row = Math.floor(((event.clientY - box.top) / box.height) * shape.rows);
  const inside = column >= 0 && row >= 0 && column < shape.columns && row < shape.rows;
  return inside ? row * shape.columns + column : -1;
}

/** Where the corner of a patch is, for the style of a mark. */
function cornerOf(patch, shape) {
  return { left: `${(100 * (patch % shape.columns)) / shape.columns}%`, top: `${(100 * Math.floor(patch / shape.columns)) / shape.rows}%` };
}

/** Lay a mark over a patch; -1 hides it. */
function placeMark(mark, patch, shape) {
  mark.hidden = patch < 0;
  if (patch >= 0) Object.assign(mark.style, cornerOf(patch, shape));
}

// --- colours ---

const pageIsDark = () => element.closest('.dark') !== null;
let dark = pageIsDark(); // kept by the theme watcher, so that drawing need not look it up
const tables = {};

/** The colour table "seq" or "div" of the page as it is, 256 pixels. */
function table(kind) {
  const page = dark ? 'dark' : 'light';
  return (tables[page + kind] ??= pixelsOf(catalog.colours[page][kind]));
}

function cssColour(pixel) {
  return `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;
}

/** Lay a colour scale under a figure: its bar and its words from left to right. */
function addBar(node, kind, words) {
  const canvas = make('canvas');
  const text = make('div');
  text.append(...words.map((word) => make('span', '', word)));
  node.replaceChildren(canvas, text);
  paintBar(makeTile(canvas, 256, 1), table(kind));
}

/** Call `redraw` whenever the page turns dark or light, as long as this component is in it. */
function followTheme(redraw) {
  const watcher = new MutationObserver(() => {
    if (!element.isConnected) return watcher.disconnect();
    if (dark === pageIsDark()) return;
    dark = pageIsDark();
    redraw();
  });
  for (const node of [document.body, document.documentElement]) {
    watcher.observe(node, { attributes: true, attributeFilter: ['class'] });
  }
}

/** Ask what there is now, models and CIFAR-10, and fill the choice of models; what is chosen stays. */
async function learnOffers(select) {
  const reply = await ask('offers', {});
  if (!Array.isArray(reply?.checkpoints)) return;
  Object.assign(catalog, reply);
  const { value } = select;
  select.replaceChildren(...modelOptions());
  if (value) select.value = value;
}

/** Write what is chosen into the address, and tell the frame of the page; what is empty or as by default stays out of it. */
function keepAddress(values, defaults = {}) {
  const params = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(values)) {
    params.delete(name); // so that they stand in one order, however they came
    if (value && value !== defaults[name]) params.set(name, value);
  }
  history.replaceState(history.state, '', `${location.pathname}?${params}${location.hash}`);
  window.dispatchEvent(new Event('vitviz:address'));
}

const isOfRun = (name) => String(name).startsWith('runs/');
const runName = (source) => source.slice('runs/'.length);

/** The choices of a model. */
function modelOptions() {
  return catalog.checkpoints.map(({ name, layers, heads }) => {
    const size = `${counted(layers, 'layer', 'layers')}, ${counted(heads, 'head', 'heads')}`;
    return new Option(`${name} · ${size}`, name);
  });
}
