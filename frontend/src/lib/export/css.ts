/* What the walk reads of computed styles: colors, shadows, and gradients whose colors change at once. */

import type { Box, Color, Segment } from './drawing';

/** A computed color, which may be followed by something else; null if it is transparent. */
export function colorOf(text: string, opacity = 1): Color | null {
  const [, space, content] = text.match(/^(rgba?|color)\(([^)]*)\)/) ?? [];
  if (!space) return null;
  const numbers = (content.match(/-?[\d.]+(e-?\d+)?/g) ?? []).map(Number);
  const [red, green, blue] = numbers.map((one) => (space === 'color' ? 255 * one : one));
  const alpha = (numbers[3] ?? 1) * opacity;
  return alpha > 0 ? [red, green, blue, alpha] : null;
}

/** The parts of a list at its own commas. */
export function listOf(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const letter of text) {
    if (letter === '(') depth++;
    else if (letter === ')') depth--;
    if (letter === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim());
}

export interface Ring {
  color: Color;
  spread: number; // px
  isInset: boolean;
}

/** The shadows of a box that are rings: those without blur and offset. The first one is on top. */
export function ringsOf(text: string, opacity = 1): Ring[] {
  if (text === 'none') return [];
  return listOf(text).flatMap((shadow) => {
    const [x, y, blur, spread] = (shadow.match(/-?[\d.]+px/g) ?? []).map(Number.parseFloat);
    const color = colorOf(shadow.replace(/^inset /, ''), opacity);
    return color && spread > 0 && !x && !y && !blur ? [{ color, spread, isInset: shadow.includes('inset') }] : [];
  });
}

export interface Bands {
  color: Color;
  segments: Segment[];
}

interface Stop {
  color: Color | null;
  at: number; // px along the gradient
}

/** The areas of one color in a computed `linear-gradient` or `repeating-linear-gradient` that fills a box. */
export function bandsOf(gradient: string, box: Box, opacity = 1): Bands[] {
  const [, repeats, content] = gradient.match(/^(repeating-)?linear-gradient\((.*)\)$/s) ?? [];
  if (content === undefined) return [];
  const parts = listOf(content);
  const hasDirection = /^(to |-?[\d.]+deg)/.test(parts[0]);
  const [dx, dy] = directionOf(hasDirection ? parts[0] : '', box);
  const length = Math.abs(box.width * dx) + Math.abs(box.height * dy);
  const stops = stopsOf(hasDirection ? parts.slice(1) : parts, length, opacity);
  const period = repeats ? stops[stops.length - 1].at : 0;
  const found = new Map<string, Bands>();
  for (let start = 0; start === 0 || (period > 0 && start < length); start += period || length) {
    for (let i = 0; i + 1 < stops.length; i++) {
      const { color, at } = stops[i];
      if (!color || String(color) !== String(stops[i + 1].color)) continue;
      const polygon = strip(box, dx, dy, start + at - length / 2, start + stops[i + 1].at - length / 2);
      if (!polygon.length) continue;
      const bands = found.get(String(color)) ?? { color, segments: [] };
      found.set(String(color), bands);
      bands.segments.push(...polygon.map(([x, y], k): Segment => [k ? 'L' : 'M', x, y]), ['Z']);
    }
  }
  return [...found.values()];
}

/** The unit vector of a gradient. */
function directionOf(text: string, { width, height }: Box): [number, number] {
  if (text.endsWith('deg')) {
    const angle = (Number.parseFloat(text) * Math.PI) / 180;
    return [Math.sin(angle), -Math.cos(angle)];
  }
  const across = Number(text.includes('right')) - Number(text.includes('left'));
  const down = text ? Number(text.includes('bottom')) - Number(text.includes('top')) : 1;
  if (!across || !down) return [across, down];
  const diagonal = Math.hypot(width, height); // the line through the other two corners has the color in the middle
  return [(across * height) / diagonal, (down * width) / diagonal];
}

/** Stops in order; a color with two places is two stops. */
function stopsOf(parts: string[], length: number, opacity: number): Stop[] {
  let last = 0;
  return parts.flatMap((part, i) => {
    const [, color, places] = part.match(/^(\w+\([^)]*\))\s*(.*)$/s) ?? ['', part, ''];
    const found = places.match(/calc\([^)]*\)|[^\s]+/g) ?? [i ? '100%' : '0px'];
    return found.map((place) => {
      last = Math.max(last, lengthOf(place, length));
      return { color: colorOf(color, opacity), at: last };
    });
  });
}

/** A length in px: "12.5%", "calc(50% - 0.6px)". */
function lengthOf(text: string, whole: number) {
  const parts = text.match(/[+-]?\s*[\d.]+(px|%)/g) ?? [];
  return parts.reduce((sum, part) => {
    const value = Number.parseFloat(part.replace(/\s/g, ''));
    return sum + (part.endsWith('%') ? (value * whole) / 100 : value);
  }, 0);
}

/** The corners of the part of a box between two distances from its middle along a direction. */
function strip({ x, y, width, height }: Box, dx: number, dy: number, low: number, high: number): [number, number][] {
  const place = ([left, top]: [number, number]) => (left - x - width / 2) * dx + (top - y - height / 2) * dy;
  const corners: [number, number][] = [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ];
  const above = clip(corners, (point) => place(point) - low);
  return clip(above, (point) => high - place(point));
}

/** The part of a polygon where a linear function is positive (Sutherland & Hodgman 1974). */
function clip(polygon: [number, number][], value: (point: [number, number]) => number): [number, number][] {
  return polygon.flatMap((point, i) => {
    const next = polygon[(i + 1) % polygon.length];
    const [here, there] = [value(point), value(next)];
    const inside = here >= 0 ? [point] : [];
    if (here >= 0 === there >= 0) return inside;
    const part = here / (here - there);
    return [
      ...inside,
      [point[0] + part * (next[0] - point[0]), point[1] + part * (next[1] - point[1])] as [number, number],
    ];
  });
}

/** The segments of an SVG path of the commands M, L, H, V, C and Z. */
export function segmentsOf(d: string): Segment[] {
  const found: Segment[] = [];
  let [x, y] = [0, 0];
  for (const [, letter, rest] of d.matchAll(/([a-zA-Z])([^a-zA-Z]*)/g)) {
    const numbers = (rest.match(/-?[\d.]+/g) ?? []).map(Number);
    if (letter === 'Z' || letter === 'z') found.push(['Z']);
    else if (letter === 'M' || letter === 'L') {
      for (let i = 0; i < numbers.length; i += 2) {
        [x, y] = [numbers[i], numbers[i + 1]];
        found.push([letter === 'M' && i === 0 ? 'M' : 'L', x, y]);
      }
    } else if (letter === 'H' || letter === 'V') {
      if (letter === 'H') x = numbers[0];
      else y = numbers[0];
      found.push(['L', x, y]);
    } else throw new Error(`path command ${letter}`);
  }
  return found;
}
