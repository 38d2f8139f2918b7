import { expect, test } from 'vitest';
import { CAPTIONS, captionsFor } from './captions';
import { norms } from './charts';
import { EXAMPLE } from './probes.testdata';

const WITHOUT_HEAD = { classes: 0, final_agreement: [], final_probability: [] };

test('a model with class token and head has all figures', () => {
  const [shown, sentence] = captionsFor(EXAMPLE);
  expect([shown.map(({ probe }) => probe), sentence]).toEqual([CAPTIONS.map(({ probe }) => probe), '']);
  expect(shown[1].caption).toMatch(/sines and cosines, so that neighbors were similar before training\.$/);
  expect(captionsFor(undefined)).toEqual([CAPTIONS, '']);
});

test('figures of the class token or of the prediction are left out with the reason', () => {
  const [shown, sentence] = captionsFor({ ...EXAMPLE, ...WITHOUT_HEAD, class_token: false });
  expect(shown.map(({ probe }) => probe)).toEqual(['filters', 'positions', 'distance', 'norms', 'cka', 'sinks']);
  expect(sentence).toMatch(/^Not shown, as this model has no class token and no classification head: Effective/);
  expect(shown[3].key).toEqual(CAPTIONS[5].key?.slice(1));
  expect(captionsFor({ ...EXAMPLE, ...WITHOUT_HEAD })[1]).toBe(
    'Not shown, as this model has no classification head: Logit lens.',
  );
});

test('rotary positions have no embedding whose similarity could be shown', () => {
  const similarity = EXAMPLE.position_similarity.map((row) => row.map((map) => map.map((line) => line.map(() => 0))));
  const [shown, sentence] = captionsFor({ ...EXAMPLE, position_similarity: similarity });
  expect(shown.map(({ probe }) => probe)).not.toContain('positions');
  expect(sentence).toBe(
    'Not shown, as this model has rotary positions and no position embedding: Position embedding similarity.',
  );
});

test('the head of a model trained without labels predicts nothing at any layer', () => {
  const [shown, sentence] = captionsFor({ ...EXAMPLE, final_agreement: [] });
  expect(shown.map(({ probe }) => probe)).not.toContain('lens');
  expect(sentence).toBe('Not shown, as this model was trained without labels: Logit lens.');
});

test('without class token the norms are those of the patches', () => {
  const { finding, chart, read } = norms({ ...EXAMPLE, class_token: false }, 400);
  expect(finding[0]).toBe('The median norm of the patches goes from ');
  expect(JSON.stringify(read(1))).not.toContain('class token');
  expect(chart.kind === 'curves' && chart.curves.curves.map(({ name }) => name)).toEqual(['data dotted', 'data']);
});
