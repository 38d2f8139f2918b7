/* From components that are laid out to a drawing: boxes, text line by line, canvases, images and SVG shapes.
   Pseudo-elements, filters, blurred shadows and clipped content are not drawn: components of figures have none. */

import { tileOf } from '../paint';
import { bandsOf, colorOf, listOf, ringsOf } from './css';
import { type Box, type Drawing, fontText, type Panel, type Primitive } from './drawing';
import { drawShape } from './shapes';

/** Where the page begins in the window, and what adds a primitive to it. */
export interface Pen {
  left: number;
  top: number;
  opacity: number; // of all ancestors
  add: (one: Primitive) => void;
}

/** Draw an element and its descendants; its box is the page. */
export function walk(root: HTMLElement, title: string, description: string): Drawing {
  const { left, top, width, height } = root.getBoundingClientRect();
  const found: { z: number; one: Primitive }[] = [];

  function visit(element: Element, outerZ: number, outerOpacity: number) {
    const style = getComputedStyle(element);
    if (style.display === 'none' || style.clipPath !== 'none') return;
    const opacity = outerOpacity * Number(style.opacity);
    const z = Math.max(outerZ, Number.parseInt(style.zIndex, 10) || 0);
    const pen: Pen = { left, top, opacity, add: (one) => found.push({ z, one }) };
    const isVisible = style.visibility === 'visible';
    if (isVisible && element instanceof SVGElement) drawShape(pen, element, style);
    else if (isVisible && style.display !== 'contents') drawElement(pen, element, style);
    if (element instanceof SVGTextElement) return;
    for (const child of element.childNodes) {
      if (child instanceof Element) visit(child, z, opacity);
      else if (child instanceof Text && isVisible && !(element instanceof SVGElement)) drawText(pen, child, style);
    }
  }

  visit(root, 0, 1);
  const primitives = found.sort((one, other) => one.z - other.z).map(({ one }) => one);
  return { width: Math.ceil(width), height: Math.ceil(height), primitives, title, description };
}

function drawElement(pen: Pen, element: Element, style: CSSStyleDeclaration) {
  for (const box of element.getClientRects()) drawBox(pen, place(pen, box), style);
  if (element instanceof HTMLCanvasElement || element instanceof HTMLImageElement) drawImage(pen, element, style);
}

const place = ({ left, top }: Pen, box: DOMRect): Box => ({
  x: box.left - left,
  y: box.top - top,
  width: box.width,
  height: box.height,
});

const larger = ({ x, y, width, height }: Box, by: number): Box => ({
  x: x - by,
  y: y - by,
  width: width + 2 * by,
  height: height + 2 * by,
});

/** Shadows around a box, background, gradients, shadows within it, and borders. */
function drawBox(pen: Pen, box: Box, style: CSSStyleDeclaration) {
  const { opacity, add } = pen;
  const radius = style.borderTopLeftRadius.endsWith('%') ? box.width / 2 : Number.parseFloat(style.borderTopLeftRadius);
  const rings = ringsOf(style.boxShadow, opacity).reverse();
  const drawRing = ({ color, spread, isInset }: (typeof rings)[number]) =>
    add({
      kind: 'rect',
      ...larger(box, isInset ? -spread / 2 : spread / 2),
      stroke: color,
      strokeWidth: spread,
      radius,
    });
  for (const ring of rings) if (!ring.isInset) drawRing(ring);
  const fill = colorOf(style.backgroundColor, opacity);
  if (fill && box.width && box.height) add({ kind: 'rect', ...box, fill, radius });
  for (const gradient of listOf(style.backgroundImage).reverse()) {
    for (const { color, segments } of bandsOf(gradient, box, opacity)) add({ kind: 'path', segments, fill: color });
  }
  for (const ring of rings) if (ring.isInset) drawRing(ring);
  drawBorders(pen, box, style, radius);
}

const SIDES = ['Top', 'Right', 'Bottom', 'Left'] as const;

function drawBorders({ opacity, add }: Pen, box: Box, style: CSSStyleDeclaration, radius: number) {
  const borders = SIDES.map((side) => ({
    side,
    width: style[`border${side}Style`] === 'none' ? 0 : Number.parseFloat(style[`border${side}Width`]),
    color: colorOf(style[`border${side}Color`], opacity),
    line: style[`border${side}Style`],
  })).filter(({ width, color }) => width > 0 && color);
  const [first] = borders;
  const areEqual =
    borders.length === 4 &&
    borders.every(({ width, color }) => width === first.width && String(color) === String(first.color));
  if (areEqual && first.color && first.line === 'solid') {
    return add({
      kind: 'rect',
      ...larger(box, -first.width / 2),
      stroke: first.color,
      strokeWidth: first.width,
      radius,
    });
  }
  for (const { side, width, color, line } of borders) {
    const half = width / 2;
    const [right, bottom] = [box.x + box.width, box.y + box.height];
    const ends: Record<typeof side, [number, number, number, number]> = {
      Top: [box.x, box.y + half, right, box.y + half],
      Right: [right - half, box.y, right - half, bottom],
      Bottom: [box.x, bottom - half, right, bottom - half],
      Left: [box.x + half, box.y, box.x + half, bottom],
    };
    const [x1, y1, x2, y2] = ends[side];
    const dash = line === 'dashed' ? [2 * width, 2 * width] : line === 'dotted' ? [width, 2 * width] : undefined;
    if (color)
      add({
        kind: 'path',
        segments: [
          ['M', x1, y1],
          ['L', x2, y2],
        ],
        stroke: color,
        strokeWidth: width,
        dash,
      });
  }
}

