import { describe, expect, test } from 'vitest';
import { swapChart, swapSentence, swapText } from './swap';
import { SPACE } from './words';

const SWAP = {
  labels: ['cat', 'ship'] as [string, string],
  patches: [0.9, 0.8, 0.2, 0.05],
  class_token: [0.01, 0.1, 0.7, 0.95],
};
const plain = (text: string) => text.replaceAll(SPACE, ' ');

describe('the swap of the class token', () => {
  test('the sentence names the layers between which the output changes sides', () => {
    expect(plain(swapSentence(SWAP))).toBe(
      'After layer 1 the output still follows the patches of A (cat 80.0 %), after layer 2 the class token of B (ship 70.0 %).',
    );
    const late = { ...SWAP, patches: [0.9, 0.9, 0.9, 0.1], class_token: [0, 0, 0, 0.8] };
    expect(plain(swapSentence(late))).toContain('only after the last the class token of B (ship 80.0 %)');
    const early = { ...SWAP, patches: [0.9, 0.1, 0.1, 0.1], class_token: [0, 0.8, 0.8, 0.8] };
    expect(swapSentence(early)).toMatch(/^Before layer 1 the output/);
  });

  test('equal predictions, and a class token that never decides, are said', () => {
    expect(swapSentence({ ...SWAP, labels: ['cat', 'cat'] })).toContain('choose two with different predictions');
    expect(swapSentence({ ...SWAP, class_token: [0, 0, 0, 0] })).toBe('The class token does not take over.');
  });

  test('a model that predicts no class has shares of both outputs', () => {
    const sentence = swapSentence({ labels: null, patches: [1, 0.8, 0.3, 0], class_token: [0, 0.2, 0.7, 1] });
    expect(sentence).toContain('output of A 0.80');
  });

  test('curves run from the input to the last layer, inside the frame, with their names apart', () => {
    const { curves, frame, layers } = swapChart(SWAP, 600);
    expect(layers.map(({ text }) => text)).toEqual(['input', '1', '2', '3']);
    for (const { points } of curves) {
      const places = points.split(' ').map((point) => point.split(',').map(Number));
      expect([places[0][0], places[3][0]]).toEqual([frame.left, frame.right]);
      expect(places.every(([, y]) => y >= frame.top && y <= frame.bottom)).toBe(true);
    }
    expect(Math.abs(curves[0].y - curves[1].y)).toBeGreaterThanOrEqual(15);
    expect(
      swapChart({ ...SWAP, patches: Array(25).fill(0.5), class_token: Array(25).fill(0.5) }, 390).layers.length,
    ).toBeLessThan(9);
  });

  test('the text has all values', () => {
    expect(swapText(SWAP)).toBe(
      'input: 0.90 and 0.01; after layer 1: 0.80 and 0.10; after layer 2: 0.20 and 0.70; after layer 3: 0.05 and 0.95',
    );
  });
});
