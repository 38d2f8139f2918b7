import { expect, test } from 'vitest';
import { GLOSSARY, termOf } from './glossary';

test('the unit of each scale has a term', () => {
  expect(termOf({ kind: 'signed', limit: 1 })).toBe('logit');
  expect(termOf({ kind: 'uniform', uniform: 0.1 })).toBe('uniform');
  expect(termOf({ kind: 'linear', limit: 1, isWeight: true })).toBe('attention weight');
  expect(termOf({ kind: 'linear', limit: 1 })).toBe('relative value');
});

test('explanations are short', () => {
  for (const text of Object.values(GLOSSARY)) expect(text.length).toBeLessThan(330);
});