function drawImage(pen: Pen, element: HTMLCanvasElement | HTMLImageElement, style: CSSStyleDeclaration) {
  const pixels = pixelsOf(element);
  const box = place(pen, element.getBoundingClientRect());
  if (!pixels || !box.width) return;
  const name = element.dataset.panel ?? '';
  const panel = element instanceof HTMLCanvasElement ? panelOf(element, name) : undefined;
  const isPixelated = style.imageRendering === 'pixelated';
  pen.add({ kind: 'image', ...box, pixels, isPixelated, opacity: pen.opacity, name, ...(panel && { panel }) });
}

/** What a named canvas shows, as it was painted last. */
function panelOf(canvas: HTMLCanvasElement, name: string): Panel | undefined {
  const painted = name ? tileOf(canvas)?.painted : undefined;
  if (!painted) return undefined;
  const { values, first, scale, table } = painted;
  const count = canvas.width * canvas.height;
  return { name, scale, table, values: Array.from({ length: count }, (_, i) => values[first + i]) };
}

function pixelsOf(element: HTMLCanvasElement | HTMLImageElement) {
  const isCanvas = element instanceof HTMLCanvasElement;
  const [width, height] = isCanvas ? [element.width, element.height] : [element.naturalWidth, element.naturalHeight];
  if (!width || !height) return null;
  const canvas = isCanvas ? element : document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (!isCanvas) {
    Object.assign(canvas, { width, height });
    context?.drawImage(element, 0, 0);
  }
  return context?.getImageData(0, 0, width, height) ?? null;
}

/** The lines of a text node. */
function drawText(pen: Pen, node: Text, style: CSSStyleDeclaration) {
  const color = colorOf(style.color, pen.opacity);
  if (!color || !/[^ \t\n\r]/.test(node.data)) return;
  const size = Number.parseFloat(style.fontSize);
  const [isBold, isItalic] = [Number(style.fontWeight) >= 600, style.fontStyle !== 'normal'];
  for (const { text, box } of linesOf(node)) {
    const { x, y, width, height } = place(pen, box);
    const { ascent, descent } = metricsOf(fontText({ size, isBold, isItalic }));
    const baseline = y + (height - ascent - descent) / 2 + ascent;
    pen.add({ kind: 'text', text, x, y: baseline, width, size, color, isBold, isItalic });
  }
}

/** The parts of a text node that are on one line each, without the spaces at their ends. */
function linesOf(node: Text): { text: string; box: DOMRect }[] {
  const range = document.createRange();
  const found: { from: number; to: number; box: DOMRect }[] = [];
  let to = 0;
  for (const character of node.data) {
    const from = to;
    to += character.length;
    if (/[ \t\n\r]/.test(character)) continue;
    range.setStart(node, from);
    range.setEnd(node, to);
    const box = [...range.getClientRects()].find(({ width }) => width > 0);
    const line = found[found.length - 1];
    const isSameLine = line && (!box || Math.abs(box.bottom - line.box.bottom) < box.height / 2); // marks have no box
    if (isSameLine) Object.assign(line, { to, box: box ? union(line.box, box) : line.box });
    else if (box) found.push({ from, to, box });
  }
  return found.map(({ from, to, box }) => ({ text: node.data.slice(from, to).replace(/[ \t\n\r]+/g, ' '), box }));
}

/** The box around two boxes of a line, of which either may be on the left. */
function union(one: DOMRect, other: DOMRect) {
  const left = Math.min(one.left, other.left);
  return new DOMRect(left, one.top, Math.max(one.right, other.right) - left, one.height);
}

let measuring: CanvasRenderingContext2D | null = null;
const measured = new Map<string, { ascent: number; descent: number }>();

function metricsOf(font: string) {
  const known = measured.get(font);
  if (known) return known;
  measuring ??= document.createElement('canvas').getContext('2d');
  if (!measuring) throw new Error('the browser has no 2d canvas');
  measuring.font = font;
  const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = measuring.measureText('x');
  measured.set(font, { ascent, descent });
  return { ascent, descent };
}
