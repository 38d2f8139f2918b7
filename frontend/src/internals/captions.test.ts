import { expect, test } from 'vitest';
import { CAPTIONS, captionsFor } from './captions';
import { norms } from './charts';
import { EXAMPLE } from './example';

test('a model with class token and head has all figures', () => {
  expect(captionsFor({ classToken: true, classes: 10 })).toEqual([CAPTIONS, '']);
  expect(captionsFor(undefined)).toEqual([CAPTIONS, '']);
});

test('figures of the class token or of the prediction are left out with the reason', () => {
  const [shown, sentence] = captionsFor({ classToken: false, classes: 0 });
  expect(shown.map(({ probe }) => probe)).toEqual(['filters', 'positions', 'distance', 'norms', 'cka', 'sinks']);
  expect(sentence).toMatch(/^Not shown, as this model has no class token and no classification head: Effective/);
  expect(shown[3].key).toEqual(CAPTIONS[5].key?.slice(1));
  expect(captionsFor({ classToken: true, classes: 0 })[1]).toBe(
    'Not shown, as this model has no classification head: Logit lens.',
  );
});

test('without class token the norms are those of the patches', () => {
  const { finding, chart, read } = norms({ ...EXAMPLE, classToken: false }, 400);
  expect(finding[0]).toBe('The median norm of the patches goes from ');
  expect(JSON.stringify(read(1))).not.toContain('class token');
  expect(chart.kind === 'curves' && chart.curves.curves.map(({ name }) => name)).toEqual(['data dotted', 'data']);
});
