/* The provenance of a figure as the JSON that its file carries: that of the explanation, with the panels of the drawing. */

import type { Scale } from '../numbers';
import type { Panel, ProbesProvenance, Provenance } from '../routes';
import type { Drawing, Picture, Pixels } from './drawing';

/** The provenance of an explanation, of a comparison or of probes. */
export type Written = Provenance | ProbesProvenance;

/** JSON in ASCII; empty if the provenance is unknown. The pixels of a panel are those that a reader of the file decodes. */
export async function metadataOf(
  provenance: Written | null,
  drawing: Drawing,
  pixelsOf: (picture: Picture) => Pixels,
): Promise<string> {
  if (!provenance) return '';
  const named = drawing.primitives.filter((one): one is Picture => one.kind === 'image' && one.name !== '');
  const panels = await Promise.all(named.map((picture) => panelOf(picture, drawing, pixelsOf(picture))));
  const text = JSON.stringify({ ...provenance, panels } satisfies Written);
  return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

async function panelOf(picture: Picture, drawing: Drawing, pixels: Pixels): Promise<Panel> {
  const scale = picture.panel?.scale;
  return {
    name: picture.name,
    rectangle: rectangleOf(picture, drawing),
    colormap: scale ? (scale.kind === 'linear' ? 'seq' : 'div') : null,
    limits: scale ? limitsOf(scale) : null,
    sha256: await sha256(pixels.data),
  };
}

const fraction = (value: number) => Math.min(1, Math.max(0, value));

/** Left, top, right and bottom as fractions of the drawing's width and height. */
function rectangleOf({ x, y, width, height }: Picture, drawing: Drawing): Panel['rectangle'] {
  const [left, right] = [x, x + width].map((side) => fraction(side / drawing.width));
  const [top, bottom] = [y, y + height].map((side) => fraction(side / drawing.height));
  return [left, top, right, bottom];
}

/** The part of a canvas that a panel covers. */
export function regionOf(canvas: HTMLCanvasElement, drawing: Drawing, picture: Picture): Pixels {
  const { left, top, width, height } = sidesOf(rectangleOf(picture, drawing), canvas.width, canvas.height);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('the browser has no 2d canvas');
  return context.getImageData(left, top, Math.max(1, width), Math.max(1, height));
}

/** A rectangle in pixels of an image, each side rounded. */
export function sidesOf(rectangle: Panel['rectangle'], width: number, height: number) {
  const [left, top, right, bottom] = rectangle.map((side, i) => Math.round(side * (i % 2 ? height : width)));
  return { left, top, width: right - left, height: bottom - top };
}

const FACTOR = 8; // of uniform attention

function limitsOf(scale: Scale): [number, number] {
  if (scale.kind === 'uniform') return [scale.uniform / FACTOR, scale.uniform * FACTOR];
  return [scale.kind === 'signed' ? -scale.limit : (scale.low ?? 0), scale.limit];
}

/** The SHA-256 of bytes; null on pages that are served over plain HTTP by another host, where browsers have none. */
async function sha256(bytes: Uint8ClampedArray): Promise<string | null> {
  if (!globalThis.crypto?.subtle) return null;
  const digest = await crypto.subtle.digest('SHA-256', bytes as BufferSource);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
