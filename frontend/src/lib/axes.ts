/* Axes of charts, in pixels of the stage. */

export interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export const DATA_COLOR = 150; // entry of the color map for data in charts, as in saved figures

/** About `count` round tick values from 0 to `end`: multiples of 1, 2 or 5 times a power of ten. */
export function ticks(end: number, count: number) {
  if (!(end > 0)) return [0];
  const finest = end / (1.1 * count);
  const exponent = Math.floor(Math.log10(finest));
  const digit = [1, 2, 5, 10].find((multiple) => multiple * 10 ** exponent >= finest) ?? 10;
  // Negative powers of ten are not exact: 3 / 10 is 0.3, 3 * 0.1 is not.
  const valueAt = (i: number) => (exponent < 0 ? (i * digit) / 10 ** -exponent : i * digit * 10 ** exponent);
  const length = Math.floor(end / valueAt(1) + 1e-9) + 1;
  return Array.from({ length }, (_, i) => valueAt(i));
}

/** A tick value without rounding errors, such as 0.3 instead of 0.30000000000000004. */
export const tickText = (tick: number, print: (value: number) => string = String) => print(Number(tick.toPrecision(6)));

/** Value -> y, from 0 at the bottom of the frame to `end` at its top. */
export const valueScale = (frame: Frame, end: number) => (value: number) =>
  frame.bottom + (value / (end || 1)) * (frame.top - frame.bottom);

/** Ticks of the value axis, as many as fit. */
export const valueTicks = (frame: Frame, end: number) =>
  ticks(end, Math.min(5, Math.max(2, (frame.bottom - frame.top) / 32)));

/** Points, [x, y] in pixels -> the attribute of a polyline. */
export const pointsText = (points: readonly (readonly number[])[]) => points.map((point) => point.join(',')).join(' ');

/** Labels at the ends of lines, moved apart and into the frame; in the same order. */
export function placeLabels<T extends { y: number }>(labels: readonly T[], frame: Frame): T[] {
  const gap = 15;
  const placed = labels.map((label) => ({ ...label }));
  const sorted = [...placed].sort((a, b) => a.y - b.y);
  for (let i = 1; i < sorted.length; i++) sorted[i].y = Math.max(sorted[i].y, sorted[i - 1].y + gap);
  let floor = frame.bottom;
  for (const label of sorted.reverse()) {
    label.y = Math.min(label.y, floor);
    floor = label.y - gap;
  }
  return placed;
}
