/* State of the dialog: the choice, the files made for it, and what is said about them. */

import { printedAddress } from '../../lib/address';
import { blobOf, copyToClipboard, saveBlob } from '../../lib/dom';
import type { AnimationFormat, Frame } from '../../lib/export/animation';
import { fileOf } from '../../lib/export/files';
import { NOT_DRAWN } from '../../lib/host';
import { isRefused, RefusedError, refusalOf } from '../../lib/refused';
import { ENCODING_FAILED, hasVideoEncoder } from '../../lib/video';
import { type FileFormat, NEVER } from '../../session/engine';
import type { Session } from '../../session/session.svelte';
import type { Explorer } from '../explorer.svelte';
import { captionOf, drawFigure, nameOf } from './figures';
import { framesOf } from './frames';
import {
  type Abilities,
  type Choice,
  canPrintLink,
  hasPreview,
  isAnimation,
  isFigure,
  nearestOffered,
  previewed,
  storeChoice,
  storedChoice,
} from './options';

export interface SavedFile {
  name: string;
  caption: string;
  blob: Blob;
  isUntraced?: boolean; // a figure without provenance, as the server did not respond
}

type Made = SavedFile | RefusedError;

const NO_COPYING = 'The browser does not allow copying';

export class SaveDialog {
  readonly explorer: Explorer;
  readonly #session: Session;
  node = $state.raw<HTMLDialogElement | null>(null);
  #files = new Map<string, Promise<Made>>();
  #chosen = $state.raw<Choice>(storedChoice());

  preview = $state.raw<(SavedFile & { url: string }) | null>(null);
  previewed = $state.raw(''); // for which the preview, or an error, is shown; for tests
  busy = $state.raw<'' | 'save' | 'copy' | 'code'>('');
  message = $state.raw('');
  isError = $state.raw(false);
  code = $state.raw('');

