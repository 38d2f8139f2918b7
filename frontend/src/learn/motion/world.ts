/* Where everything is: one world, whose tables and layers flow in as many lines as suit the stage, and one camera, which
   zooms and pans along smooth paths (van Wijk and Nuij 2003). */

import type { Shape } from '../../lib/numbers';
import { type Camera, FOOT, type Rect } from './pen';
import { type BeatId, type Moment, soft } from './timeline';

const [SIDE, TABLE, GAP, LINE] = [520, 200, 280, 670]; // image and height of tables, width of tables, of tiles, line pitch
const BARS = 560; // width of the answer
export const HEAD = 416; // side of a magnified head, in its own unit

export type World = ReturnType<typeof layOut>;

/** @param width of the stage
    @param height likewise */
export function layOut(shape: Shape, layer: number, head: number, width: number, height: number) {
  const isTall = width < height * 1.2;
  const widths = [SIDE + 120, TABLE, ...Array<number>(shape.layers).fill(GAP + TABLE), BARS + 120];
  const { places, size } = bestFlow(widths, width / (height - FOOT));
  const square = (side: number) => ({ w: side * Math.min(1, shape.aspect), h: side / Math.max(1, shape.aspect) });
  const image = { x: 0, y: 0, ...square(SIDE) };
  const tables = places.slice(1, -1).map(({ x, y }, layer) => ({ x: x + (layer ? GAP : 0), y, w: TABLE, h: SIDE }));
  const across = Math.max(1, Math.min(shape.heads, Math.ceil(Math.sqrt(shape.heads * 0.66))));
  const pitch = Math.min(250 / across, (SIDE - 40) / Math.ceil(shape.heads / across));
  const side = pitch - Math.max(4, Math.min(24, pitch / 4));
  const down = Math.ceil(shape.heads / across);
  const tiles = tables.slice(1).map(({ x, y }) =>
    Array.from({ length: shape.heads }, (_, k) => ({
      x: x - GAP + 18 + (k % across) * pitch,
      y: y + (SIDE - down * pitch) / 2 + Math.floor(k / across) * pitch,
      ...square(side),
    })),
  );
  const near = tiles[layer][head];
  const unit = side / HEAD;
  const inHead = (x: number, y: number, w: number, h: number): Rect => ({
    x: near.x + x * unit,
    y: near.y + y * unit,
    w: w * unit,
    h: h * unit,
  });
  const [first, after] = [tiles[layer][0], tables[layer + 1]];
  const stream: Rect & { pitch: number } = isTall
    ? { x: first.x - 175, y: first.y + down * pitch + 30, w: 600, h: 20, pitch: 58 }
    : { x: first.x + across * pitch + 40, y: after.y + 6, w: 800, h: 34, pitch: 86 };
  const last = places[places.length - 1];
  const bars = { x: last.x + 100, y: last.y, w: BARS - 40, h: SIDE };
  const end = tables[shape.layers];
  const frames = {
    image: { x: image.w / 2 - (isTall ? 290 : 700), y: -30, w: isTall ? 580 : 1400, h: SIDE + 60 },
    embedding: isTall ? { x: -30, y: -40, w: 900, h: 1200 } : { x: -20, y: -44, w: 1440, h: SIDE + 104 },
    tokens: isTall ? { x: -20, y: -60, w: 900, h: SIDE + 130 } : { x: -150, y: -60, w: 1380, h: SIDE + 130 },
    scores: isTall ? inHead(-24, -510, 464, 960) : inHead(-640, -56, 1250, 520),
    weights: isTall ? inHead(-24, -110, 464, 856) : inHead(-320, -56, 1340, 520),
    heads: isTall
      ? { x: first.x - 195, y: first.y - 40, w: 640, h: down * pitch + 450 }
      : { x: first.x - 30, y: after.y - 40, w: across * pitch + 910, h: SIDE + 90 },
    answer: { x: end.x - 60, y: bars.y - 50, w: bars.x + bars.w - end.x + 90, h: SIDE + 110 },
    whole: { x: -30, y: isTall ? -130 : -50, w: size.w + 80, h: size.h + (isTall ? 250 : 150) },
  };
  if (end.y !== bars.y) Object.assign(frames.answer, { x: bars.x - 60, w: bars.w + 90 });
  return { isTall, pitch: GAP + TABLE, image, tables, tiles, side, unit, inHead, stream, bars, frames };
}

