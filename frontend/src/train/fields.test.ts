import { expect, test } from 'vitest';
import { countRuns, fieldText, freeName, parseField, prefixWords, stemOf, sweepGrid, variationsOf } from './fields';

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
  expect(freeName('s4', (name) => taken.includes(name))).toBe('s4-3');
  expect(freeName('tutorial-scratch', () => false)).toBe('tutorial-scratch-1');
});

test('runs are named after model and dataset', () => {
  expect(stemOf('cifar10-s4', 'cifar10')).toBe('s4');
  expect(stemOf('cifar10-2min', 'cifar100')).toBe('cifar100-2min');
  expect(stemOf('cifar10-2min', 'my shapes.zip')).toBe('my-shapes-2min');
  expect(stemOf('cifar10-2min', '形.zip')).toBe('2min');
  expect(stemOf('', '形')).toBe('run');
  expect(stemOf('tutorial', 'x'.repeat(99))).toHaveLength(48);
});

test('a grid fills both variations', () => {
  const grid = ['cutmix_prob=0,1', 'seed=0,1,2'];
  expect(variationsOf(grid)).toEqual([
    { key: 'cutmix_prob', values: '0, 1' },
    { key: 'seed', values: '0, 1, 2' },
  ]);
  expect(sweepGrid(variationsOf(grid))).toEqual(grid);
  expect(sweepGrid(variationsOf([]))).toEqual([]);
});

test('tokens outside of the patches are named', () => {
  expect([0, 1, 5].map(prefixWords)).toEqual(['', ' + class token', ' + 5 prefix tokens']);
});
