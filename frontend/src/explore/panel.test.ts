import { expect, test } from 'vitest';
import { VIEWS, whyNot } from './panel';

test('a model without classes has no views of a logit', () => {
  const missing = (classes: number) => VIEWS.map(([name]) => name).filter((name) => whyNot(name, classes));
  expect(missing(0)).toEqual(['contributions', 'patching']);
  expect(missing(1)).toEqual([]);
});
