import { afterEach, describe, expect, test, vi } from 'vitest';
import { isOfRun, oneOf, parseHead, parseIndices, parseLayer, runName, unavailable, updateAddress } from './address';
import { MEAN, POOL } from './numbers';

describe('reading', () => {
  test.each([
    ['3', [3]],
    ['12,0,12', [12, 0]],
    ['', []],
    [null, []],
    ['-7,1.5,1e1,Infinity,<b>,__proto__', []],
    ['4-7_5-1', []],
  ])('%j are the indices %j', (text, indices) => {
    expect(parseIndices(text)).toEqual(indices);
  });

  test('layers and heads', () => {
    expect(['3', 'mean', 'pool', 'x', '', null].map(parseLayer)).toEqual([3, MEAN, POOL, null, null, null]);
    expect(['0', 'mean', 'pool'].map(parseHead)).toEqual([0, MEAN, null]);
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
    vi.stubGlobal('location', { search, pathname: '/app/', hash: '#x' });
    vi.stubGlobal('history', {
      state: null,
      replaceState: (_state: unknown, _title: string, next: string) => {
        url = next;
      },
    });
    updateAddress(values, defaults);
    return { url };
  }

  test('omits empty and default values and keeps those of others', () => {
    const { url } = write(
      '?tab=train&layer=2&head=1',
      { layer: 3, head: '', direction: 'from' },
      { direction: 'from' },
    );
    expect(url).toBe('/app/?tab=train&layer=3#x');
  });

  test('keeps the order of the values, whatever changed last', () => {
    expect(write('?b=1&a=1', { a: '2', b: '3' }).url).toBe('/app/?a=2&b=3#x');
    expect(write('?a=1', { a: null }).url).toBe('/app/?#x');
  });

  test('lists and paths stay readable', () => {
    expect(write('', { query: '12,13', image: 'runs/a:5' }).url).toBe('/app/?query=12,13&image=runs/a:5#x');
  });

  test('escapes hostile text', () => {
    expect(write('', { run: '"><script>&tab=x#' }).url).toBe('/app/?run=%22%3E%3Cscript%3E%26tab%3Dx%23#x');
  });
});
