import { describe, expect, test } from 'vitest';
import { MEAN, POOL, type Shape } from './numbers';
import {
  capital,
  changesLine,
  classGroup,
  digitsOf,
  type HeadView,
  headHeadline,
  headLine,
  isUniformMap,
  keepSizes,
  type Line,
  largestLine,
  mapName,
  numberName,
  patchName,
  percent,
  prefixLine,
  prefixName,
  queryName,
  signed,
  targetTitle,
  textOf,
  timesUniform,
  tokenName,
  written,
} from './words';

/** Text with ordinary spaces. */
const plain = (text: string) => text.replaceAll('\u00a0', ' ');
const shown = (line: Line) => plain(textOf(line));

/** Two rows of two patches after the class token. */
const shape: Shape = { layers: 6, heads: 3, rows: 2, columns: 2, aspect: 1, prefix: 1, class_token: true };
const view: HeadView = {
  row: Float32Array.of(0.2, 0.1, 0.4, 0.2, 0.1),
  query: [],
  direction: 'from',
  layer: 4,
  head: 2,
  read: -1,
};

describe('numbers', () => {
  test('have a true minus sign, except if they round to zero', () => {
    expect(written(-1.234, 2)).toBe('−1.23');
    expect(written(-0.001, 2)).toBe('0.00');
    expect(written(0.001, 2)).toBe('0.00');
  });

  test.each([
    [0, '0.0 %'],
    [0.00004, 'under 0.01 %'],
    [0.00005, '0.01 %'],
    [0.00994, '0.99 %'],
    [0.00995, '1.0 %'],
    [0.1234, '12.3 %'],
    [1, '100.0 %'],
    [-0.5, '−50.0 %'],
  ])('%f is %s', (fraction, text) => {
    expect(plain(percent(fraction))).toBe(text);
  });

  test('percentages with given decimals', () => {
    expect(plain(percent(0.00001, 0))).toBe('0 %');
    expect(plain(percent(0.125, 1))).toBe('12.5 %');
  });

  test('ratios and signed numbers', () => {
    expect(plain(timesUniform(9.94))).toBe('9.9 ×');
    expect(plain(timesUniform(10.4))).toBe('10 ×');
    expect([1.5, -1.5, 0, 0.001, -0.001].map((number) => signed(number))).toEqual([
      '+1.50',
      '−1.50',
      '0.00',
      '0.00',
      '0.00',
    ]);
    expect(signed(12.34, 1)).toBe('+12.3');
  });

  test('decimals that print a percentage without rounding', () => {
    expect([0.25, 0.125, 0.0125, 0.00125, 1 / 3].map(digitsOf)).toEqual([0, 1, 2, 3, 3]);
  });

  test('sizes and units stay on one line', () => {
    expect(keepSizes('640 × 480')).toBe('640\u00a0×\u00a0480');
    expect(percent(0.5)).toBe('50.0\u00a0%');
  });
});

describe('names', () => {
  test('count from 1', () => {
    expect(patchName(3, { rows: 2, columns: 3 })).toBe('row 2, column 1');
    expect([numberName(0), numberName(MEAN)]).toEqual(['1', 'mean']);
    expect(mapName(4, 2)).toBe('Layer 5, head 3');
    expect(mapName(MEAN, MEAN)).toBe('Mean of layers, mean of heads');
    expect([mapName(POOL, 1), numberName(POOL)]).toEqual(['Attention pooling, head 2', 'pool']);
    expect(mapName(0, MEAN)).toBe('Layer 1, mean of heads');
  });

  test('of queries', () => {
    expect(queryName([], shape)).toBe('the class token');
    expect(queryName([], { ...shape, class_token: false })).toBe('the mean of the patches');
    expect(queryName([3], shape)).toBe('row 2, column 2');
    expect(queryName([0, 3], shape, 'these ')).toBe('these 2 patches');
  });

  test('of classes', () => {
    expect(targetTitle(['cat'])).toBe('cat');
    expect(targetTitle(['cat', 'dog'])).toBe('cat, not dog');
    expect(classGroup(['cat', 'dog'])).toBe('For class cat, not dog');
    expect(classGroup(['class 403'])).toBe('For class 403');
    expect(capital('row 1')).toBe('Row 1');
    expect(capital('')).toBe('');
  });
});

