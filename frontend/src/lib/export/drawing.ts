/* A figure as a flat list of primitives, in CSS pixels from its upper left corner: what the writers of files read. */

import type { Scale } from '../numbers';

/** Red, green and blue from 0 to 255; opacity from 0 to 1. */
export type Color = readonly [red: number, green: number, blue: number, opacity: number];

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export type Segment =
  | readonly [command: 'M' | 'L', x: number, y: number]
  | readonly [command: 'C', x1: number, y1: number, x2: number, y2: number, x: number, y: number]
  | readonly [command: 'Z'];

interface Painted {
  fill?: Color;
  stroke?: Color;
  strokeWidth?: number;
  dash?: readonly number[];
  isRound?: boolean; // ends and corners of the stroke
}

export interface Rect extends Box, Painted {
  kind: 'rect';
  radius?: number;
}

export interface Path extends Painted {
  kind: 'path';
  segments: readonly Segment[];
}

/** RGBA pixels, as of `ImageData`. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8ClampedArray;
}

/** What a canvas shows: values on a scale in the colors of a table. */
export interface Panel {
  name: string;
  values: ArrayLike<number>; // one per pixel
  scale: Scale;
  table: Uint32Array;
}

export interface Picture extends Box {
  kind: 'image';
  pixels: Pixels;
  isPixelated: boolean;
  opacity: number;
  name: string;
  panel?: Panel;
}

/** One line of text in one style; `width` is that of the layout. */
export interface Text {
  kind: 'text';
  text: string;
  x: number;
  y: number; // of the baseline
  width: number;
  size: number;
  color: Color;
  isBold: boolean;
  isItalic: boolean;
  halo?: { color: Color; width: number };
}

export type Primitive = Rect | Path | Picture | Text;

export interface Drawing {
  width: number;
  height: number;
  primitives: readonly Primitive[];
  title: string;
  /** The caption, as an alternative text. */
  description: string;
}

/** Fonts of equal widths that all desktop systems have; in a PDF the first one needs no file. */
export const FONT = 'Helvetica, Arial, "Liberation Sans", sans-serif';

/** The CSS font of a text. */
export const fontText = ({ size, isBold, isItalic }: Pick<Text, 'size' | 'isBold' | 'isItalic'>) =>
  `${isItalic ? 'italic ' : ''}${isBold ? 'bold ' : ''}${size}px ${FONT}`;

const SLIDE = { width: 1280, height: 720 }; // px: 13.333 x 7.5 inches

/** The drawing in the middle of a 16:9 slide, as large as fits. */
export function onSlide(drawing: Drawing): Drawing {
  const zoom = Math.min(SLIDE.width / drawing.width, SLIDE.height / drawing.height);
  const [left, top] = [(SLIDE.width - zoom * drawing.width) / 2, (SLIDE.height - zoom * drawing.height) / 2];
  return { ...drawing, ...SLIDE, primitives: drawing.primitives.map((one) => moved(one, zoom, left, top)) };
}

function moved(one: Primitive, zoom: number, left: number, top: number): Primitive {
  const x = (value: number) => left + zoom * value;
  const y = (value: number) => top + zoom * value;
  if (one.kind === 'text') {
    const halo = one.halo && { ...one.halo, width: zoom * one.halo.width };
    return { ...one, x: x(one.x), y: y(one.y), width: zoom * one.width, size: zoom * one.size, halo };
  }
  if (one.kind === 'image')
    return { ...one, x: x(one.x), y: y(one.y), width: zoom * one.width, height: zoom * one.height };
  const line = { strokeWidth: one.strokeWidth && zoom * one.strokeWidth, dash: one.dash?.map((part) => zoom * part) };
  if (one.kind === 'path')
    return { ...one, ...line, segments: one.segments.map((segment) => transformed(segment, x, y)) };
  const radius = one.radius && zoom * one.radius;
  return { ...one, ...line, radius, x: x(one.x), y: y(one.y), width: zoom * one.width, height: zoom * one.height };
}

/** A segment whose coordinates are replaced. */
export function transformed(
  segment: Segment,
  x: (x: number, y: number) => number,
  y: (y: number, x: number) => number,
): Segment {
  if (segment[0] === 'Z') return segment;
  if (segment[0] !== 'C') return [segment[0], x(segment[1], segment[2]), y(segment[2], segment[1])];
  const [, a, b, c, d, e, f] = segment;
  return ['C', x(a, b), y(b, a), x(c, d), y(d, c), x(e, f), y(f, e)];
}

const ARC = 0.5523; // of a quarter circle as a Bézier curve

/** A rectangle as a path. */
export function outlineOf({ x, y, width, height, radius = 0 }: Box & { radius?: number }): Segment[] {
  const [right, bottom] = [x + width, y + height];
  const r = Math.min(radius, width / 2, height / 2);
  if (r <= 0) return [['M', x, y], ['L', right, y], ['L', right, bottom], ['L', x, bottom], ['Z']];
  const k = r * (1 - ARC);
  return [
    ['M', x + r, y],
    ['L', right - r, y],
    ['C', right - k, y, right, y + k, right, y + r],
    ['L', right, bottom - r],
    ['C', right, bottom - k, right - k, bottom, right - r, bottom],
    ['L', x + r, bottom],
    ['C', x + k, bottom, x, bottom - k, x, bottom - r],
    ['L', x, y + r],
    ['C', x, y + k, x + k, y, x + r, y],
    ['Z'],
  ];
}

/** Segments as the `d` of an SVG path, or for `Path2D`. */
export const pathText = (segments: readonly Segment[]) =>
  segments.map(([command, ...numbers]) => command + numbers.map(short).join(' ')).join('');

/** A number with two decimals at most. */
export const short = (value: number) => String(Math.round(100 * value) / 100);
