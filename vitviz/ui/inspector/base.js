/* What every figure needs: nodes, colours, the answer.
   Gradio calls this once per mount with (element, trigger, props, server, upload, watch). */

const root = element.querySelector('.vitviz-inside');
const find = (selector) => root.querySelector(selector);
const findAll = (selector) => [...root.querySelectorAll(selector)];
const { catalog } = props;

const PATIENCE = 300; // ms until "Working…" appears
const REST = 600; // ms the pointer rests before a screen reader speaks
const DATA_COLOUR = 150; // entry of the colour map that charts are drawn with, as in the printed figure
const SVG = 'http://www.w3.org/2000/svg';
const ARROWS = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'];
const NO_ANSWER = 'The server did not answer. Check that vitviz is still running, then try again.';

let answer = null; // what Python measured

function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text != null) node.textContent = text;
  return node;
}

/** Add a shape to a drawing. */
function shape(parent, tag, attributes, text) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text != null) node.textContent = text;
  parent.append(node);
  return node;
}

/** Parts of a line, strings and {strong: string}, as nodes. */
function putLine(node, parts) {
  node.replaceChildren(...parts.map((part) => (part.strong == null ? part : make('b', '', part.strong))));
}

// --- colours ---

const pageIsDark = () => element.closest('.dark') !== null;
let dark = pageIsDark();
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

// --- numbers ---

const flat = (rows) => rows.flat(Infinity);
const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

function medianOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/** Index of the smallest value. */
const smallest = (values) => largest(values.map((value) => -value));

/** A number with a true minus sign. */
const written = (value, digits) => value.toFixed(digits).replace(/^-(?=.*[1-9])/, '\u2212').replace(/^-/, '');

/** Short name of what leaves a layer; 0 is what enters the first. */
const layerMark = (place) => (place === 0 ? 'in' : String(place));
const after = (place) => (place === 0 ? 'Before layer 1' : `After layer ${place}`);