describe('sentences of a head', () => {
  test('name the tokens before the patches', () => {
    const shape = { layers: 1, heads: 1, rows: 2, columns: 2, aspect: 1, prefix: 1, class_token: true };
    expect(prefixName(shape)).toBe('the class token');
    expect(prefixName({ ...shape, prefix: 5 })).toBe('the class token and 4 registers');
    expect(prefixName({ ...shape, prefix: 2, distilled: true })).toBe('the class token and the distillation token');
    expect(prefixName({ ...shape, class_token: false })).toBe('1 register');
  });

  test('name the largest patch', () => {
    expect(headHeadline(view, shape)).toBe('Layer 5, head 3: the class token attends most to row 1, column 2');
    expect(headHeadline({ ...view, layer: POOL }, shape)).toContain('the pooling query attends most to');
    expect(headHeadline({ ...view, direction: 'to' }, shape)).toBe(
      'Layer 5, head 3: row 1, column 2 attends most to the class token',
    );
  });

  test('name several query patches', () => {
    const several = { ...view, query: [0, 1] };
    expect(headHeadline(several, shape)).toBe(
      'Layer 5, head 3: on average, these 2 patches attend most to row 1, column 2',
    );
    expect(headHeadline({ ...several, direction: 'to' }, shape)).toBe(
      'Layer 5, head 3: row 1, column 2 attends most to these 2 patches',
    );
  });

  test('of a map without a largest patch, with removed ones', () => {
    const flat = { ...view, row: Float32Array.of(0.4, 0.2, 0, 0.2, 0.2) };
    const removed = { ...shape, removed: [1] };
    expect(isUniformMap(flat, shape)).toBe(false);
    expect(isUniformMap(flat, removed)).toBe(true);
    expect(headHeadline(flat, removed)).toBe('Layer 5, head 3: the class token attends equally to all patches');
    expect(headHeadline({ ...flat, direction: 'to' }, removed)).toBe(
      'Layer 5, head 3: all patches attend equally to the class token',
    );
    expect(shown(headLine(flat, removed))).toMatch(/^Every patch gets 20.0 %, 0.8 times uniform. The strongest 1 of 3/);
  });

  test('a weight within the precision of 16 bits is no difference', () => {
    const row = Float32Array.of(0.2, 0.2, 0.2 + 1 / 65535, 0.2, 0.2);
    expect(isUniformMap({ row }, shape)).toBe(true);
  });

  test('the status line is about the strongest patch and the concentration', () => {
    expect(shown(headLine(view, shape))).toBe(
      'Row 1, column 2 gets 40.0 %, 2.0 times uniform. The strongest 1 of 4 patches get 40 % in total.',
    );
    expect(shown(headLine({ ...view, direction: 'to' }, shape))).toBe(
      'Row 1, column 2 gives 40.0 %, 2.0 times uniform. Each value belongs to a different query: the 4 values need not sum to 100 %.',
    );
  });

  test('the status line is about the patch under the pointer', () => {
    expect(headLine({ ...view, read: 2 }, shape)).toEqual([
      'Row 2, column 1 gets ',
      { strong: '20.0\u00a0%' },
      ', ',
      { strong: '1.0' },
      ' times uniform.',
    ]);
  });
});

test('an enlarged tile has its largest weight', () => {
  expect(plain(largestLine([0.9, 0.2, 0.4], { ...shape, rows: 1 }))).toMatch(/^largest 40\.0 %, \d\.\d × uniform$/);
});

describe('tokens outside of the map', () => {
  const line = (prefix: number, class_token: boolean, direction: 'from' | 'to') =>
    plain(prefixLine([0.2, 0.1, 0.3, 0.4], { ...shape, prefix, class_token }, direction));

  test.each([
    [1, true, 'from', '20.0 % goes to the class token'],
    [1, true, 'to', '20.0 % given by the class token'],
    [2, true, 'from', '20.0 % goes to the class token and 10.0 % to 1 register'],
    [3, true, 'to', '20.0 % given by the class token, on average 20.0 % by each of 2 registers'],
    [2, false, 'from', '30.0 % goes to 2 registers'],
    [2, false, 'to', 'on average 15.0 % given by each of 2 registers'],
    [0, false, 'from', ''],
  ] as const)('%i, class token: %s, %s', (prefix, class_token, direction, text) => {
    expect(line(prefix, class_token, direction)).toBe(text);
  });

  test.each([
    [2, 'from', '20.0 % goes to the class token and 10.0 % to the distillation token'],
    [2, 'to', '20.0 % given by the class token, 10.0 % by the distillation token'],
    [3, 'from', '20.0 % goes to the class token and 40.0 % to the distillation token and 1 register'],
  ] as const)('%i, distilled, %s', (prefix, direction, text) => {
    const distilled = { ...shape, prefix, distilled: true };
    expect(plain(prefixLine([0.2, 0.1, 0.3, 0.4], distilled, direction))).toBe(text);
    expect([0, 1].map((token) => tokenName(token, distilled))).toEqual(['the class token', 'the distillation token']);
    expect(tokenName(2, distilled)).toBe(prefix === 2 ? 'row 1, column 1' : 'register 1');
  });
});

describe('other sentences', () => {
  test('changes', () => {
    expect(
      changesLine({
        heads: [
          [0, 1],
          [0, 2],
          [1, 0],
        ],
        patches: [4],
        mode: 'zero',
        patch_mode: 'drop',
      }),
    ).toBe('3 heads ablated, 1 patch removed');
    expect(changesLine({ heads: [[0, 1]], patches: [4, 5], mode: 'mean', patch_mode: 'gray' })).toBe(
      '1 head ablated (mean), 2 patches painted gray',
    );
    expect(changesLine({ heads: [], patches: [], mode: 'zero', patch_mode: 'drop' })).toBe('');
  });
});