/** Places of items in lines, with the number of lines that makes the whole largest on a stage. */
function bestFlow(widths: readonly number[], aspect: number) {
  const total = widths.reduce((sum, one) => sum + one, 0);
  let best: { places: { x: number; y: number }[]; size: { w: number; h: number } } | undefined;
  const spaceOf = ({ w, h }: { w: number; h: number }) => Math.max(w, h * aspect);
  for (let lines = 1; lines <= widths.length; lines++) {
    const limit = Math.max(...widths, (total / lines) * 1.08);
    let [x, y, w] = [0, 0, 0];
    const places = widths.map((one) => {
      if (x && x + one > limit) [x, y] = [0, y + LINE];
      const place = { x, y };
      x += one;
      w = Math.max(w, x);
      return place;
    });
    const found = { places, size: { w, h: y + SIDE } };
    if (!best || spaceOf(found.size) < spaceOf(best.size)) best = found;
  }
  if (!best) throw new Error('nothing to place');
  return best;
}

/** What is seen if all of a frame is to be seen. */
function viewOf(frame: Rect, width: number, height: number): Camera {
  const scale = Math.min(width / frame.w, height / frame.h);
  return [frame.x + frame.w / 2, frame.y + frame.h / 2, width / scale];
}

const MOVES: readonly [beat: BeatId, from: number, to: number, frame: keyof World['frames']][] = [
  ['embedding', 0, 1.2, 'embedding'],
  ['tokens', 0, 1.2, 'tokens'],
  ['query', 0, 2, 'scores'],
  ['weights', 0, 1.1, 'weights'],
  ['heads', 0, 1.4, 'heads'],
  ['layers', 0, 1.2, 'whole'],
  ['answer', 0, 1.2, 'answer'],
  ['whole', 0, 1.6, 'whole'],
];

/** The camera at a moment. */
export function cameraAt({ frames }: World, moment: Moment, width: number, height: number): Camera {
  const view = (name: keyof World['frames']) => viewOf(frames[name], width, height - FOOT);
  const latest = MOVES.findLastIndex(([beat]) => moment.after(beat) > 0);
  if (latest < 0) return view('image');
  const [beat, from, to, frame] = MOVES[latest];
  const before = view(MOVES[latest - 1]?.[3] ?? 'image');
  return flight(before, view(frame), soft(moment.lin(beat, from, to)));
}

export const wholeView = ({ frames }: World, width: number, height: number) => viewOf(frames.whole, width, height);

const RHO = 1.2;

function flight([x0, y0, w0]: Camera, [x1, y1, w1]: Camera, f: number): Camera {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const squared = dx * dx + dy * dy;
  if (f >= 1) return [x1, y1, w1];
  if (squared < 1e-9) return [x0, y0, w0 * (w1 / w0) ** f];
  const distance = Math.sqrt(squared);
  const angle = (sign: number, w: number) => {
    const b = (w1 * w1 - w0 * w0 + sign * RHO ** 4 * squared) / (2 * w * RHO ** 2 * distance);
    return Math.log(Math.sqrt(b * b + 1) - b);
  };
  const [r0, r1] = [angle(1, w0), angle(-1, w1)];
  const s = f * (r1 - r0);
  const u = (w0 / (RHO ** 2 * distance)) * (Math.cosh(r0) * Math.tanh(s + r0) - Math.sinh(r0));
  return [x0 + u * dx, y0 + u * dy, (w0 * Math.cosh(r0)) / Math.cosh(s + r0)];
}
