/* The camera: what it sees is predicted all the time, and put into a class while it is recorded. */

import { Camera } from '../lib/camera.svelte';
import { pause } from '../lib/host';
import { ownerOf } from './classes.svelte';
import type { Teaching } from './teaching.svelte';

const PREVIEW = 'camera'; // source of frames that are only predicted
const FRAME_DELAY = 150; // ms between an answer and the next frame
/** Width of frames, px: those that are only predicted are small, as the server keeps them for an hour. */
const [RECORDED, PREDICTED] = [640, 320];

export class Recorder {
  readonly #page: Teaching;
  readonly camera: Camera;
  /** The recording, whose images are held out together, and how many images are left to take. */
  recording = $state.raw<{ source: string; left: number } | null>(null);
  #count = 0;

  constructor(page: Teaching) {
    this.#page = page;
    this.camera = new Camera(page.status);
  }

  async open() {
    const { explorer } = this.#page;
    await this.camera.open(() => explorer.isVisible);
    while (this.camera.isOpen && explorer.isVisible) await this.#frame();
    this.close();
  }

  close() {
    this.camera.close();
    this.recording = null;
    this.#page.leaveCamera();
  }

  /** Put what the camera sees into the class that is aimed at, until it is stopped or `count` images are taken. */
  record(count = Infinity) {
    if (this.camera.isOpen && this.#page.aimed) this.recording = { source: `recording ${++this.#count}`, left: count };
  }

  stop() {
    this.recording = null;
  }

  async #frame() {
    const { uploads, set } = this.#page;
    const { recording } = this;
    const file = await this.camera.frame('image/jpeg', recording ? RECORDED : PREDICTED);
    const image = file && (await uploads.store(file).catch(() => null));
    if (!image || !this.camera.isOpen) return pause(FRAME_DELAY);
    const example = { image, source: recording?.source ?? PREVIEW, title: 'Camera', src: uploads.srcOf(image) };
    if (recording && this.#page.aimed) {
      const refused = set.move(example, this.#page.target);
      if (refused) this.#page.status.say(refused, true);
      const left = refused ? 0 : recording.left - 1;
      if (this.recording === recording) this.recording = left > 0 ? { ...recording, left } : null;
    }
    const last = this.#page.front;
    await this.#page.look(example, true);
    if (last?.source === PREVIEW && !ownerOf(set.classes, last)) uploads.forget(last.image);
    await pause(FRAME_DELAY);
  }
}
