import { expect, test } from 'vitest';
import { textOf } from '../lib/words';
import { CAPTIONS, captionsFor } from './captions';
import { distance, norms } from './charts';
import { divergence } from './maps';
import { walk } from './places';
import { EXAMPLE } from './probes.testdata';

const WITHOUT_HEAD = { classes: 0, final_agreement: [], final_probability: [], pairs: 0 };

test('a model with class token and head has all figures', () => {
  const [shown, sentence] = captionsFor(EXAMPLE);
  expect([shown.map(({ probe }) => probe), sentence]).toEqual([CAPTIONS.map(({ probe }) => probe), '']);
  expect(shown[1].caption).toMatch(/sines and cosines, so that neighbors were similar before training\.$/);
  expect(captionsFor(undefined)).toEqual([CAPTIONS, '']);
});

test('figures of the class token or of the prediction are left out with the reason', () => {
  const [shown, sentence] = captionsFor({ ...EXAMPLE, ...WITHOUT_HEAD, class_token: false });
  expect(shown.map(({ probe }) => probe)).toEqual([
    'filters',
    'positions',
    'distance',
    'norms',
    'cka',
    'sinks',
    'heads',
  ]);
  expect(sentence).toMatch(/^Not shown, as this model has no class token and no classification head: Effective/);
  expect(shown[3].key).toEqual(CAPTIONS[5].key?.slice(1));
  expect(captionsFor({ ...EXAMPLE, ...WITHOUT_HEAD })[1]).toBe(
    'Not shown, as this model has no classification head: Logit lens, When the class token decides.',
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
  const [shown, sentence] = captionsFor({ ...EXAMPLE, final_agreement: [], pairs: 0 });
  expect(shown.map(({ probe }) => probe)).not.toContain('lens');
  expect(sentence).toBe(
    'Not shown, as this model was trained without labels: Logit lens, When the class token decides.',
  );
});

test('a captured model has the figures of its attention, also of layers with fewer heads', () => {
  const pyramid = {
    distance: [[2], [3, 5]],
    effective_tokens: [[4], [1, 6]],
    head_divergence: [
      [[0]],
      [
        [0, 0.3],
        [0.3, 0],
      ],
    ],
  };
  const reply = {
    ...EXAMPLE,
    ...pyramid,
    captured: true,
    filters: [],
    position_similarity: [],
    final_agreement: [],
    norms: [],
    head_images: 0,
    pairs: 0,
  };
  const [shown, sentence] = captionsFor(reply);
  expect(shown.map(({ probe }) => probe)).toEqual(['distance', 'effective', 'divergence']);
  expect(sentence).toMatch(
    /^Not shown, as this model runs as it is, so that only its attention and outputs are known: Patch/,
  );
  const { places, read, finding } = distance(reply, 400);
  expect([
    walk(places, 1, 'ArrowDown', false),
    walk(places, 3, 'ArrowLeft', false),
    walk(places, 3, 'Home', false),
  ]).toEqual([3, 3, 3]);
  expect(textOf(read(3))).toContain('Layer 2, head 2: 5.0');
  expect(textOf(finding)).toContain('5.0\u00a0px (layer 2, head 2)');
  const squares = divergence(reply);
  expect(textOf(squares.finding)).toBe('Most different in layer 2: heads 1 and 2, 0.30\u00a0nats of at most 0.69.');
  const reads = Array.from({ length: 8 }, (_, index) => textOf(squares.read(index)));
  expect(reads.filter((line) => line === 'Layer 1 has 1 head.')).toHaveLength(3);
});

test('what needs many images, or a head that reads the class token, is left out with the reason', () => {
  expect(captionsFor({ ...EXAMPLE, head_images: 0, pairs: 0 })[1]).toBe(
    'Shown once they were measured over at least 128 images, as the test images: What heads look for, When the class token decides.',
  );
  expect(captionsFor({ ...EXAMPLE, pairs: 0 })[1]).toBe(
    'Not shown, as this model does not predict from the class token alone: When the class token decides.',
  );
});

test('without class token the norms are those of the patches', () => {
  const { finding, chart, read } = norms({ ...EXAMPLE, class_token: false }, 400);
  expect(finding[0]).toBe('The median norm of the patches goes from ');
  expect(JSON.stringify(read(1))).not.toContain('class token');
  expect(chart.kind === 'curves' && chart.curves.curves.map(({ name }) => name)).toEqual(['data dotted', 'data']);
});
