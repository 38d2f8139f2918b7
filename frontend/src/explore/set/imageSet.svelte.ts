/* Several images in the model and the view on screen: their maps on one scale. */

import { isRefused, refusalOf } from '../../lib/refused';
import type { ContactSheet, ContactSheetRequest } from '../../lib/routes';
import { post, stream } from '../../lib/server';
import { type Image, isSame, type View } from '../../lib/view';
import { counted } from '../../lib/words';
import { NEVER } from '../../session/engine';
import type { Session } from '../../session/session.svelte';
import { Task } from '../../session/task.svelte';
import type { Explorer } from '../explorer.svelte';

export const MAX_IMAGES = 24; // as on the server
const FIRST_IMAGES = 6;
const ADDING = 'Choose images to add them to the set; choose one again to remove it.';
const FULL = `A set has at most ${MAX_IMAGES} images: remove one first.`;

/** Images with what they show. */
export interface Shown {
  request: ContactSheetRequest;
  sheet: ContactSheet;
}

export class ImageSet {
  readonly #explorer: Explorer;
  images = $state.raw<readonly Image[]>([]);
  isAdding = $state.raw(false); // an image that is chosen is added, and not explained
  shown = $state.raw<Shown | null>(null); // the latest
  readonly task: Task;

  readonly #session: Session;
  readonly #request = $derived.by((): ContactSheetRequest | null => {
    const { explanation, view } = this.#session;
    if (!explanation || !this.images.length) return null;
    return { subject: explanation.subject, images: [...this.images], view: viewOf(view) };
  });
  readonly #key = $derived.by(() => JSON.stringify(this.#request));

  /** @param hasFirst whether the set begins with the image on screen and some samples */
  constructor(explorer: Explorer, hasFirst: boolean) {
    this.#explorer = explorer;
    this.#session = explorer.session;
    this.task = new Task(explorer.session.status);
    if (hasFirst) this.images = firstImages(explorer);
  }

  /** Fetch the maps, while the component that calls this is mounted. */
  run() {
    $effect(() => {
      const request: ContactSheetRequest | null = JSON.parse(this.#key);
      if (!request) return;
      this.task.run(
        (signal, report) => stream('explanations/contact-sheet', request, report, signal),
        (sheet) => {
          this.shown = { request, sheet };
        },
      );
      return () => this.task.cancel();
    });
  }

  /** Where the figure of what is shown comes from. */
  provenance() {
    if (!this.shown) throw new Error('nothing is shown');
    return post('explanations/contact-sheet-provenance', this.shown.request, NEVER);
  }

  has(image: Image) {
    return this.images.some((one) => isSame(one, image));
  }

  add(image: Image) {
    if (this.has(image)) return;
    if (this.images.length >= MAX_IMAGES) return this.#session.status.say(FULL, true);
    this.images = [...this.images, image];
  }

  remove(image: Image) {
    this.images = this.images.filter((one) => !isSame(one, image));
    if (!this.images.length) this.shown = null;
  }

  toggle(image: Image) {
    if (this.has(image)) this.remove(image);
    else this.add(image);
  }

  /** Let images that are chosen be added, or explained again. */
  choose(isAdding: boolean) {
    const { status } = this.#session;
    this.isAdding = isAdding;
    if (isAdding) status.say(ADDING);
    else if (status.notice === ADDING) status.say(null);
  }

  /** Upload files and add them; those that are refused are named at the end. */
  async upload(files: readonly File[]) {
    const { session } = this.#explorer;
    const refused: string[] = [];
    for (const [k, file] of files.entries()) {
      session.status.say(`Uploading image ${k + 1} of ${files.length}…`);
      const image = await session.engine.openImage(file, NEVER).catch(refusalOf);
      if (isRefused(image)) refused.push(`${file.name}: ${image.message}`);
      else this.add(image);
      if (this.images.length >= MAX_IMAGES && k + 1 < files.length) {
        refused.push(FULL);
        break;
      }
    }
    if (refused.length) session.status.say(refused.join(' '), true);
    else if (files.length) session.status.say(`${counted(files.length, 'image', 'images')} added.`);
  }
}

/** The view of a set: that on screen, of contents without maps the attention. */
export function viewOf(view: View): View {
  const content = view.content === 'method' || view.content === 'features' ? view.content : 'attention';
  const direction = view.direction === 'to' ? 'to' : 'from';
  const method = content === 'method' ? view.method : null;
  return { ...view, content, direction, method, pixels: false, smooth: false, outlines: 0, truth: null, other: null };
}

function firstImages({ catalog, session }: Explorer): Image[] {
  const { image } = session.explanation?.subject ?? {};
  const samples = catalog.lists.samples.map(({ name }): Image => ({ kind: 'sample', name }));
  const others = samples.filter((one) => !isSame(one, image));
  return [...(image ? [image] : []), ...others].slice(0, FIRST_IMAGES);
}
