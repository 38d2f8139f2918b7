/* Teach your own classes: the classes, the image in front, and what the server has computed of them. */

import { onMount, untrack } from 'svelte';
import { Explorer } from '../explore/explorer.svelte';
import { updateAddress } from '../lib/address';
import { type Host, NO_MODEL } from '../lib/host';
import { imageName, parseImage } from '../lib/images';
import { largest } from '../lib/numbers';
import { isRefused } from '../lib/refused';
import type { CrossValidation, Neighbors, Progress } from '../lib/routes';
import { post, stream } from '../lib/server';
import { Status } from '../lib/status.svelte';
import type { Image } from '../lib/view';
import { insideLine } from '../session/panel';
import { type Classes, ClassSet, type Example, filled, fitRequest, ownerOf } from './classes.svelte';
import type { FoundFile } from './files';
import { Recorder } from './recorder.svelte';
import { type Evidence, evidenceOf, headlineOf, testedOf } from './results';
import { Uploads } from './uploads.svelte';

const MAX_IMAGES = 5000;
const MAX_VISITOR_IMAGES = 200; // on a public page
const TAUGHT_INSIDE = insideLine('Taught classes need');
const NOBODY = -1; // in place of a class: images are only predicted
/** What "Try with the samples" teaches. */
const TRIAL = {
  cat: ['cat', 'chelsea'],
  person: ['astronaut', 'hopper'],
  vehicle: ['automobile', 'truck', 'ship', 'airplane'],
  hoofed: ['deer', 'horse'],
};

/** What was fitted: the name of the model, and the classes with images at that time. */
interface Fit {
  model: string;
  classes: Classes;
}

export class Teaching {
  readonly host: Host;
  readonly explorer: Explorer;
  readonly set: ClassSet;
  readonly recorder: Recorder;
  readonly uploads: Uploads;

  readonly status = new Status(); // not the session's, which each frame of the camera clears
  model = $state.raw(''); // whose features the head reads
  #aimed = $state.raw(0); // see `target`
  front = $state.raw<Example | null>(null); // the image that is predicted
  isLive = $state.raw(false); // the image in front is what the camera sees
  fit = $state.raw<Fit | null>(null);
  fitting = $state.raw<Progress | null>(null);
  validated = $state.raw<{ fit: Fit; reply: CrossValidation } | null>(null); // of this fit, or of the one before
  neighbors = $state.raw<{ fit: Fit; reply: Neighbors } | null>(null); // of the image in front
  evidence = $state.raw<Evidence | null>(null); // for the explained class
  explained = $state.raw<string | null>(null); // name of the class that is explained; null for the predicted one
  read = $state.raw(-1); // the patch under the pointer
  name = $state.raw('My classes');
  saved = $state.raw<Classes | null>(null); // the classes whose images were saved

  /** The class that new images go to, the last one if it was removed; -1: they are only predicted. */
  readonly target = $derived.by(() => {
    const { classes } = this.set;
    return this.#aimed === NOBODY || classes.some(({ id }) => id === this.#aimed)
      ? this.#aimed
      : (classes.at(-1)?.id ?? NOBODY);
  });
  readonly aimed = $derived.by(() => this.set.classes.find(({ id }) => id === this.target));
  readonly session = $derived.by(() => this.explorer.session);
  readonly isValidated = $derived.by(() => this.fit !== null && this.validated?.fit === this.fit);
  readonly headline = $derived.by(() =>
    headlineOf(this.set.classes, this.isValidated && !this.fitting ? (this.validated?.reply ?? null) : null),
  );
  /** The training images of the validated fit. */
  readonly tested = $derived.by(() => testedOf(this.validated?.fit.classes ?? [], this.validated?.reply ?? null));
  /** The class that the image in front is in. */
  readonly owner = $derived.by(() => this.front && ownerOf(this.set.classes, this.front));
  /** Whether images would be lost if the page were closed. */
  readonly isUnsaved = $derived.by(() => this.set.count > 0 && this.saved !== this.set.classes);
  /** The explanation by the fitted model, once there is one. */
  readonly explanation = $derived.by(() => this.session.explanation);
  readonly isTaught = $derived.by(
    () => this.explanation !== null && this.explanation.subject.model === this.fit?.model,
  );
  readonly explainedIndex = $derived.by(() => {
    const { classes = [], probabilities = [] } = this.explanation?.reply ?? {};
    const found = classes.indexOf(this.explained ?? '');
    return found >= 0 ? found : largest(probabilities);
  });

