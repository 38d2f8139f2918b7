import { describe, expect, it } from 'vitest';
import type { Compared } from './compared';
import {
  differenceText,
  mapLabel,
  patchesAt,
  readingSentence,
  restingSentence,
  samePlace,
  valueText,
} from './readings';

const side = (values: (number | null)[], rows = 2, columns = 3) => ({
  name: '',
  title: '',
  values,
  colors: null as Uint32Array | null,
  rows,
  columns,
  aspect: 1.5,
});
const WEIGHTS = { kind: 'linear' as const, low: 0, limit: 0.4, clips: false, isWeight: true, unit: '' };
const REPLY = {
  a: side([0.1, 0.2, 0.3, 0.1, 0.2, 0.1]),
  b: side([0.3, 0.1, 0, 0.1, 0.4, null]),
  scale: WEIGHTS,
  difference: [20, -10, -30, 0, 20, null],
  differenceScale: { ...WEIGHTS, kind: 'signed' as const, limit: 30, isWeight: false, unit: '' },
  differenceUnit: 'percentage points',
  mostChanged: 2,
} as unknown as Compared;
const OTHER_GRID = { ...REPLY, b: side([1, 2, 3, 4], 2, 2), difference: null, mostChanged: null };

describe('a reading', () => {
  it('has both values and their difference', () => {
    expect(readingSentence(REPLY, 'a', 1)).toBe(
      'Row 1, column 2: A 20.0\u00a0%, B 10.0\u00a0%, difference −10.0 percentage points.',
    );
    expect(readingSentence(REPLY, 'difference', 4)).toContain('Row 2, column 2: A 20.0\u00a0%, B 40.0\u00a0%');
  });

  it('says that a removed patch has no value', () => {
    expect(readingSentence(REPLY, 'b', 5)).toBe('Row 2, column 3: A 10.0\u00a0%, B no value.');
  });

  it('names both places where the grids differ, and no difference', () => {
    expect(readingSentence(OTHER_GRID, 'a', 5)).toBe(
      'A, row 2, column 3: 10.0\u00a0%. The same place in B, row 2, column 2: 400.0\u00a0%.',
    );
    expect(patchesAt(OTHER_GRID, 'b', 3)).toEqual([5, 3]);
  });

  it('is that of the largest difference while nothing is pointed at', () => {
    expect(restingSentence(REPLY)).toBe(
      'Largest difference: row 1, column 3: A 30.0\u00a0%, B 0.0\u00a0%, difference −30.0 percentage points.',
    );
    expect(restingSentence(OTHER_GRID)).toBe('Point at a patch to read both maps.');
  });
});

describe('the same place', () => {
  it('is the patch itself in the same grid', () => {
    const grid = { rows: 5, columns: 7 };
    for (let patch = 0; patch < 35; patch++) expect(samePlace(patch, grid, grid)).toBe(patch);
    expect(samePlace(-1, grid, grid)).toBe(-1);
  });

  it('is the patch around the center in another one', () => {
    expect(samePlace(9, { rows: 8, columns: 8 }, { rows: 4, columns: 4 })).toBe(0);
    expect(samePlace(63, { rows: 8, columns: 8 }, { rows: 4, columns: 4 })).toBe(15);
    expect(samePlace(0, { rows: 2, columns: 2 }, { rows: 8, columns: 8 })).toBe(18);
  });
});

describe('values', () => {
  it('have their unit', () => {
    expect(valueText(0.032, WEIGHTS)).toBe('3.2\u00a0%');
    expect(valueText(2.11, { kind: 'uniform', uniform: 1, isWeight: true })).toBe('2.11\u00a0×\u00a0uniform');
    expect(valueText(-0.424, { ...WEIGHTS, kind: 'signed', limit: 1 })).toBe('−0.42');
    expect(valueText(0.5, { ...WEIGHTS, isWeight: false })).toBe('0.50');
    expect(
      differenceText(-0.0271, {
        ...REPLY,
        differenceUnit: 'logits',
        differenceScale: { ...REPLY.differenceScale, limit: 0.03 },
      }),
    ).toBe('−0.027 logits');
  });
});

it('colors have places, and no values', () => {
  const colored = {
    ...REPLY,
    a: { ...REPLY.a, colors: new Uint32Array(6) },
    b: { ...REPLY.b, colors: new Uint32Array(6) },
  } as unknown as Compared;
  expect(readingSentence(colored, 'a', 4)).toBe(
    'Row 2, column 2 of A, row 2, column 2 of B: the same place of the image.',
  );
});

it('the text alternative of a map names its extremes', () => {
  const text = (value: number) => value.toFixed(1);
  expect(mapLabel('Map', [0.1, null, -2, 3], { rows: 2, columns: 2 }, text)).toBe(
    'Map: largest at row 2, column 2, 3.0; smallest at row 2, column 1, -2.0.',
  );
  expect(mapLabel('Map', [null, null], { rows: 1, columns: 2 }, text)).toBe('Map: no values.');
});
