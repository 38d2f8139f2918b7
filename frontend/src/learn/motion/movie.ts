/* The motion as a movie, loaded on request: the sentence above the stage, frame by frame. */

import type { AnimationFormat, PaintedFrame } from '../../lib/export/animation';
import { fileName } from '../../lib/export/files';
import { gifOf } from '../../lib/export/gif';
import { imageTitle } from '../../lib/images';
import { encode } from '../../lib/mp4';
import { textOf } from '../../lib/words';
import type { Stage } from './scene';
import { sentenceAt } from './sentences';
import { draw, drawSmall } from './stage';
import { END } from './timeline';
import { layOut } from './world';

const SIZES = { mp4: { width: 1280, height: 720, rate: 20 }, gif: { width: 800, height: 450, rate: 5 } };
const [TOP, EDGE] = [0.14, 0.025]; // height of the sentence and margin, of the height and width

export async function movieOf(stage: Stage, format: AnimationFormat) {
  const { subject } = stage.story.pass.explanation;
  const name = fileName([subject.model, imageTitle(subject.image), 'forward pass'], format);
  return { name, blob: await (format === 'gif' ? gifOf : encode)(framesOf(stage, SIZES[format])) };
}

async function* framesOf(page: Stage, { width, height, rate }: (typeof SIZES)['gif']): AsyncGenerator<PaintedFrame> {
  const [edge, top] = [Math.round(EDGE * width), Math.round(TOP * height)];
  const size = { width: width - 2 * edge, height: height - top };
  const { story, ink } = page;
  const stage = { ...page, ...size, world: layOut(story.shape, story.layer, story.head, size.width, size.height) };
  const [frame, scene, map] = [{ width, height }, size, { width: 2 * top, height: Math.round(0.8 * top) }].map((one) =>
    Object.assign(document.createElement('canvas'), one),
  );
  const [g, on] = [frame, scene].map((canvas) => canvas.getContext('2d', { willReadFrequently: true }));
  if (!g || !on) throw new Error('the browser has no 2d canvas');
  for (let time = 0; time < END; time += 1 / rate) {
    const { camera } = draw({ g: on, ratio: 1 }, stage, time);
    drawSmall(map, stage, camera, map.width, map.height, 1);
    g.fillStyle = ink.page;
    g.fillRect(0, 0, width, height);
    g.drawImage(scene, edge, top);
    g.drawImage(map, width - edge - map.width, 0.1 * top);
    g.fillStyle = ink.text;
    g.textBaseline = 'top';
    g.font = `400 ${Math.round(0.27 * top)}px ${ink.font}`;
    wrapped(g, textOf(sentenceAt(story, time)), width - 3 * edge - map.width).forEach((line, i) => {
      g.fillText(line, edge, top * (0.08 + 0.32 * i));
    });
    yield { image: frame, seconds: 1 / rate, shades: ink.seq };
  }
}

/** A text as lines that fit a width. */
function wrapped(g: CanvasRenderingContext2D, text: string, width: number) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines[lines.length - 1]} ${word}`.trim();
    if (g.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
