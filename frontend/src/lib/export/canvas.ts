/* A drawing on a canvas: PNG files, the preview, and frames of animations. */

import { type Color, type Drawing, fontText, outlineOf, type Pixels, type Primitive, pathText } from './drawing';
import { withChunks } from './png';
import { metadataOf, regionOf, type Written } from './provenance';

const DPI = 300;
const CSS_DPI = 96;
const MAX_PIXELS = 16_000_000; // of a canvas on a phone

const css = ([red, green, blue, opacity]: Color) => `rgb(${red} ${green} ${blue} / ${opacity})`;

/** Draw on a canvas of `scale` pixels per CSS pixel, on white. */
export function canvasOf(drawing: Drawing, scale: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(scale * drawing.width);
  canvas.height = Math.round(scale * drawing.height);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('the browser has no 2d canvas');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.scale(scale, scale);
  for (const one of drawing.primitives) draw(context, one);
  return canvas;
}

function draw(context: CanvasRenderingContext2D, one: Primitive) {
  if (one.kind === 'image') {
    context.imageSmoothingEnabled = !one.isPixelated;
    context.imageSmoothingQuality = 'high';
    context.globalAlpha = one.opacity;
    context.drawImage(imageOf(one.pixels), one.x, one.y, one.width, one.height);
    context.globalAlpha = 1;
    return;
  }
  if (one.kind === 'text') {
    context.font = fontText(one);
    if (one.halo) {
      Object.assign(context, { strokeStyle: css(one.halo.color), lineWidth: one.halo.width, lineJoin: 'round' });
      context.setLineDash([]);
      context.strokeText(one.text, one.x, one.y);
    }
    context.fillStyle = css(one.color);
    context.fillText(one.text, one.x, one.y);
    return;
  }
  const path = new Path2D(pathText(one.kind === 'path' ? one.segments : outlineOf(one)));
  if (one.fill) {
    context.fillStyle = css(one.fill);
    context.fill(path);
  }
  if (one.stroke) {
    const ends = one.isRound ? 'round' : 'butt';
    Object.assign(context, {
      strokeStyle: css(one.stroke),
      lineWidth: one.strokeWidth,
      lineCap: ends,
      lineJoin: one.isRound ? 'round' : 'miter',
    });
    context.setLineDash([...(one.dash ?? [])]);
    context.stroke(path);
  }
}

function imageOf({ width, height, data }: Pixels): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width, height });
  const image = new ImageData(width, height);
  image.data.set(data);
  canvas.getContext('2d')?.putImageData(image, 0, 0);
  return canvas;
}

/** A PNG file of 300 dpi, or of as many as a phone can draw, with its provenance. */
export async function pngFileOf(drawing: Drawing, provenance: Written | null): Promise<Blob> {
  const scale = Math.min(DPI / CSS_DPI, Math.sqrt(MAX_PIXELS / (drawing.width * drawing.height)));
  const canvas = canvasOf(drawing, scale);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'));
  if (!blob) throw new Error('the browser could not encode the image');
  const file = new Uint8Array(await blob.arrayBuffer());
  const metadata = await metadataOf(provenance, drawing, (picture) => regionOf(canvas, drawing, picture));
  return new Blob([withChunks(file, scale * CSS_DPI, metadata)], { type: 'image/png' });
}
