/* Images by their names in an address: cat, test:17, runs/NAME:5, upload:SHA-256. */

import type { Catalog, ModelInfo } from './routes';
import type { Image, Upload } from './view';

export type ImageLists = Pick<Catalog, 'cifar' | 'samples' | 'photos' | 'models'>;

const CIFAR_IMAGES = 10_000; // test images
const ID = /^[0-9a-f]{64}$/;

/** An image by its name, or null if it is not available. */
export function parseImage(text: string | null | undefined, lists: ImageLists): Image | null {
  const { cifar, samples, photos, models } = lists;
  const [kind = '', rest = ''] = text?.split(/:(?=[^:]*$)/) ?? [];
  if (kind === 'upload') return ID.test(rest) ? { kind: 'upload', id: rest, name: '', crop: 0.5 } : null;
  const index = /^\d{1,6}$/.test(rest) ? Number(rest) : -1;
  if (kind === 'test' && rest) {
    return cifar.available && index >= 0 && index < CIFAR_IMAGES ? { kind: 'test', index } : null;
  }
  if (rest) {
    const hasDataset = index >= 0 && models.some(({ name, dataset }) => name === kind && dataset);
    return hasDataset ? { kind: 'run', run: kind, index } : null;
  }
  const sample = [...samples, ...photos].find(({ name }) => name === text);
  return sample ? { kind: 'sample', name: sample.name } : null;
}

/** The name of an image in an address. */
export function imageName(image: Image): string {
  if (image.kind === 'sample') return image.name;
  if (image.kind === 'test') return `test:${image.index}`;
  if (image.kind === 'run') return `${image.run}:${image.index}`;
  return image.kind === 'upload' ? `upload:${image.id}` : `given:${image.sha256}`;
}

/** An image as a sentence names it. */
export const imageTitle = (image: Image) => (image.kind === 'upload' ? image.name || 'an upload' : imageName(image));

/** The initial image if an address has none: of the model's own dataset, or a sample. */
export function firstImage(lists: ImageLists, model?: ModelInfo): Image | null {
  if (model?.dataset) return { kind: 'run', run: model.name, index: 0 };
  return parseImage('cat', lists) ?? parseImage(lists.samples[0]?.name, lists);
}

/** The uploaded image that an entry of the history holds, with its name and crop, under a name; or null. */
export function heldUpload(state: unknown, key = 'upload'): Upload | null {
  const held = ((state ?? {}) as Record<string, Partial<Upload> | undefined>)[key];
  if (held?.kind !== 'upload' || !ID.test(String(held.id)) || typeof held.name !== 'string') return null;
  return {
    kind: 'upload',
    id: String(held.id),
    name: held.name,
    crop: typeof held.crop === 'number' ? held.crop : 0.5,
  };
}
