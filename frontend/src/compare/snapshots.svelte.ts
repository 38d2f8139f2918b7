/* The snapshots of a training, and its probe images. */

import { post } from '../lib/server';
import type { Image, Subject } from '../lib/view';

export class Timeline {
  snapshots = $state.raw<readonly string[]>([]); // names
  images = $state.raw<readonly string[]>([]); // names of samples
  #controller = new AbortController();

  /** Call off what is being fetched. */
  cancel() {
    this.#controller.abort();
  }

  /** The nearest subject in the timeline of its model; null if it was called off.
      @throws RefusedError if the model has no timeline */
  async fit(subject: Subject): Promise<Subject | null> {
    this.cancel();
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    const found = await post('models/snapshots', { model: subject.model }, signal).catch((error) => {
      if (!signal.aborted) throw error;
    });
    if (!found) return null;
    this.snapshots = found.snapshots;
    this.images = found.images;
    const snapshot = Math.min(subject.snapshot ?? 0, found.snapshots.length - 1);
    return { ...subject, snapshot, image: probeImage(subject.image, found.images) };
  }
}

/** The probe image that is chosen: the one of its name, else the first one. */
export function probeImage(image: Image, names: readonly string[]): Image {
  const name = image.kind === 'sample' && names.includes(image.name) ? image.name : names[0];
  return { kind: 'sample', name };
}
