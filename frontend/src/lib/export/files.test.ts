import { expect, test } from 'vitest';
import { fileName } from './files';
import { overriding } from './shown';

test('file names are plain letters of bounded length', () => {
  expect(fileName(['vitviz', 'Relevance for κ, not dog', false, 'map'], 'png')).toBe(
    'vitviz-relevance-for-not-dog-map.png',
  );
  expect(fileName(['x'.repeat(300)], 'svg')).toHaveLength(184);
});

test('a figure has other values without a change of the page', () => {
  const page = {
    theme: 'dark',
    read: 3,
    get both() {
      return `${this.theme} ${this.read}`;
    },
  };
  const shown = overriding(page, { theme: 'light' });
  shown.read = 4;
  expect([shown.theme, shown.read, page.theme, page.read]).toEqual(['light', 3, 'dark', 3]);
});
