/* When does the class token decide? The curves after swapping it, and the sentence on them: pure functions. */

import { type Frame, placeLabels, valueScale } from './axes';
import type { Swap } from './routes';
import { percent, written } from './words';

export interface SwapChart {
  width: number;
  height: number;
  frame: Frame;
  layers: { x: number; text: string }[];
  curves: { side: 'a' | 'b'; points: string; label: string; y: number }[];
}

const HEIGHT = 220;
const LABEL = 150; // px for the names of the curves
const APART = 44; // px between two names of layers, at least

/** The chart in a width in pixels. */
export function swapChart(swap: Swap, width: number): SwapChart {
  const frame = { left: 48, right: Math.max(120, width - LABEL), top: 12, bottom: HEIGHT - 28 };
  const count = swap.patches.length;
  const x = (layer: number) => frame.left + (layer * (frame.right - frame.left)) / (count - 1);
  const y = valueScale(frame, 1);
  const every = Math.ceil(count / ((frame.right - frame.left) / APART));
  const layers = Array.from({ length: count }, (_, layer) => layer)
    .filter((layer) => layer % every === 0)
    .map((layer) => ({ x: x(layer), text: layer ? String(layer) : 'input' }));
  const within = (value: number) => Math.min(1, Math.max(0, value));
  const sides = [
    { side: 'a' as const, values: swap.patches, name: swap.labels?.[0] ?? 'output of A' },
    { side: 'b' as const, values: swap.class_token, name: swap.labels?.[1] ?? 'output of B' },
  ];
  const curves = sides.map(({ side, values, name }) => ({
    side,
    points: values.map((value, layer) => `${x(layer)},${y(within(value))}`).join(' '),
    label: side === 'a' ? `${name}, of the patches` : `${name}, of the class token`,
    y: y(within(values[count - 1])),
  }));
  return { width, height: HEIGHT, frame, layers, curves: placeLabels(curves, frame) };
}

/** What the curves say. */
export function swapSentence({ labels, patches, class_token }: Swap): string {
  if (labels && labels[0] === labels[1])
    return `Both images are predicted as ${labels[0]}: choose two with different predictions.`;
  const last = patches.length - 1;
  const decided = patches.findIndex((value, layer) => class_token[layer] > value);
  if (decided < 1) return 'The class token does not take over.';
  const [value, name] = labels
    ? [percent, labels]
    : [(share: number) => written(share, 2), ['output of A', 'output of B']];
  const before = decided === 1 ? 'Before layer 1' : `After layer ${decided - 1}`;
  const after = decided === last ? 'only after the last' : `after layer ${decided}`;
  return (
    `${before} the output still follows the patches of A (${name[0]} ${value(patches[decided - 1])}), ` +
    `${after} the class token of B (${name[1]} ${value(class_token[decided])}).`
  );
}

/** The values for a screen reader. */
export const swapText = ({ patches, class_token }: Swap): string =>
  patches
    .map(
      (value, layer) =>
        `${layer ? `after layer ${layer}` : 'input'}: ${written(value, 2)} and ${written(class_token[layer], 2)}`,
    )
    .join('; ');
