/* Small canvases of many numbers, one pixel each, painted once and copied in every frame. */

import { colorIndex } from '../../lib/numbers';
import { makeTile } from '../../lib/paint';
import type { Ink } from './pen';
import { colorOf } from './pen';
import type { Story } from './story';

export interface Pictures {
  photo: HTMLCanvasElement;
  tables: HTMLCanvasElement[]; // of tokens, by layer: the input of the first one, then outputs
  tiles: HTMLCanvasElement[]; // of weights, by layer: the maps of all heads, side by side
  scores: HTMLCanvasElement; // of the head
  weights: HTMLCanvasElement;
}

export function paintPictures(story: Story, ink: Ink): Pictures {
  const { shape, block, scales, numbers } = story;
  const { rows, columns, prefix } = shape;
  const canvas = (w: number, h: number, color: (x: number, y: number) => number) => {
    const tile = makeTile(document.createElement('canvas'), w, h);
    for (let i = 0; i < w * h; i++) tile.pixels[i] = color(i % w, Math.floor(i / w));
    tile.context.putImageData(tile.image, 0, 0);
    return tile.canvas;
  };
  const weight = (value: number) => ink.seq[colorIndex(scales.weights, value)];
  return {
    photo: story.pass.explanation.image,
    tables: Array.from({ length: shape.layers + 1 }, (_, layer) =>
      canvas(numbers, story.rows.length, (x, y) => colorOf(ink.div, scales.numbers.place(story.tokenAt(layer, y)[x]))),
    ),
    tiles: Array.from({ length: shape.layers }, (_, layer) =>
      canvas(columns * shape.heads, rows, (x, y) =>
        weight(story.rowOf(layer, Math.floor(x / columns))[prefix + y * columns + (x % columns)]),
      ),
    ),
    scores: canvas(columns, rows, (x, y) => ink.div[colorIndex(scales.scores, block.scores[prefix + y * columns + x])]),
    weights: canvas(columns, rows, (x, y) => weight(block.weights[prefix + y * columns + x])),
  };
}
