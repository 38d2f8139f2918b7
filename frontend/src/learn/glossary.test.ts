import { expect, test } from 'vitest';
import { ENTRIES, indexed } from './glossary';
import { STEPS } from './steps';

test('the glossary has twenty words, each with a step that exists', () => {
  expect(new Set(ENTRIES.map(({ term }) => term)).size).toBe(20);
  const ids = STEPS.map(({ id }) => id);
  for (const { step, symbol, formula, meaning } of ENTRIES) {
    expect(ids).toContain(step);
    expect(Math.min(symbol.length, formula.length)).toBeGreaterThan(0);
    expect(meaning).toMatch(/\.$/);
  }
});

test('an underscore starts an index', () => {
  expect(indexed('x_0 + p_i')).toEqual(['x', '0', ' + p', 'i', '']);
  expect(indexed('N')).toEqual(['N']);
});
