import { describe, expect, test } from 'vitest';
import { capital } from '../lib/words';
import { CAPTIONS } from './captions';
import { dotChart, dotPlaces, scatterChart } from './dots';
import type { Figure } from './figure';
import { layerNorms, lensCurves, normCurves } from './layerCurves';
import { FIGURES } from './probeFigures';
import { EXAMPLE } from './probes.testdata';
import { squareMatrix, squarePlaces } from './square';
import { type Stacks, stacks } from './stacks';

const WIDTH = 400;
const text = (line: Figure['finding']) =>
  line
    .map((part) => (typeof part === 'string' ? part : `*${part.strong}*`))
    .join('')
    .replaceAll('\u00a0', ' ');

describe('dots', () => {
  const chart = dotChart(EXAMPLE.distance, EXAMPLE.uniform_distance, 'pixels', 'uniform 4.0 px', WIDTH);
  const places = dotPlaces(chart);

  test('a dot is as high as its value', () => {
    const [low, , , high] = chart.dots;
    const height = chart.frame.bottom - chart.frame.top;
    expect(low.y - high.y).toBeCloseTo((height * 3) / (1.12 * 4));
    expect(chart.means[0].y).toBeCloseTo((chart.dots[0].y + chart.dots[1].y) / 2);
  });

  test('the label of uniform attention is above all dots', () => {
    expect(chart.uniform.top).toBe(chart.dots[3].y - chart.radius);
    const low = dotChart([[1, 2]], 100, '', '', WIDTH);
    expect(low.uniform.top).toBe(low.uniform.y);
  });

  test('the pointer reads the nearest dot, and the mark is around it', () => {
    const { x, y } = chart.dots[2]; // layer 2, head 1
    const index = places.at({ x: x - 2, y: y + 3 }, []);
    expect(places.partsOf(index)).toEqual({ layer: 1, head: 0 });
    expect(places.box(index, [])).toEqual({ left: x - 6, top: y - 6, width: 12, height: 12, style: 'round' });
  });
});

describe('stacked bars', () => {
  const chart = stacks(EXAMPLE.head_shares, EXAMPLE.image_specific, WIDTH);
  const [first, second] = [0, 1].map((head) => chart.places.box(head, []));

  test('the parts of a head fill its bar, and the image-specific query the thin one', () => {
    const widthOf = (rects: Stacks['rects']) => rects.reduce((sum, { width }) => sum + width, 0);
    const ofLast = chart.rects.slice(-6);
    expect(widthOf(ofLast.slice(0, 4))).toBeCloseTo(first.width);
    expect(widthOf(ofLast.slice(4))).toBeCloseTo(first.width);
    expect(ofLast[4].width / first.width).toBeCloseTo(0.4);
    expect(ofLast[4].top).toBeGreaterThan(ofLast[0].top);
  });

  test('the pointer reads the head under it', () => {
    expect(chart.places.at({ x: second.left + 1, y: second.top + 1 }, [])).toBe(1);
    expect(chart.places.at({ x: 2, y: second.top }, [])).toBe(-1);
    expect(chart.places.partsOf(2)).toEqual({ layer: 1, head: 0 });
  });

  test('without class token there is no thin bar', () => {
    expect(stacks(EXAMPLE.head_shares, [], WIDTH).rects).toHaveLength(16);
  });
});

describe('scatter', () => {
  const chart = scatterChart(EXAMPLE.sink_norm, EXAMPLE.sink_share, 1 / 6, 'uniform 16.7 %', WIDTH);

  test('a dot is at its norm and attention', () => {
    const [first, , third, last] = chart.dots;
    expect(third.x - chart.frame.left).toBeCloseTo((first.x - chart.frame.left) / 10);
    expect(last.x - chart.frame.left).toBeCloseTo(2 * (first.x - chart.frame.left));
    const { bottom } = chart.frame;
    expect(bottom - third.y).toBeCloseTo(4 * (bottom - first.y));
  });

  test('the axes are labeled', () => {
    expect(chart.layers.labels[0].text).toBe('0.5 ×');
    expect(chart.axis.print?.(0.2)).toBe('20\u00a0%');
  });
});

describe('square matrix', () => {
  const square = squareMatrix(EXAMPLE.cka, WIDTH);
  const places = squarePlaces(square);

  test('starts at the lower left and is at most 392 px wide', () => {
    expect(square.cell).toBe(120);
    expect(square.cells[0]).toEqual({ x: 32, y: 240, value: 1 });
    expect(places.partsOf(places.start)).toEqual({ row: 0, column: 0 });
  });

  test('the pointer reads the value under it', () => {
    const index = places.at({ x: 32 + 125, y: 5 }, []);
    expect(places.partsOf(index)).toEqual({ row: 2, column: 1 });
    expect(places.box(index, [])).toEqual({ left: 152, top: 0, width: 120, height: 120 });
    expect(
      [
        { x: 31, y: 5 },
        { x: 40, y: 360 },
        { x: 392, y: 5 },
      ].map((point) => places.at(point, [])),
    ).toEqual([-1, -1, -1]);
  });
});

