import { expect, test } from 'vitest';
import { STEPS } from '../learn/steps';
import { GLOSSARY, indexed, meaningOf } from './glossary';
import { termOf } from './terms';

test('the unit of each scale has a term', () => {
  expect(termOf({ kind: 'signed', limit: 1 })).toBe('logit');
  expect(termOf({ kind: 'uniform', uniform: 0.1 })).toBe('uniform attention');
  expect(termOf({ kind: 'linear', limit: 1, isWeight: true })).toBe('attention weight');
  expect(termOf({ kind: 'linear', limit: 1 })).toBe('relative value');
});

test('meanings are short sentences, and each term has one', () => {
  expect(new Set(GLOSSARY.map(({ term }) => term)).size).toBe(GLOSSARY.length);
  for (const { meaning } of GLOSSARY) {
    expect(meaning.length).toBeLessThan(330);
    expect(meaning).toMatch(/\.$/);
  }
});

test('every term of the help is in the glossary', () => {
  const terms = ['attention weight', 'uniform attention', 'deletion score', 'random baseline', 'logit'] as const;
  const others = ['contribution', 'recovered difference', 'cosine similarity', 'relative value'] as const;
  for (const term of [...terms, ...others]) expect(meaningOf(term)).not.toBe('');
});

test('the words of the lesson have symbol, formula, and a step that exists', () => {
  const ids = STEPS.map(({ id }) => id);
  const words = GLOSSARY.filter(({ step }) => step);
  expect(words).toHaveLength(21);
  for (const { step, symbol, formula } of words) {
    expect(ids).toContain(step);
    expect(symbol && formula).toBeTruthy();
  }
});

test('an underscore starts an index', () => {
  expect(indexed('x_0 + p_i')).toEqual(['x', '0', ' + p', 'i', '']);
  expect(indexed('N')).toEqual(['N']);
});
