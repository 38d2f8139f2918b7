import { describe, expect, it } from 'vitest';
import { findClass, listedClasses, uniqueNames } from './predictions';

const OLD = [0.01, 0.5, 0.2, 0.1, 0.08, 0.06, 0.05];

describe('listedClasses', () => {
  it('lists the most likely classes in order', () => {
    expect(listedClasses(OLD, OLD)).toEqual([1, 2, 3, 4, 5]);
  });

  it('lists the explained class last if it is not among the first', () => {
    expect(listedClasses(OLD, OLD, 0)).toEqual([1, 2, 3, 4, 0]);
    expect(listedClasses(OLD, OLD, 2)).toEqual([1, 2, 3, 4, 5]);
  });

  it('keeps the order of the unchanged image; the last is the most likely of the others', () => {
    const now = [0.9, 0.01, 0.02, 0.03, 0.01, 0.01, 0.02];
    expect(listedClasses(OLD, now)).toEqual([1, 2, 3, 4, 0]);
  });

  it('lists all classes of a model with few', () => {
    expect(listedClasses([0.3, 0.7], [0.9, 0.1])).toEqual([1, 0]);
    expect(listedClasses([], [])).toEqual([]);
  });

  it('leaves its arguments unchanged', () => {
    const old = [...OLD];
    listedClasses(old, [...OLD].reverse());
    expect(old).toEqual(OLD);
  });
});

it('classes of the same name get their number', () => {
  expect(uniqueNames(['crane', 'cat', 'crane'])).toEqual(['crane (0)', 'cat', 'crane (2)']);
});

it('a class is found by its name, else by a part of it', () => {
  const names = ['house cat', 'cat', 'dog'];
  expect(findClass(names, ' Cat ')).toBe(1);
  expect(findClass(names, 'house')).toBe(0);
  expect(findClass(names, 'bird')).toBe(-1);
  expect(findClass(names, ' ')).toBe(-1);
});
