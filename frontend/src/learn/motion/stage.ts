/* Painting a moment on a canvas, or the whole path as a small map. */

import { percent } from '../../lib/words';
import { drawAnswer, drawLayers, drawRoute } from './answer';
import { drawBlock } from './block';
import { drawHead, drawQuery } from './head';
import { drawSum, drawValues, drawWeights } from './mixing';
import { drawEmbedding, drawImage } from './patches';
import { type Camera, colorOf, cssOf, FOOT, Pen } from './pen';
import { Scene, type Stage } from './scene';
import { drawTables, drawTiles } from './tables';
import { END, Moment } from './timeline';
import { cameraAt, wholeView } from './world';

const PARTS = [
  ...[drawImage, drawTables, drawEmbedding, drawTiles, drawWeights, drawValues, drawHead, drawSum],
  ...[drawQuery, drawBlock, drawLayers, drawAnswer, drawRoute, drawLegend],
]; // from back to front
const WHOLE = END - 2.6; // s, when all is there and nothing is followed yet

export interface Context {
  g: CanvasRenderingContext2D;
  ratio: number; // pixels of the canvas per px
}

/** Draw a moment, and return what can be pointed at and read. */
export function draw(context: Context, stage: Stage, time: number, pointed = -1): Pen {
  const moment = new Moment(time);
  const { width, height } = stage;
  const pen = new Pen(context.g, width, height, cameraAt(stage.world, moment, width, height), stage.ink);
  paint(context, new Scene(pen, stage, moment, pointed));
  return pen;
}

function paint({ g, ratio }: Context, scene: Scene) {
  g.save(); // no pen or font outlives the frame
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.globalAlpha = 1;
  g.fillStyle = scene.ink.page;
  g.fillRect(0, 0, scene.pen.width, scene.pen.height);
  for (const part of PARTS) part(scene);
  g.restore();
}

/** A small map of the whole path, with a frame around what the camera sees. */
export function drawSmall(
  canvas: HTMLCanvasElement,
  stage: Stage,
  [x, y, w]: Camera,
  width: number,
  height: number,
  ratio = pixelRatio(),
) {
  const { g } = contextOf(canvas, width, height, ratio);
  const penOn = (g: CanvasRenderingContext2D) =>
    new Pen(g, width, height, wholeView(stage.world, width, height), stage.ink, true);
  let map = maps.get(stage);
  if (map?.width !== canvas.width) {
    map = document.createElement('canvas');
    const context = contextOf(map, width, height, ratio);
    paint(context, new Scene(penOn(context.g), stage, new Moment(WHOLE), -1));
    maps.set(stage, map);
  }
  const pen = penOn(g);
  const h = (w * (stage.height - FOOT)) / stage.width;
  const [left, top] = [Math.max(1, pen.x(x - w / 2)), Math.max(1, pen.y(y - h / 2))];
  const [right, bottom] = [Math.min(width - 1, pen.x(x + w / 2)), Math.min(height - 1, pen.y(y + h / 2))];
  g.setTransform(1, 0, 0, 1, 0, 0);
  g.drawImage(map, 0, 0);
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.strokeStyle = stage.ink.accent;
  g.lineWidth = 2;
  g.strokeRect(left, top, Math.max(6, right - left), Math.max(6, bottom - top));
}
const maps = new WeakMap<Stage, HTMLCanvasElement>(); // of the whole path, drawn once for a stage and size

/** The context of a canvas, which is fitted to its size on screen. */
export function contextOf(canvas: HTMLCanvasElement, width: number, height: number, ratio = pixelRatio()): Context {
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
  const g = canvas.getContext('2d');
  if (!g) throw new Error('the browser has no 2d canvas');
  return { g, ratio };
}

const pixelRatio = () => Math.min(2, devicePixelRatio);

/** What the colors stand for at this moment. */
function drawLegend({ pen, m, story, ink }: Scene) {
  const { numbers, scores, weights } = story.scales;
  if (pen.isSmall || m.after('embedding', 1.2) < 0) return;
  const all = Number(numbers.limit.toPrecision(2));
  const hasWeights = m.after('weights', 2.9) >= 0;
  let x = 0;
  pen.fade(1);
  pen.g.fillStyle = ink.page;
  pen.g.fillRect(0, pen.height - FOOT + 2, pen.width, FOOT - 2);
  if (!m.isIn('weights')) x = drawBar(pen, x, ink.div, `≤ −${all}`, `≥ ${all}`, 'numbers, stretched near 0');
  const limit = Number(scores.limit.toPrecision(2));
  if (m.isIn('scores', 'weights') && !hasWeights) drawBar(pen, x, ink.div, `−${limit}`, `${limit}`, 'scores');
  if (hasWeights) drawBar(pen, x, ink.seq, '0', `≥ ${percent(weights.limit)}`, 'weights');
}

/** A color bar with its ends, from a place on; returns where the next one may begin. */
function drawBar(
  { g, width, height, ink, size }: Pen,
  start: number,
  table: Uint32Array,
  low: string,
  high: string,
  name: string,
) {
  const isWide = width > 500;
  const [y, length] = [height - FOOT / 2, isWide ? 96 : 28];
  let x = start;
  const write = (text: string, gap: number) => {
    g.fillStyle = ink.quiet;
    g.fillText(text, x, y);
    x += g.measureText(text).width + gap;
  };
  g.font = `400 ${Math.max(13, 0.8 * size)}px ${ink.font}`;
  g.textAlign = 'left';
  g.textBaseline = 'middle';
  write(isWide ? name : name.split(',')[0], 10);
  write(low, 6);
  for (let i = 0; i < length; i++) {
    g.fillStyle = cssOf(colorOf(table, i / (length - 1)));
    g.fillRect(x + i, y - 5, 1, 10);
  }
  x += length + 6;
  write(high, isWide ? 28 : 12);
  return x;
}
