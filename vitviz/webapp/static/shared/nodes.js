/* Shared helpers of the components: nodes, text, requests, colors.
   Gradio calls the whole script once per mount with (element, trigger, props, server, upload, watch). */

const root = element.querySelector('.vitviz');
const find = (selector) => root.querySelector(selector);
const findAll = (selector) => [...root.querySelectorAll(selector)];
const status = find('.status');
const voice = find('.voice');
const catalog = { ...props.catalog };

const WORKING_DELAY = 300; // ms until "Working…" appears
const SPEAK_DELAY = 600; // ms the pointer rests before a screen reader speaks
const ARROWS = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'];
const NO_ANSWER = 'The server did not answer. Check that vitviz is still running, then try again.';
const SVG = 'http://www.w3.org/2000/svg';

/** Whether a key is a shortcut of the browser or the system, such as Alt and an arrow for Back. */
const isShortcut = (event) => event.altKey || event.ctrlKey || event.metaKey;

function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text != null) node.textContent = text;
  return node;
}

/** Append an SVG element. */
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

/** Show a line, a list of strings and {strong: string}. */
function putLine(node, parts) {
  node.replaceChildren(...parts.map((part) => (part.strong == null ? part : make('b', '', part.strong))));
}

/** Call a Python function, whose result may be null; an unreachable server gives {error}. */
async function request(name, argument) {
  try {
    const reply = await server[name](argument);
    return reply === undefined ? { error: NO_ANSWER } : reply;
  } catch {
    return { error: NO_ANSWER };
  }
}

const isUnreachable = (reply) => reply?.error === NO_ANSWER;

/** Set `data-ready` to `key` once the view has been painted. */
function markPainted(key) {
  const painted = new MessageChannel();
  painted.port1.onmessage = () => { root.dataset.ready = key; };
  painted.port2.postMessage(null);
}

/** Whether a source is a data URL of an image, the only kind that Python sends. */
const isImageUrl = (src) => String(src).startsWith('data:image/');

/** Download a file. */
function saveAs(name, href) {
  const link = make('a');
  link.href = href;
  link.download = name;
  link.click();
}

let savedUrl = ''; // of the last file; revoked by the next one, as the browser may still be reading it after the click

/** Download a file that Python sent as base64. */
function saveContent({ name, content }) {
  URL.revokeObjectURL(savedUrl);
  savedUrl = URL.createObjectURL(new Blob([bytesOf(content)]));
  saveAs(name, savedUrl);
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

/** The upper left corner of a patch, as a style. */
function cornerOf(patch, shape) {
  return { left: `${(100 * (patch % shape.columns)) / shape.columns}%`, top: `${(100 * Math.floor(patch / shape.columns)) / shape.rows}%` };
}

/** Place a mark over a patch; -1 hides it. */
function placeMark(mark, patch, shape) {
  mark.hidden = patch < 0;
  if (patch >= 0) Object.assign(mark.style, cornerOf(patch, shape));
}

// --- colors ---

const pageIsDark = () => element.closest('.dark') !== null;
let dark = pageIsDark(); // updated by the theme observer, so that drawing does not query the DOM
const tables = {};

/** The color table "seq" or "div" of the current theme, 256 pixels. */
function table(kind) {
  const page = dark ? 'dark' : 'light';
  return (tables[page + kind] ??= pixelsOf(catalog.colors[page][kind]));
}

function cssColor(pixel) {
  return `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;
}

/** Add a color scale to a figure: its bar and its labels from left to right. */
function addBar(node, kind, words) {
  const canvas = make('canvas');
  const text = make('div');
  text.append(...words.map((word) => make('span', '', word)));
  node.replaceChildren(canvas, text);
  paintBar(makeTile(canvas, 256, 1), table(kind));
}

/** Call `redraw` whenever the theme changes, while this component is mounted. */
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

/** Reload the lists of models and datasets and fill the model select, keeping its value. */
async function refreshModels(select) {
  const reply = await request('list_models', {});
  if (!Array.isArray(reply?.checkpoints)) return;
  Object.assign(catalog, reply);
  const { value } = select;
  select.replaceChildren(...modelOptions());
  if (value) select.value = value;
}

/** Write the choices into the address and notify the page frame; empty and default values are omitted. */
function updateAddress(values, defaults = {}) {
  const params = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(values)) {
    params.delete(name); // so that the order is always the same
    if (value && value !== defaults[name]) params.set(name, value);
  }
  history.replaceState(history.state, '', `${location.pathname}?${params}${location.hash}`);
  window.dispatchEvent(new Event('vitviz:address'));
}

const isOfRun = (name) => String(name).startsWith('runs/');
const runName = (source) => source.slice('runs/'.length);

/** The options of the model select. */
function modelOptions() {
  return catalog.checkpoints.map(({ name, layers, heads }) => {
    const size = `${counted(layers, 'layer', 'layers')}, ${counted(heads, 'head', 'heads')}`;
    return new Option(`${name} · ${size}`, name);
  });
}
