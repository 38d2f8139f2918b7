import { expect, test } from 'vitest';
import { countRuns, fieldText, freeName, parseField, prefixWords, sweepGrid } from './fields';

test.each([
  ['', null],
  ['  ', null],
  ['4', 4],
  ['0,001', 0.001],
  ['1,5', 1.5],
  ['1,500', 1500],
  ['12,345,678', 12345678],
  ['0,500', 0.5],
  ['1e-3', 0.001],
  ['1,5,0', '1,5,0'],
  ['four', 'four'],
])('the typed text %j means %j', (typed, value) => {
  expect(parseField(typed)).toBe(value);
});

test('an unset value is an empty field', () => {
  expect([null, undefined, 0, 0.5, true, 'adamw'].map(fieldText)).toEqual(['', '', '0', '0.5', 'true', 'adamw']);
});

test('the grid of a sweep has all chosen hyperparameters', () => {
  const grid = sweepGrid([
    { key: 'model.depth', values: '2, 4' },
    { key: 'model.num_heads', values: '2 4;8' },
  ]);
  expect(grid).toEqual(['model.depth=2,4', 'model.num_heads=2,4,8']);
  expect(countRuns(grid)).toBe(6);
  expect(sweepGrid([{ key: '', values: '2, 4' }])).toEqual([]);
  expect(sweepGrid([{ key: 'lr', values: '' }])).toEqual(['lr=']);
  expect([[], ['lr=']].map(countRuns)).toEqual([1, 1]);
});

test('the suggested name is the first that is free', () => {
  const taken = ['s4-1', 's4-2', 's4-4'];
  expect(freeName('cifar10-s4', (name) => taken.includes(name))).toBe('s4-3');
  expect(freeName('tutorial-scratch', () => false)).toBe('tutorial-scratch-1');
});

test('tokens outside of the patches are named', () => {
  expect([0, 1, 5].map(prefixWords)).toEqual(['', ' + class token', ' + 5 prefix tokens']);
});
