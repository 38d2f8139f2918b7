/* Drawing: the world in, pixels of the stage out. What is drawn says what it is, for the pointer and for screen readers. */

import { cssColor, inkOn } from '../../lib/colors';
import { clamp } from './timeline';

export interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}
/** Center and width of what is seen of the world. */
export type Camera = readonly [x: number, y: number, width: number];
export type Ink = Record<'page' | 'fill' | 'line' | 'control' | 'text' | 'quiet' | 'accent' | 'font', string> & {
  seq: Uint32Array;
  div: Uint32Array;
};
/** A part of the stage with cells, and what each of them is. */
export interface Hit extends Rect {
  columns: number;
  rows: number;
  says: (cell: number) => string;
  patch?: (cell: number) => number; // that a click follows
  head?: readonly [layer: number, head: number]; // that a click magnifies
}
type Context = CanvasRenderingContext2D;
interface Style {
  align?: CanvasTextAlign;
  base?: CanvasTextBaseline;
  size?: number;
  isBold?: boolean;
  color?: string;
  dx?: number; // px
  dy?: number;
}

export const FOOT = 30; // px at the bottom of the stage, for the legend
const css = new Map<number, string>(); // of pixels: making the text takes longer than looking it up
export function cssOf(pixel: number) {
  const found = css.get(pixel) ?? cssColor(pixel);
  css.set(pixel, found);
  return found;
}
export const colorOf = (table: Uint32Array, place: number) => table[Math.round(255 * clamp(place))];

export class Pen {
  readonly hits: Hit[] = [];
  readonly texts: string[] = [];
  readonly scale: number;
  readonly size: number; // px of labels: they grow with the stage, as they are read from the back row
  readonly foot: number;
  #alpha = 1;

  constructor(
    readonly g: Context,
    readonly width: number,
    readonly height: number,
    readonly camera: Camera,
    readonly ink: Ink,
    readonly isSmall = false, // a map of the whole, without words
  ) {
    this.scale = width / camera[2];
    this.size = clamp(width / 76, 13, 26);
    this.foot = isSmall ? 0 : FOOT;
  }

  x = (x: number) => (x - this.camera[0]) * this.scale + this.width / 2;
  y = (y: number) => (y - this.camera[1]) * this.scale + (this.height - this.foot) / 2;

  /** Draw with this opacity from here on; returns whether anything would be seen. */
  fade(alpha: number) {
    this.#alpha = clamp(alpha);
    this.g.globalAlpha = this.#alpha;
    return this.#alpha > 0.01;
  }
  sees = ({ x, y, w, h }: Rect) =>
    this.x(x) < this.width && this.y(y) < this.height && this.x(x + w) > 0 && this.y(y + h) > 0;

  /** A rectangle with sharp edges. */
  fill({ x, y, w, h }: Rect, color: string | number) {
    const [left, top] = [Math.round(this.x(x)), Math.round(this.y(y))];
    this.g.fillStyle = typeof color === 'number' ? cssOf(color) : color;
    this.g.fillRect(
      left,
      top,
      Math.max(1, Math.round(this.x(x + w)) - left),
      Math.max(1, Math.round(this.y(y + h)) - top),
    );
  }
  frame({ x, y, w, h }: Rect, color = this.ink.line, width = 1, out = 0) {
    this.g.strokeStyle = color;
    this.g.lineWidth = this.isSmall ? Math.min(width, 1) : width;
    this.g.strokeRect(this.x(x) - out, this.y(y) - out, w * this.scale + 2 * out, h * this.scale + 2 * out);
  }
  /** Frame what is followed, or pointed at. */
  mark(rect: Rect, alpha: number, color = this.ink.accent) {
    if (this.fade(alpha)) this.frame(rect, color, 2, 1);
  }
  text(
    words: string,
    x: number,
    y: number,
    {
      align = 'left',
      base = 'alphabetic',
      size = this.size,
      isBold,
      color = this.ink.quiet,
      dx = 0,
      dy = 0,
    }: Style = {},
  ) {
    if (!words || this.isSmall || this.#alpha <= 0.01) return;
    this.g.font = `${isBold ? 600 : 400} ${size}px ${this.ink.font}`;
    this.g.textAlign = align;
    this.g.textBaseline = base;
    this.g.fillStyle = color;
    this.g.fillText(words, this.x(x) + dx, this.y(y) + dy);
    this.texts.push(words);
  }
  /** A value in the middle of a cell of this color. */
  value(words: string, { x, y, w, h }: Rect, color: number) {
    this.text(words, x + w / 2, y + h / 2, { align: 'center', base: 'middle', color: inkOn(color) });
  }
  /** A picture, or a part of it in its own pixels. */
  image(image: HTMLCanvasElement, { x, y, w, h }: Rect, part?: Rect, isSmooth = false) {
    const from = part ?? { x: 0, y: 0, w: image.width, h: image.height };
    if (from.w < 0.01 || from.h < 0.01) return;
    this.g.imageSmoothingEnabled = isSmooth;
    const to = [this.x(x), this.y(y), w * this.scale, h * this.scale] as const;
    this.g.drawImage(image, from.x, from.y, from.w, from.h, ...to);
  }
  /** A list of numbers as stripes, up to one of them. */
  strip(values: ArrayLike<number>, { x, y, w, h }: Rect, place: (value: number) => number, end = values.length) {
    const each = w / values.length;
    for (let i = 0; i < Math.min(end, values.length); i++)
      this.fill({ x: x + i * each, y, w: each, h }, colorOf(this.ink.div, place(values[i])));
  }
  /** An S between two points of the world. */
  curve(x0: number, y0: number, x1: number, y1: number, isDown = false) {
    const [a, b, c, d] = [this.x(x0), this.y(y0), this.x(x1), this.y(y1)];
    this.g.beginPath();
    this.g.moveTo(a, b);
    if (isDown) this.g.bezierCurveTo(a, (b + d) / 2, c, (b + d) / 2, c, d);
    else this.g.bezierCurveTo((a + c) / 2, b, (a + c) / 2, d, c, d);
    this.g.stroke();
  }
  line(color: string, width: number) {
    this.g.strokeStyle = color;
    this.g.lineWidth = width;
  }
  hit({ x, y, w, h }: Rect, columns: number, rows: number, says: Hit['says'], leads: Pick<Hit, 'patch' | 'head'> = {}) {
    const { scale } = this;
    this.hits.push({ x: this.x(x), y: this.y(y), w: w * scale, h: h * scale, columns, rows, says, ...leads });
  }
}

export const moved = (a: Rect, b: Rect, f: number): Rect => ({
  x: a.x + (b.x - a.x) * f,
  y: a.y + (b.y - a.y) * f,
  w: a.w + (b.w - a.w) * f,
  h: a.h + (b.h - a.h) * f,
});

/** A cell of a grid in a rectangle. */
export const cellOf = ({ x, y, w, h }: Rect, index: number, columns: number, rows: number): Rect => ({
  x: x + ((index % columns) * w) / columns,
  y: y + (Math.floor(index / columns) * h) / rows,
  w: w / columns,
  h: h / rows,
});