describe('curves', () => {
  test('norms of a layer are those of its class token and patches', () => {
    expect(layerNorms(EXAMPLE)[1]).toEqual({ token: 2, median: 3.5, low: 2, high: 5, largest: 6, outliers: 0.25 });
  });

  test('bars stand on the frame, under the curves', () => {
    const { bars, curves, frame } = normCurves(layerNorms(EXAMPLE), WIDTH, true);
    expect(curves.map(({ name }) => name)).toEqual(['data dotted', 'data', 'ink']);
    for (const { top, height } of bars?.boxes ?? []) expect(top + height).toBeCloseTo(frame.bottom);
    expect(bars?.boxes[0].height).toBe(0);
    expect(bars?.axis.print?.(0.05)).toBe('5\u00a0%');
  });

  test('the line of chance is labeled with it', () => {
    expect(lensCurves(EXAMPLE, WIDTH).uniform?.label).toBe('chance 10\u00a0%');
    expect(lensCurves({ ...EXAMPLE, classes: 1000 }, WIDTH).uniform?.label).toBe('chance 0.10\u00a0%');
  });
});

describe('sentences', () => {
  const figure = (name: keyof typeof FIGURES, change = {}) => FIGURES[name]({ ...EXAMPLE, ...change }, WIDTH);

  test.each([
    ['filters', 'The first 2 components explain *75.0 %* of the variance, the first one *50.0 %*.'],
    ['positions', 'Row 1, column 1 is most similar to row 2, column 1: cosine *0.70*.'],
    [
      'distance',
      'From *1.0 px* (layer 1, head 1) to *4.0 px* (layer 2, head 2); uniform attention gives 4.0 px in an image of 8 × 8.',
    ],
    [
      'effective',
      'From *1 tokens* (layer 1, head 1) to *6 tokens* (layer 2, head 2); uniform attention gives all 6 tokens.',
    ],
    ['divergence', 'Most different in layer 2: heads 1 and 2, *0.50 nats* of at most 0.69.'],
    [
      'norms',
      'The norm of the class token goes from *1.0* to *9.0*. Most outliers after layer 1: 25.0 % of the patches.',
    ],
    ['lens', 'From layer 1 on, at least half of the images have their final prediction: *60 %* after layer 1.'],
    ['cosine', 'Strongest after layer 1, row 1, column 2: cosine *−0.60*.'],
    ['cka', 'Least similar: the input of layer 1 and layer 2: *0.40*.'],
    [
      'sinks',
      'At most *80.0 %* of the attention is on one token (layer 2, head 1), which has 0.10 times the mean value norm.',
    ],
    [
      'heads',
      'Position at most *50 %* (layer 1, head 1), content *60 %* (layer 1, head 2); image-specific query 15 %. Over 200 images.',
    ],
    ['decision', 'Swapped after layer 1, *70 %* of 150 pairs follow the patches; after layer 2, *0 %*.'],
  ] as const)('finding of %s', (name, expected) => {
    expect(text(figure(name).finding)).toBe(expected);
  });

  test.each([
    ['filters', 1, 'Component 2 explains *25.0 %* of the variance. Its largest weight is 0.25.'],
    ['positions', 3, 'Row 1, column 2 and row 1, column 2: cosine *1.00*.'],
    ['distance', 1, "Layer 2, head 1: *3.0 px*, 0.75 times uniform. Mean of the layer's heads: 3.5 px."],
    ['effective', 2, "Layer 1, head 2: *2.3 tokens*, 0.38 times uniform. Mean of the layer's heads: 1.6 tokens."],
    ['divergence', 0, 'Layer 1, head 1 with itself: *0.00 nats*.'],
    ['divergence', 1, 'Layer 1, heads 1 and 2: *0.20 nats*.'],
    [
      'norms',
      2,
      capital('after layer 2: class token *9.0*, patches *5.5* (positions 4.0 to 7.0), largest 8.0; outliers 2.5 %.'),
    ],
    [
      'lens',
      0,
      'Before layer 1: *10 %* of the images have their final prediction, whose mean probability is *10.0 %*.',
    ],
    ['cosine', 0, 'Before layer 1, row 1, column 1: cosine *0.10*.'],
    ['sinks', 2, 'Layer 1, head 2: *50.0 %* of the attention on one token, which has 0.90 times the mean value norm.'],
    ['cka', 6, 'The input of layer 1 with itself: *1.00*.'],
    ['cka', 7, 'The input of layer 1 and layer 1: *0.70*.'],
    [
      'heads',
      3,
      'Layer 2, head 2: position *20 %*, content *20 %*, same for all 20 %, rest 40 %; image-specific query 40 %.',
    ],
    ['decision', 1, 'Swapped after layer 1, the prediction follows the patches in *70 %*, the class token in *20 %*.'],
  ] as const)('reading of %s at %i', (name, index, expected) => {
    expect(text(figure(name).read(index))).toBe(expected);
  });

  test('nothing to compare, no outlier, equal layers, an early prediction', () => {
    const none = EXAMPLE.norms.map((row) => row.map(() => 0));
    const equal = EXAMPLE.cka.map((row) => row.map(() => 1));
    expect(text(figure('divergence', { head_divergence: [[[0]]] }).finding)).toContain('nothing to compare');
    expect(text(figure('norms', { outliers: none }).finding)).toContain('No patch is an outlier.');
    expect(text(figure('cka', { cka: equal }).finding)).toBe('All layers are equally similar.');
    expect(text(figure('lens', { final_agreement: [0.5, 0.6, 1] }).finding)).toContain('From the start on');
  });

  test('every figure can be read at its start', () => {
    for (const { probe } of CAPTIONS) {
      const { places, read } = figure(probe);
      expect(places.holds(places.start)).toBe(true);
      expect(text(read(places.start))).toMatch(/\d\.$|\*\.$|%\.$|px\.$|tokens\.$|norm\.$/);
    }
  });
});
