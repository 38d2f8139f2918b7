/* Animations whose frames are drawings, loaded on request. */

import { encode } from '../mp4';
import { canvasOf } from './canvas';
import type { Drawing } from './drawing';
import { gifOf } from './gif';

export interface Frame<Image = Drawing> {
  image: Image;
  seconds: number;
}

/** A frame to encode, with colors of its maps that a palette should have. */
export interface PaintedFrame extends Frame<HTMLCanvasElement> {
  shades: Uint32Array;
}

export type AnimationFormat = 'gif' | 'mp4';

const SCALE = 1.5; // pixels per CSS pixel

/** The file of an animation; all frames have the size of the first one. */
export const animationOf = (frames: AsyncIterable<Frame>, format: AnimationFormat): Promise<Blob> =>
  (format === 'gif' ? gifOf : encode)(painted(frames));

/** Frames as canvases of even sides, as MP4 requires. */
async function* painted(frames: AsyncIterable<Frame>): AsyncGenerator<PaintedFrame> {
  let size: { width: number; height: number } | undefined;
  for await (const { image, seconds } of frames) {
    const even = (length: number) => (2 * Math.round((SCALE * length) / 2)) / SCALE;
    size ??= { width: even(image.width), height: even(image.height) };
    const panel = image.primitives.find((one) => one.kind === 'image' && one.panel);
    const shades = (panel?.kind === 'image' && panel.panel?.table) || new Uint32Array();
    yield { image: canvasOf({ ...image, ...size }, SCALE), seconds, shades };
  }
}
