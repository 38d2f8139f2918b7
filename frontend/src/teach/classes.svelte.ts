/* The classes with their training images, and what undoes a change. A change makes new objects, so that an earlier state
   is an earlier value. */

import { imageName } from '../lib/images';
import type { FitRequest } from '../lib/routes';
import type { Image } from '../lib/view';
import { counted } from '../lib/words';

export const MAX_CLASSES = 1000;
const MAX_UNDO = 100;

/** An image that can be looked at and taught. Images of one source, as of one recording, are held out together. */
export interface Example {
  image: Image;
  source: string;
  title: string;
  src: string;
}

export interface TaughtClass {
  id: number;
  name: string;
  examples: readonly Example[];
}

export type Classes = readonly TaughtClass[];

export const keyOf = ({ image }: Example) => imageName(image);
export const countOf = (classes: Classes) => classes.reduce((sum, { examples }) => sum + examples.length, 0);
/** The classes that can be taught: those with images. */
export const filled = (classes: Classes) => classes.filter(({ examples }) => examples.length > 0);
export const ownerOf = (classes: Classes, example: Example) =>
  classes.find(({ examples }) => examples.some((one) => keyOf(one) === keyOf(example)));
export const tooMany = (limit: number, what: string, got: number) =>
  `There can be at most ${limit.toLocaleString('en')} ${what}: got ${got.toLocaleString('en')}. Nothing was added.`;
const without = (classes: Classes, key: string): Classes =>
  classes.map((one) => ({ ...one, examples: one.examples.filter((example) => keyOf(example) !== key) }));

/** The request that fits a head; null while there are not two classes with images. */
export function fitRequest(classes: Classes, model: string): FitRequest | null {
  const taught = filled(classes);
  if (taught.length < 2) return null;
  return {
    model,
    classes: taught.map(({ name, examples }) => ({
      name,
      images: examples.map(({ image, source }) => ({
        image: image.kind === 'upload' ? { kind: 'upload', id: image.id, crop: image.crop } : image,
        source,
      })),
    })),
  };
}

export class ClassSet {
  classes = $state.raw<Classes>([]);
  readonly maxImages: number;
  #past = $state.raw<readonly Classes[]>([]);
  #future = $state.raw<readonly Classes[]>([]);
  #ids = 0;

  readonly canUndo = $derived.by(() => this.#past.length > 0);
  readonly canRedo = $derived.by(() => this.#future.length > 0);
  readonly count = $derived.by(() => countOf(this.classes));

  constructor(maxImages: number) {
    this.maxImages = maxImages;
    this.classes = ['Class 1', 'Class 2'].map((name) => this.#empty(name));
  }

  #empty = (name: string): TaughtClass => ({ id: ++this.#ids, name, examples: [] });

  #change(classes: Classes) {
    this.#past = [...this.#past, this.classes].slice(-MAX_UNDO);
    this.#future = [];
    this.classes = classes;
  }

  undo() {
    const last = this.#past.at(-1);
    if (!last) return;
    this.#future = [this.classes, ...this.#future];
    this.#past = this.#past.slice(0, -1);
    this.classes = last;
  }

  redo() {
    const [next, ...later] = this.#future;
    if (!next) return;
    this.#past = [...this.#past, this.classes];
    this.#future = later;
    this.classes = next;
  }

  named(name: string) {
    return this.classes.find((one) => one.name === name);
  }

  /** Add an empty class.
      @returns its id */
  addClass(): number {
    const taken = (n: number) => this.named(`Class ${n}`) !== undefined;
    let n = this.classes.length + 1;
    while (taken(n)) n++;
    const added = this.#empty(`Class ${n}`);
    this.#change([...this.classes, added]);
    return added.id;
  }

  removeClass(id: number) {
    this.#change(this.classes.filter((one) => one.id !== id));
  }

  /** @returns why the name is refused, or null */
  rename(id: number, text: string): string | null {
    const name = text.trim();
    const same = this.classes.find((one) => one.id !== id && one.name === name);
    if (!name) return 'A class needs a name.';
    if (same) return `Two classes cannot have one name: “${name}” is there already.`;
    if (this.classes.some((one) => one.id === id && one.name !== name)) {
      this.#change(this.classes.map((one) => (one.id === id ? { ...one, name } : one)));
    }
    return null;
  }

  /** Put images into classes by name, in one change; classes that are missing are added, in place of empty ones.
      @returns what was left out, as a sentence, or null */
  add(images: ReadonlyMap<string, readonly Example[]>): string | null {
    const names = [...images.keys()].filter((name) => !this.named(name));
    if (this.classes.length + names.length > MAX_CLASSES) {
      return tooMany(MAX_CLASSES, 'classes', this.classes.length + names.length);
    }
    const count = [...images.values()].reduce((sum, { length }) => sum + length, 0);
    if (this.count + count > this.maxImages) {
      return tooMany(this.maxImages, 'images in all classes together', this.count + count);
    }
    const kept = names.length
      ? this.classes.filter(({ name, examples }) => examples.length || !/^Class \d+$/.test(name))
      : this.classes;
    const owners = new Map(kept.flatMap(({ name, examples }) => examples.map((one) => [keyOf(one), name] as const)));
    const conflicts: string[] = [];
    const isNew = (example: Example, name: string) => {
      const owner = owners.get(keyOf(example));
      if (owner !== undefined && owner !== name) conflicts.push(`${example.title} is in “${owner}”`);
      if (owner === undefined) owners.set(keyOf(example), name);
      return owner === undefined;
    };
    const classes = [...kept, ...names.map(this.#empty)].map((one) => {
      const added = (images.get(one.name) ?? []).filter((example) => isNew(example, one.name));
      return added.length ? { ...one, examples: [...one.examples, ...added] } : one;
    });
    if (countOf(classes) > this.count) this.#change(classes);
    if (!conflicts.length) return null;
    return `An image can be in one class only: ${conflicts[0]}${conflicts.length > 1 ? `, and ${conflicts.length - 1} more` : ''}. Choose it there and press Move.`;
  }

  /** Put an image into a class, out of another one if it is there.
      @returns why it is refused, or null */
  move(example: Example, id: number): string | null {
    const owner = ownerOf(this.classes, example);
    if (!owner && this.count >= this.maxImages)
      return tooMany(this.maxImages, 'images in all classes together', this.count + 1);
    if (owner?.id === id) return null;
    this.#change(
      without(this.classes, keyOf(example)).map((one) =>
        one.id === id ? { ...one, examples: [...one.examples, example] } : one,
      ),
    );
    return null;
  }

  remove(example: Example) {
    if (ownerOf(this.classes, example)) this.#change(without(this.classes, keyOf(example)));
  }

  /** Show other classes in place of all. */
  replace(named: ReadonlyMap<string, readonly Example[]>) {
    this.#change([...named].map(([name, examples]) => ({ ...this.#empty(name), examples })));
  }
}

/** "3 classes, 20 images" */
export const sizeText = (classes: Classes) =>
  `${counted(filled(classes).length, 'class', 'classes')}, ${counted(countOf(classes), 'image', 'images')}`;
