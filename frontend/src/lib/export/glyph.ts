/* Bitmaps of texts, drawn by the browser in whatever font it has for them. */

import { fontText, type Text } from './drawing';
import type { Glyph } from './pdf';

const EM = 256; // px: 1500 dpi at 12 px
const UNITS = 1000 / EM;

/** Draw a text on a canvas and take its ink, one bit per pixel. */
export function rasterize(text: string, { isBold, isItalic }: Pick<Text, 'isBold' | 'isItalic'>): Glyph {
  const canvas = document.createElement('canvas');
  const font = fontText({ size: EM, isBold, isItalic });
  const measuring = canvas.getContext('2d');
  if (!measuring) throw new Error('the browser has no 2d canvas');
  measuring.font = font;
  const size = measuring.measureText(text);
  const [left, above] = [Math.ceil(size.actualBoundingBoxLeft) + 1, Math.ceil(size.actualBoundingBoxAscent) + 1];
  const columns = left + Math.max(1, Math.ceil(size.actualBoundingBoxRight) + 1);
  const rows = above + Math.max(1, Math.ceil(size.actualBoundingBoxDescent) + 1);
  Object.assign(canvas, { width: columns, height: rows });
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  context.font = font;
  context.fillText(text, left, above);
  const { data } = context.getImageData(0, 0, columns, rows);
  const stride = Math.ceil(columns / 8);
  const bits = new Uint8Array(stride * rows);
  for (let i = 0; i < columns * rows; i++) {
    if (data[4 * i + 3] > 127)
      bits[stride * Math.floor(i / columns) + ((i % columns) >> 3)] |= 128 >> ((i % columns) & 7);
  }
  return {
    advance: size.width * UNITS,
    left: -left * UNITS,
    bottom: (above - rows) * UNITS,
    width: columns * UNITS,
    height: rows * UNITS,
    columns,
    rows,
    bits,
  };
}
