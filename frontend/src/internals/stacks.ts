/* Stacked bars, one for each head, in rows of layers; under each a thin bar of a second share. */

import type { Frame } from '../lib/axes';
import type { Head } from './figure';
import { layerMark } from './layers';
import type { Box, Places, Point } from './places';

export const PARTS = ['position', 'content', 'same', 'rest'] as const;

interface Rect extends Box {
  kind: (typeof PARTS)[number] | 'thin' | 'thin-rest';
}

export interface Stacks {
  width: number;
  height: number;
  rects: Rect[];
  labels: { x: number; y: number; anchor: 'start' | 'middle' | 'end'; text: string }[];
}

export interface StackPlaces extends Places {
  partsOf: (index: number) => Head;
}

const LEFT = 44;
const TOP = 20;
const GAP = 6;
const SPACE = 2; // pixels between a bar and its thin one

/** @param shares of `PARTS` by layer and head
    @param thin a share by layer and head; empty without one */
export function stacks(shares: number[][][], thin: number[][], width: number): Stacks & { places: StackPlaces } {
  const [layers, heads] = [shares.length, shares[0].length];
  const line = layers > 12 ? 18 : 36;
  const column = (width - LEFT + GAP) / heads;
  const frame: Frame = { left: LEFT, right: width, top: TOP, bottom: TOP + layers * line };
  const boxOf = ({ layer, head }: Head): Box => ({
    left: LEFT + head * column,
    top: TOP + layer * line,
    width: column - (heads > 8 ? GAP / 2 : GAP),
    height: line - (line > 18 ? 10 : 3),
  });
  const rects = shares.flatMap((row, layer) =>
    row.flatMap((parts, head) => {
      const box = boxOf({ layer, head });
      const own = thin[layer]?.[head];
      const split = own === undefined ? box.height : Math.round(0.7 * box.height);
      return [
        ...bar({ ...box, height: split }, parts, PARTS),
        ...(own === undefined
          ? []
          : bar(
              { ...box, top: box.top + split + SPACE, height: box.height - split - SPACE },
              [own, 1 - own],
              ['thin', 'thin-rest'],
            )),
      ];
    }),
  );
  const every = Math.ceil(heads / 8);
  const labels: Stacks['labels'] = [
    ...shares.map((_, layer) => ({
      x: LEFT - 8,
      y: TOP + layer * line + line / 2,
      anchor: 'end' as const,
      text: layer ? layerMark(layer + 1) : 'layer 1',
    })),
    ...Array.from({ length: Math.ceil(heads / every) }, (_, k) => ({
      x: LEFT + k * every * column,
      y: TOP - 7,
      anchor: 'start' as const,
      text: k ? String(k * every + 1) : 'head 1',
    })),
  ];
  const grid = { rows: layers, columns: heads };
  const partsOf = (index: number) => ({ layer: Math.floor(index / heads), head: index % heads });
  const places: StackPlaces = {
    grid,
    start: 0,
    partsOf,
    holds: () => true,
    at({ x, y }: Point) {
      if (x < frame.left || x > frame.right || y < frame.top || y >= frame.bottom) return -1;
      return Math.floor((y - TOP) / line) * heads + Math.min(heads - 1, Math.floor((x - LEFT) / column));
    },
    box: (index) => boxOf(partsOf(index)),
  };
  return { width, height: frame.bottom, rects, labels, places };
}

/** A bar of shares next to each other. */
function bar<Kind extends Rect['kind']>(box: Box, shares: number[], kinds: readonly Kind[]): Rect[] {
  let left = box.left;
  return kinds.map((kind, k) => {
    const rect = { ...box, left, width: Math.max(0, shares[k]) * box.width, kind };
    left += rect.width;
    return rect;
  });
}
