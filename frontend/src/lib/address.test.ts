import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  headsParam,
  isOfRun,
  oneOf,
  onScreen,
  parseClasses,
  parseHeads,
  parseNumber,
  parsePatches,
  patchesParam,
  runName,
  unavailable,
  updateAddress,
} from './address';
import { MEAN } from './numbers';

const grid = { rows: 2, columns: 3 };
const model = { layers: 6, heads: 3 };

describe('reading', () => {
  test.each([
    ['3', 2],
    ['mean', MEAN],
    ['99', 5],
    ['0', 0],
    ['-7', 0],
    ['1.5', 4],
    ['', 4],
    [null, 4],
    ['<b>', 4],
    ['1e1', 5],
    ['Infinity', 4],
  ])('layer %j is %i', (text, index) => {
    expect(parseNumber(text, 6, 4)).toBe(index);
  });

  test('patches of a non-square grid', () => {
    expect(parsePatches('1-1_2-3_1-2', grid)).toEqual([0, 5, 1]);
    expect(parsePatches('2-1_2-1', grid)).toEqual([3]);
  });

  test.each([
    '',
    null,
    undefined,
    '_',
    '-',
    '3-1',
    '1-4',
    '0-1',
    '1.5-1',
    'a-b',
    '1',
    '-1-1',
    'NaN-1',
    '<script>',
    '1-1x',
    '__proto__',
  ])('%j has no patches', (text) => {
    expect(parsePatches(text, grid)).toEqual([]);
  });

  test('ablated heads', () => {
    expect(parseHeads('5-3_6-1', model)).toEqual([14, 15]);
    expect(parseHeads('7-1_1-4', model)).toEqual([]);
  });

  test('at most two classes', () => {
    expect(parseClasses('3-5')).toEqual([3, 5]);
    expect(parseClasses('3-3-4-5')).toEqual([3, 4]);
    expect(parseClasses('cat')).toEqual([]);
    expect(parseClasses(null)).toEqual([]);
  });

  test('one of the allowed values', () => {
    expect(oneOf('to', ['from', 'to'])).toBe('to');
    expect(oneOf('toString', ['from', 'to'])).toBe('from');
    expect(oneOf(null, ['from', 'to'])).toBe('from');
  });

  test('runs', () => {
    expect(isOfRun('runs/a')).toBe(true);
    expect(isOfRun('tiny')).toBe(false);
    expect(isOfRun(null)).toBe(false);
    expect(runName('runs/a')).toBe('a');
  });

  test('a name that is unavailable is cut', () => {
    expect(unavailable('model', 'x', 'tiny')).toBe('The model of this link, x, is not available: showing tiny.');
    expect(unavailable('run', 'y'.repeat(500))).toBe(`The run of this link, ${'y'.repeat(80)}, is not available.`);
  });
});

describe('writing', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  /** Update an address and return the new one. */
  function write(search: string, values: Parameters<typeof updateAddress>[0], defaults = {}) {
    let url = '';
    const location = { search, pathname: '/app/', hash: '#x' };
    vi.stubGlobal('location', location);
    vi.stubGlobal('history', {
      state: null,
      replaceState: (_state: unknown, _title: string, next: string) => {
        url = next;
        location.search = next.slice(next.indexOf('?'), -location.hash.length);
      },
    });
    updateAddress(values, defaults);
    return url;
  }

  test('patches and heads are read as written', () => {
    expect(patchesParam([0, 5], grid)).toBe('1-1_2-3');
    expect(parsePatches(patchesParam([4, 1], grid), grid)).toEqual([4, 1]);
    expect(headsParam([14, 15], model)).toBe('5-3_6-1');
    expect(parseHeads(headsParam([0, 17], model), model)).toEqual([0, 17]);
    expect(patchesParam([], grid)).toBe('');
  });

  test('omits empty and default values and keeps those of others', () => {
    const values = { layer: 3, head: '', direction: 'from' };
    expect(write('?tab=train&layer=2&head=1', values, { direction: 'from' })).toBe('/app/?tab=train&layer=3#x');
    expect(onScreen.search).toBe('?tab=train&layer=3');
  });

  test('keeps the order of the values, whatever changed last', () => {
    expect(write('?b=1&a=1', { a: '2', b: '3' })).toBe('/app/?a=2&b=3#x');
    expect(write('?a=1', { a: null })).toBe('/app/?#x');
  });

  test('escapes hostile text', () => {
    expect(write('', { run: '"><script>&tab=x#' })).toBe('/app/?run=%22%3E%3Cscript%3E%26tab%3Dx%23#x');
  });
});
