import { expect, test } from 'vitest';
import { holds, onPaper } from './media';

test('a figure is printed on a sheet as wide as the figure', () => {
  expect(holds('print')).toBe(true);
  expect(holds('(max-width: 1359px)')).toBe(true);
  expect(holds('(min-width: 761px) and (max-width: 1150px)')).toBe(true);
  expect(holds('(max-width: 639px)')).toBe(false);
  expect(holds('(min-width: 1800px) and (min-height: 940px)')).toBe(false);
  expect(holds('(prefers-color-scheme: dark)')).toBe(false);
});

test('media queries of a style sheet are decided', () => {
  expect(onPaper('a { b: c } @media print { d { e: f } } @media (max-width: 639px) { g { h: i } }')).toBe(
    'a { b: c } @media all { d { e: f } } @media not all { g { h: i } }',
  );
});