  readonly abilities = $derived.by<Abilities>(() => ({
    encodes: hasVideoEncoder(),
    hasServer: !this.explorer.catalog.lists.static,
    layers: this.#session.explanation?.shape.layers ?? 1,
    isUpload: [this.#session.subject?.image, this.#session.view.other].some((image) => image?.kind === 'upload'),
    hasSet: Boolean(this.explorer.set?.shown),
    shown: this.#session.drawing.panel ? this.#session.view.content : 'attention',
    hasMethods: this.#session.methods.skipped === null,
  }));
  readonly choice = $derived.by(() => nearestOffered(this.#chosen, this.abilities));

  constructor(explorer: Explorer) {
    this.explorer = explorer;
    this.#session = explorer.session;
  }

  /** Show what would be saved of the view on screen. */
  open() {
    if (!this.node || this.node.open) return;
    this.node.showModal();
    this.#files = new Map();
    this.code = '';
    this.previewed = ''; // that of an earlier view
    this.update();
  }

  close() {
    this.node?.close();
  }

  choose(change: Partial<Choice>) {
    this.#chosen = { ...this.choice, ...change };
  }

  /** Preview the choice, which also changes when a view arrives while the dialog is open. */
  async update() {
    if (!this.node?.open) return;
    this.#say('');
    const { choice } = this;
    const files = this.#files;
    const key = JSON.stringify(choice);
    const made = hasPreview(choice) ? await this.#file(previewed(choice)) : null;
    if (files !== this.#files || key !== JSON.stringify(this.choice)) return; // a later view or choice
    if (this.preview) URL.revokeObjectURL(this.preview.url);
    this.preview = made && !isRefused(made) ? { ...made, url: URL.createObjectURL(made.blob) } : null;
    if (isRefused(made)) this.#say(made.message, true);
    this.previewed = key;
  }

  #say(message: string, isError = false) {
    this.message = message;
    this.isError = isError;
  }

  /** The file of a choice, made once. */
  #file(choice: Choice): Promise<Made> {
    const key = JSON.stringify(choice);
    const files = this.#files;
    let made = files.get(key);
    if (!made) {
      made = this.#make(choice);
      files.set(key, made);
      made.then((file) => isRefused(file) && files.delete(key)); // so that it is made again
    }
    return made;
  }

  async #make(choice: Choice): Promise<Made> {
    const { explorer, abilities } = this;
    const { content, size, format } = choice;
    const { engine } = this.#session;
    const { subject, view } = savedOf(this.#session);
    const address = choice.link && canPrintLink(choice, abilities) ? printedAddress() : null;
    const file = { name: nameOf(explorer, content, format), caption: captionOf(explorer, content) };
    if (isFigure(choice)) {
      try {
        const [drawing, provenance] = await Promise.all([
          drawFigure(explorer, content, size, address),
          (content === 'images' && explorer.set
            ? explorer.set.provenance()
            : engine.request('explanations/provenance', { subject, view }, NEVER)
          ).catch(() => null), // a figure is saved even if the server has gone
        ]);
        return { ...file, blob: await fileOf(drawing, choice.format, provenance), isUntraced: !provenance };
      } catch {
        return new RefusedError(NOT_DRAWN);
      }
    }
    if (isAnimation(choice)) {
      const blob = await animate(framesOf(explorer, choice.content, address), choice.format);
      return isRefused(blob) ? blob : { ...file, blob };
    }
    const of = { subject, view, format: format as FileFormat, methods: content === 'methods' }; // arrays, tables and the explorer
    return engine
      .request('explanations/file', of, NEVER)
      .then(({ src }) => ({ ...file, blob: blobOf(src) }))
      .catch(refusalOf);
  }

  /** Download the file and close the dialog, or show why not. */
  async save() {
    const { choice } = this;
    this.busy = 'save';
    this.#say('');
    const file = await this.#file(choice);
    this.busy = '';
    if (isRefused(file)) return this.#say(file.message, true);
    saveBlob(file.name, file.blob);
    storeChoice(choice);
    this.close();
    const remark = file.isUntraced ? ' It has no provenance, as the server did not respond.' : '';
    this.#session.status.say(`Saved as ${file.name}.${remark}`);
  }

  /** Copy the figure as PNG. */
  async copyImage() {
    this.busy = 'copy';
    const file = this.#file({ ...this.choice, format: 'png' });
    const copied = await copyToClipboard('image/png', file.then(blobOrThrow));
    const made = await file;
    this.busy = '';
    if (isRefused(made)) this.#say(made.message, true);
    else if (copied) this.#say('Copied as PNG.');
    else this.#say(`${NO_COPYING}: save the file instead.`, true);
  }

  /** Copy the code that computes the arrays of the view, and show it. */
  async copyCode() {
    this.busy = 'code';
    const { subject, view } = savedOf(this.#session);
    const reply = this.#session.engine.request('explanations/code', { subject, view }, NEVER);
    const text = reply.then(({ code }) => new Blob([code], { type: 'text/plain' }));
    const copied = await copyToClipboard('text/plain', text);
    const found = await reply.catch(refusalOf);
    this.busy = '';
    if (isRefused(found)) return this.#say(found.message, true);
    this.code = found.code;
    this.#say(copied ? 'Code copied.' : `${NO_COPYING}: select the code below.`, !copied);
  }

  get canCopy() {
    return isFigure(this.choice);
  }
}

/** The encoders are loaded when they are needed first. */
async function animate(frames: AsyncIterable<Frame>, format: AnimationFormat): Promise<Blob | RefusedError> {
  const { animationOf } = await import('../../lib/export/animation');
  try {
    return await animationOf(frames, format);
  } catch (error) {
    return isRefused(error) ? error : new RefusedError(ENCODING_FAILED);
  }
}

/** What is on screen, with the explained and the true class, and the query of a panel. */
function savedOf({ explanation, panel, targetClass, view }: Session) {
  if (!explanation) throw new Error('nothing is shown');
  const target = explanation.reply.classes.length ? [targetClass, ...view.target.slice(1)] : [];
  const { truth } = explanation.reply.image;
  return { subject: explanation.subject, view: { ...view, target, truth, ...panel?.saved } };
}

function blobOrThrow(file: Made): Blob {
  if (isRefused(file)) throw file;
  return file.blob;
}
