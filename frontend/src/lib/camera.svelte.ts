/* The camera of this device. */

import { contextOf } from './paint';
import type { Status } from './status.svelte';

/** Why there is no picture, by the name of the browser's error. */
const REASONS: Record<string, string> = {
  NotAllowedError: 'Camera access was denied. Allow it in the browser, or choose a file.',
  NotFoundError: 'No camera was found. Connect one, or choose a file.',
  NotReadableError: 'The camera is in use by another program. Close that program, or choose a file.',
};
const UNKNOWN = 'The camera could not be opened. Try again, or choose a file.';

export class Camera {
  readonly #status: Status;
  #video: HTMLVideoElement | null = null;
  isOpen = $state.raw(false);

  constructor(status: Status) {
    this.#status = status;
  }

  /** Show it in an element, as an attachment. */
  readonly attach = (video: HTMLVideoElement) => {
    this.#video = video;
    return () => this.close();
  };

  /** Open it.
      @param isWanted whether it still is, after the browser has asked for permission */
  async open(isWanted: () => boolean) {
    const video = this.#video;
    if (!video) return;
    this.#status.say(null);
    let stream: MediaStream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ video: { width: { ideal: 640 } } });
    } catch (error) {
      return this.#status.say(REASONS[(error as Error).name] ?? UNKNOWN, true);
    }
    this.close(); // a second click may have opened it during the permission prompt
    if (!isWanted()) return stopTracks(stream);
    video.srcObject = stream;
    try {
      await video.play();
    } catch {
      if (video.srcObject === stream) this.close(); // otherwise it was closed or reopened in between
      return;
    }
    this.isOpen = true;
  }

  close() {
    if (!this.#video) return;
    stopTracks(this.#video.srcObject);
    this.#video.srcObject = null;
    this.isOpen = false;
  }

  /** What it sees; null if it is closed.
      @param maxWidth px */
  #draw(maxWidth: number): HTMLCanvasElement | null {
    const { videoWidth = 0, videoHeight = 0 } = this.#video ?? {};
    if (!this.isOpen || !this.#video || !videoWidth) return null;
    const scale = Math.min(1, maxWidth / videoWidth);
    const [width, height] = [Math.round(scale * videoWidth), Math.round(scale * videoHeight)];
    const canvas = Object.assign(document.createElement('canvas'), { width, height });
    contextOf(canvas).drawImage(this.#video, 0, 0, width, height);
    return canvas;
  }

  /** What it sees, as pixels. */
  pixels(maxWidth: number): ImageData | null {
    const canvas = this.#draw(maxWidth);
    return canvas && contextOf(canvas).getImageData(0, 0, canvas.width, canvas.height);
  }

  /** What it sees, as a file; null if it is closed. */
  frame(type: 'image/png' | 'image/jpeg' = 'image/png', maxWidth = Infinity): Promise<File | null> {
    const canvas = this.#draw(maxWidth);
    if (!canvas) return Promise.resolve(null);
    const name = `photo.${type.slice('image/'.length)}`;
    return new Promise((resolve) => {
      canvas.toBlob((blob) => resolve(blob && new File([blob], name, { type })), type, 0.9);
    });
  }
}

export const hasCamera = () => Boolean(navigator.mediaDevices?.getUserMedia);

function stopTracks(stream: MediaProvider | null) {
  if (stream instanceof MediaStream) for (const track of stream.getTracks()) track.stop();
}