  constructor(host: Host) {
    this.host = host;
    this.explorer = new Explorer(host, false);
    this.explorer.images.divert((image) => this.take(image));
    this.set = new ClassSet(host.catalog.lists.public ? MAX_VISITOR_IMAGES : MAX_IMAGES);
    this.uploads = new Uploads(this.status, host.catalog.lists.maxBytes);
    this.recorder = new Recorder(this);
    this.aim(this.set.classes[0].id);
    const linked = host.catalog.model(new URLSearchParams(location.search).get('model'));
    const first = [linked, ...host.catalog.lists.models].find((model) => model && !model.captured);
    this.model = first?.name ?? '';
    if (!first || linked?.captured) this.status.say(first ? TAUGHT_INSIDE : NO_MODEL, !first);
  }

  /** Compute what follows from the classes and the image in front, while the component that calls this is mounted. */
  run() {
    this.explorer.run();
    $effect(() => {
      const request = fitRequest(this.set.classes, this.model);
      const classes = filled(this.set.classes);
      if (!request) {
        this.#keepFit(null);
        return;
      }
      const report = (progress: Progress) => {
        this.fitting = progress;
      };
      return this.status.request(
        async (signal) => {
          await this.uploads.renew(signal);
          return stream('teaching/fit', request, report, signal);
        },
        ({ model }) => this.#keepFit({ model, classes }),
        (sentence) => {
          this.fitting = null;
          this.status.say(sentence, true);
        },
      );
    });
    $effect(() => {
      const { fit } = this;
      if (!fit) return;
      return this.status.request(
        (signal) => stream('teaching/validation', { model: fit.model }, () => {}, signal),
        (reply) => {
          this.validated = { fit, reply };
          this.status.speak(this.headline);
        },
      );
    });
    $effect(() => {
      const { explanation, isTaught, isLive, explainedIndex } = this;
      if (!explanation || !isTaught || isLive) return;
      const { subject, shape } = explanation;
      return this.status.request(
        (signal) =>
          this.session.engine.request('explanations/contributions', { subject, target: [explainedIndex] }, signal),
        (reply) => {
          this.evidence = evidenceOf(reply, shape);
        },
      );
    });
    $effect(() => {
      const { explanation, fit, isTaught, isLive } = this;
      if (!explanation || !fit || !isTaught || isLive) return;
      const { model, image } = explanation.subject;
      return this.status.request(
        (signal) => post('teaching/neighbors', { model, image }, signal),
        (reply) => {
          this.neighbors = { fit, reply };
        },
      );
    });
    onMount(() => {
      const isUpload = ({ image }: Example) => image.kind === 'upload';
      const warn = (event: BeforeUnloadEvent) => {
        if (this.isUnsaved && this.set.classes.some(({ examples }) => examples.some(isUpload))) event.preventDefault();
      };
      window.addEventListener('beforeunload', warn);
      return () => window.removeEventListener('beforeunload', warn);
    });
  }

  #keepFit(fit: Fit | null) {
    this.fitting = null;
    if (!fit && !untrack(() => this.fit)) return;
    this.fit = fit;
    if (!fit) Object.assign(this, { validated: null, neighbors: null, evidence: null });
    untrack(() => this.#explain());
  }

  // --- the image in front ---

  /** Show an image in front and predict it.
      @returns whether it was predicted; false also if another one was shown meanwhile */
  look(example: Example, isLive = false): Promise<boolean> {
    if (!isLive) this.status.say(null);
    Object.assign(this, { front: example, isLive });
    return this.#explain();
  }

