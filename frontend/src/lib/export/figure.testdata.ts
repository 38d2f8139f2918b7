/* A drawing with every kind of primitive. */

import type { Drawing } from './drawing';

const pixels = { width: 2, height: 1, data: new Uint8ClampedArray([255, 0, 0, 255, 0, 0, 255, 255]) };
const text = {
  kind: 'text',
  x: 10,
  y: 60,
  width: 40,
  size: 12,
  color: [26, 29, 33, 1],
  isBold: false,
  isItalic: false,
} as const;

export const DRAWING: Drawing = {
  width: 100,
  height: 80,
  title: 'Cat & <dog>',
  description: 'A caption with κ.',
  primitives: [
    { kind: 'rect', x: 1, y: 2, width: 30, height: 20, fill: [0, 128, 255, 0.5] },
    { kind: 'rect', x: 1, y: 2, width: 30, height: 20, radius: 4, stroke: [0, 0, 0, 1], strokeWidth: 2 },
    {
      kind: 'path',
      segments: [
        ['M', 0, 0],
        ['L', 10, 5],
      ],
      stroke: [9, 9, 9, 1],
      strokeWidth: 1,
      dash: [4, 2],
      isRound: true,
    },
    { kind: 'image', x: 40, y: 10, width: 20, height: 10, pixels, isPixelated: true, opacity: 1, name: 'map' },
    { ...text, text: 'a −0.5 ≥ 2 × 3 · x' },
    { ...text, text: 'A → κ 猫', y: 75, isBold: true, halo: { color: [255, 255, 255, 1], width: 4 } },
  ],
};

export const METADATA = '{"model":"a<b","name":"猫"}';
