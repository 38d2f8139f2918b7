import { expect, test } from 'vitest';
import { ClassSet, type Example, fitRequest, keyOf } from './classes.svelte';

const example = (name: string): Example => ({ image: { kind: 'sample', name }, source: name, title: name, src: '' });
const examples = (...names: string[]) => names.map(example);

/** Names of the classes with those of their images: "cat: a b, Class 2:". */
const text = ({ classes }: ClassSet) =>
  classes.map(({ name, examples: found }) => [`${name}:`, ...found.map(keyOf)].join(' ')).join(', ');

function filledSet(maxImages = 10) {
  const set = new ClassSet(maxImages);
  set.add(
    new Map([
      ['cat', examples('a', 'b')],
      ['dog', examples('c')],
    ]),
  );
  return set;
}

test('named images replace the empty classes that the page starts with', () => {
  expect(text(new ClassSet(9))).toBe('Class 1:, Class 2:');
  expect(text(filledSet())).toBe('cat: a b, dog: c');
});

test('an image is in one class: adding it to another one is refused, the others are added', () => {
  const set = filledSet();
  const refused = set.add(new Map([['dog', examples('d', 'a', 'c')]]));
  expect(refused).toContain('a is in “cat”');
  expect(text(set)).toBe('cat: a b, dog: c d');
});

test.each([
  [
    'too many images',
    10,
    new Map([['dog', examples(...'defghijk')]]),
    'at most 10 images in all classes together: got 11',
  ],
  [
    '1,001 classes',
    5000,
    new Map(Array.from({ length: 1000 }, (_, k) => [`${k}`, examples(`x${k}`)])),
    'at most 1,000 classes: got 1,002',
  ],
])('%s are refused, and what was taught stays', (_name, maxImages, images, words) => {
  const set = filledSet(maxImages);
  expect(set.add(images)).toContain(words);
  expect(text(set)).toBe('cat: a b, dog: c');
});

test('images are moved and removed, and each change can be undone', () => {
  const set = filledSet();
  const [cat, dog] = set.classes;
  set.move(example('a'), dog.id);
  set.remove(example('c'));
  set.move(example('new'), cat.id);
  expect(text(set)).toBe('cat: b new, dog: a');
  set.undo();
  set.undo();
  expect(text(set)).toBe('cat: b, dog: c a');
  set.redo();
  expect(text(set)).toBe('cat: b, dog: a');
  set.removeClass(dog.id);
  expect([text(set), set.canRedo]).toEqual(['cat: b', false]);
  for (let k = 0; k < 9; k++) set.undo();
  expect([text(set), set.canUndo]).toEqual(['Class 1:, Class 2:', false]);
});

test.each([
  ['dog', 'Two classes cannot have one name'],
  ['  ', 'A class needs a name'],
  [' cats ', null],
])('the name %j is refused: %s', (name, words) => {
  const set = filledSet();
  const refused = set.rename(set.classes[0].id, name);
  if (words) expect(refused).toContain(words);
  else expect([refused, set.classes[0].name]).toEqual([null, 'cats']);
});

test('a head is fitted to the classes with images, once there are two', () => {
  const set = filledSet();
  set.addClass();
  expect(fitRequest(set.classes, 'm')).toEqual({
    model: 'm',
    classes: [
      { name: 'cat', images: ['a', 'b'].map((name) => ({ image: { kind: 'sample', name }, source: name })) },
      { name: 'dog', images: [{ image: { kind: 'sample', name: 'c' }, source: 'c' }] },
    ],
  });
  set.remove(example('c'));
  expect(fitRequest(set.classes, 'm')).toBeNull();
});

test('at the limit no more images are put into classes', () => {
  const set = filledSet(3);
  expect(set.move(example('d'), set.classes[0].id)).toContain('at most 3 images in all classes together: got 4');
  set.move(example('c'), set.classes[0].id);
  expect(text(set)).toBe('cat: a b c, dog:');
});