  async #explain(): Promise<boolean> {
    const { front, fit, model } = this;
    if (!front || !model) return false;
    return this.session.explain({ model: fit?.model ?? model, image: front.image });
  }

  rename(name: string) {
    this.name = name.trim() || this.name;
  }

  chooseModel(name: string) {
    if (this.host.catalog.model(name)?.captured) return this.status.say(TAUGHT_INSIDE);
    this.model = name;
    updateAddress({ model: name });
    if (!this.fit) this.#explain();
  }

  explainClass(name: string | null) {
    this.explained = name;
  }

  point(patch: number) {
    this.read = patch;
  }

  // --- images for the classes ---

  aim(id: number) {
    this.#aimed = id;
  }

  addClass() {
    this.aim(this.set.addClass());
  }

  /** Put an image into a class, and show it. */
  put(example: Example, id = this.target) {
    const refused = this.set.move(example, id);
    this.look(example);
    if (refused) this.status.say(refused, true);
  }

  /** A sample, or an image of the gallery: it goes to the class that is aimed at, unless it is in one. */
  take = (image: Image) => this.#take(this.#exampleOf(image));

  #take(example: Example) {
    if (this.aimed && !ownerOf(this.set.classes, example)) this.put(example);
    else this.look(example);
  }

  #exampleOf(image: Image): Example {
    const { samples, photos } = this.host.catalog.lists;
    const source = imageName(image);
    const thumb = this.explorer.images.gallery.thumbs.find((one) => imageName(one.image) === source);
    const sample =
      image.kind === 'sample' ? [...samples, ...photos].find(({ name }) => name === image.name) : undefined;
    const title = sample ? ('title' in sample ? String(sample.title) : sample.name) : (thumb?.name ?? source);
    return { image, source, title, src: thumb?.src ?? sample?.src ?? this.uploads.srcOf(image) };
  }

  /** The image that Explore shows. */
  async takeExplored() {
    const image = parseImage(new URLSearchParams(location.search).get('image'), this.host.catalog.lists);
    if (!image) return this.status.say('Explore shows no image yet: open one there first.', true);
    const example = this.#exampleOf(image);
    if (!(await this.look(example))) return;
    const { original, caption } = this.explanation?.reply.image ?? {};
    this.#take(original ? { ...example, src: original, title: caption ?? example.title } : example);
  }

  trySamples() {
    const example = (name: string) => this.#exampleOf({ kind: 'sample', name });
    this.set.replace(new Map(Object.entries(TRIAL).map(([name, names]) => [name, names.map(example)])));
    this.aim(this.set.classes[0].id);
    this.look(this.set.classes[0].examples[0]);
  }

  /** Add files: those of a folder to the class of its name, others to the class that is aimed at, or in front only. */
  async addFiles(files: Promise<FoundFile[]>, id = this.target) {
    const listed = await files.catch((error) => {
      const why = isRefused(error) ? error.message : 'The files could not be read. Drop them again.';
      this.status.say(why, true);
      return null;
    });
    if (!listed) return;
    const { classes } = this.set;
    const own = classes.find((one) => one.id === id)?.name;
    const folders = new Set(listed.map(({ folder }) => folder || own));
    const room = this.set.maxImages - this.set.count;
    const found = await this.uploads.send(listed, room, folders.size);
    if (!found.length) return;
    const images = new Map<string, Example[]>();
    for (const { folder, example } of found) {
      const name = folder || own;
      if (name) images.set(name, [...(images.get(name) ?? []), example]);
    }
    const refused = this.set.add(images) ?? this.status.notice;
    this.look(found[found.length - 1].example);
    if (refused) this.status.say(refused, true);
  }

  /** What was saved of the classes. */
  keepSaved(classes: Classes) {
    this.saved = classes;
  }

  leaveCamera() {
    this.isLive = false;
  }
}
