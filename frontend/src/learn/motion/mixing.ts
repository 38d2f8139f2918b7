/* From scores to weights to the output of a head: bars, which are stacked, and along which values flow. */

import { colorIndex } from '../../lib/numbers';
import { capital, patchName, percent, signed, tokenName } from '../../lib/words';
import { colorOfToken } from './head';
import { cssOf, moved, type Rect } from './pen';
import type { Scene } from './scene';
import { arrivalOf, arrivedAt } from './story';
import { clamp, mix, soft } from './timeline';
import { HEAD } from './world';

const [COLUMN, THICK] = [524, 26]; // place and thickness of the stacked weights, in the unit of a head
const FLYING = 7; // values that are seen to fly
const LABELS = 8;

/** A rectangle on the way of the values: to the right, or down on a tall stage. */
const along = ({ world }: Scene, u: number, across: number, du: number, size: number) =>
  world.isTall ? world.inHead(across, u, size, du) : world.inHead(u, across, du, size);

/** The stacked weights of the tokens from one place to another, the largest first. */
function segmentOf(scene: Scene, from: number, to = from + 1) {
  const { sums } = scene.story;
  return along(scene, COLUMN, sums[from] * HEAD, THICK, (sums[to] - sums[from]) * HEAD);
}
const vectorOf = ({ world }: Scene) =>
  world.isTall ? world.inHead(28, 640, 360, 46) : world.inHead(664, 178, 330, 60);

export function drawWeights(scene: Scene) {
  const { pen, m, story, world, ink } = scene;
  const alpha = m.go('weights', 0.2, 0.5) * (1 - m.go('heads', 0, 0.7));
  if (!m.isIn('weights', 'heads') || !pen.fade(alpha)) return;
  const stacked = m.go('weights', 2.4, 3.6);
  for (let n = 0; n < story.bars.length; n++) drawBar(scene, n, alpha, stacked);
  const { weightCount: all, bars, block, order } = story;
  const column = segmentOf(scene, 0, all);
  if (pen.fade(alpha * m.go('weights', 1.2, 1.7) * (1 - stacked))) {
    const which = bars.length < all ? `the ${bars.length} largest of ${all} scores` : `${all} scores, sorted`;
    const range = [order[0], bars[bars.length - 1]].map((token) => signed(block.scores[token], 1)).join(' to ');
    pen.text(`${which}: ${range}`, column.x, column.y - (world.isTall ? 20 * world.unit : 0), { dy: -10 });
  }
  if (!pen.fade(alpha * m.go('weights', 3.5, 4))) return;
  if (bars.length < all) pen.fill(segmentOf(scene, bars.length, all), ink.line);
  pen.frame(column, ink.control);
  if (!world.isTall || m.isIn('weights'))
    pen.text('all weights: 100 %', column.x, column.y, { dy: -10, color: ink.text });
  if (pen.fade(alpha * m.go('weights', 3.6, 4.1) * (1 - m.go('values', 0, 0.6)))) labelWeights(scene);
}

/** A score as a bar, which becomes a weight in the stack. */
function drawBar(scene: Scene, n: number, alpha: number, stacked: number) {
  const { pen, m, story, shape } = scene;
  const token = story.bars[n];
  const score = story.block.scores[token];
  const pitch = HEAD / story.bars.length;
  const length = Math.max(2, (120 * Math.abs(score)) / story.scales.scores.limit);
  const bar = along(scene, 640 - (score < 0 ? length : 0), n * pitch + 0.8, length, pitch - 1.4);
  const segment = segmentOf(scene, n);
  const isThin = Math.min(segment.w, segment.h) * pen.scale < 0.3;
  const fly = m.go('weights', 0.2 + n * 0.008, 1.1 + n * 0.008);
  if (fly <= 0 || !pen.fade(isThin ? alpha * (1 - stacked) : alpha)) return;
  const rect = stacked > 0 ? moved(bar, segment, stacked) : moved(scene.cellOfToken(token), bar, fly);
  pen.fill(rect, colorOfToken(scene, token, stacked > 0.5));
  if (stacked < 1 || isThin) return;
  pen.frame(segment, scene.ink.page, 0.5);
  const says = () => `${capital(tokenName(token, shape))}: weight ${percent(story.block.weights[token])}`;
  pen.hit(segment, 1, 1, says, token < shape.prefix ? {} : { patch: () => token - shape.prefix });
}

/** The largest weights and that of the patch, where there is room. */
function labelWeights(scene: Scene) {
  const { pen, story, shape, world, ink } = scene;
  const { weights } = story.block;
  const own = story.rank[shape.prefix + story.followed];
  if (world.isTall) {
    const { x, y, h } = segmentOf(scene, own);
    const words = `${patchName(story.followed, shape)}: ${percent(weights[shape.prefix + story.followed])}`;
    const style = { dy: pen.size + 6, isBold: true, color: ink.accent };
    return pen.text(words, Math.min(x, scene.head.x + scene.head.w * 0.4), y + h, style);
  }
  let n = 0;
  while (n < Math.min(LABELS, story.bars.length) && segmentOf(scene, n).h * pen.scale > 1.15 * pen.size) n++;
  for (let place = 0; place < n; place++) {
    const { x, y, w, h } = segmentOf(scene, place);
    const [name, value] = place === own ? [ink.accent, ink.accent] : [ink.quiet, ink.text];
    const style = { base: 'middle', isBold: place === own } as const;
    pen.text(tokenName(story.order[place], shape), x + w, y + h / 2, { ...style, dx: 12, color: name });
    const number = percent(weights[story.order[place]]);
    pen.text(number, x + w, y + h / 2, { ...style, dx: 15 * pen.size, align: 'right', color: value });
  }
  const from = n || story.bars.length;
  const { x, y, w, h } = segmentOf(scene, from, story.weightCount);
  const others = `${story.weightCount - from} others: ${percent(1 - story.sums[from])}`;
  if (from < story.weightCount && h * pen.scale > pen.size)
    pen.text(others, x + w, y + h / 2, { base: 'middle', dx: 12 });
}

/** Ribbons as thick as the weights, from the tokens through the stack into the output. */
export function drawValues(scene: Scene) {
  const { pen, m, story, shape, ink } = scene;
  const alpha = 1 - m.go('heads', 0, 0.7);
  if (!m.isIn('values', 'heads') || alpha <= 0) return;
  for (let n = story.bars.length - 1; n >= 0; n--) {
    const token = story.bars[n];
    const weight = story.block.weights[token];
    const grown = m.go('values', 0.1 + n * 0.015, 1 + n * 0.015);
    if (grown <= 0 || weight < 0.0004) continue;
    const isOwn = token === shape.prefix + story.followed;
    pen.fade(alpha * (isOwn ? 0.9 : 0.5));
    pen.g.fillStyle = isOwn ? ink.accent : cssOf(ink.seq[Math.max(46, colorIndex(story.scales.weights, weight))]);
    ribbon(scene, scene.cellOfToken(token), segmentOf(scene, n), grown);
  }
  const open = m.go('values', 1, 1.7);
  if (!pen.fade(alpha * open)) return;
  pen.g.fillStyle = ink.fill;
  ribbon(scene, segmentOf(scene, 0, story.weightCount), vectorOf(scene), open);
}

/** The values that fly, and their sum. */
export function drawSum(scene: Scene) {
  const { pen, m, story, ink } = scene;
  const alpha = 1 - m.go('heads', 0, 0.7);
  if (!m.isIn('values', 'heads') || alpha <= 0) return;
  for (let n = Math.min(FLYING, story.bars.length) - 1; n >= 0; n--) {
    const at = arrivalOf(story, n);
    const f = m.lin('values', at - 1.5, at);
    if (f > 0 && f < 1 && pen.fade(alpha * clamp(f * 8) * clamp((1 - f) * 8))) drawFlying(scene, n, f);
  }
  if (!pen.fade(alpha * m.go('values', 1.5, 1.9))) return;
  const [done, vector] = [arrivedAt(story, m), vectorOf(scene)];
  const sum = done === story.weightCount ? story.block.output : story.mixed[done];
  pen.fill(vector, ink.page);
  scene.list(vector, sum, `output of head ${story.head + 1}: ${story.block.size} numbers`, 'Output');
  const words = `${done} of ${story.weightCount} values, weight ${percent(Math.min(1, story.sums[done]))}`;
  pen.text(words, vector.x, vector.y + vector.h, { dy: pen.size + 7 });
}

/** A value on its way: from its cell through its weight into the sum. */
function drawFlying(scene: Scene, n: number, f: number) {
  const { pen, story, world } = scene;
  const { values, weights, size } = story.block;
  const token = story.bars[n];
  const middle = ({ x, y, w, h }: Rect) => [x + w / 2, y + h / 2];
  const stops = [scene.cellOfToken(token), segmentOf(scene, n), vectorOf(scene)].map(middle);
  const [from, to] = f < 0.5 ? stops : stops.slice(1);
  const part = f < 0.5 ? soft(2 * f) : 2 * f - 1;
  const [fx, fy] = world.isTall ? [soft(part), part] : [part, soft(part)];
  const [w, h] = [60 * world.unit, clamp(weights[token] * HEAD * 0.6, 5, 30) * world.unit];
  const rect = { x: mix(from[0], to[0], fx) - w / 2, y: mix(from[1], to[1], fy) - h / 2, w, h };
  pen.strip(values.subarray(token * size, (token + 1) * size), rect, scene.place);
  pen.frame(rect, scene.ink.page, 2, 1);
}

/** A band between two rectangles, as far as it has grown; it leaves at the end of the first one. */
function ribbon({ pen, world }: Scene, from: Rect, to: Rect, grown: number) {
  const { g } = pen;
  const { isTall } = world;
  const [a, b] = isTall ? [pen.y(from.y + from.h), pen.y(to.y)] : [pen.x(from.x + from.w), pen.x(to.x)];
  const across = ({ x, y, w, h }: Rect) => (isTall ? [pen.x(x), pen.x(x + w)] : [pen.y(y), pen.y(y + h)]);
  const [top, bottom] = across(from);
  const [low, high] = across(to);
  const [center, half] = [(top + bottom) / 2, Math.min(bottom - top, high - low) / 2];
  const at = (u: number, v: number) => (isTall ? ([v, u] as const) : ([u, v] as const));
  const bend = (v: number, u: number, end: number) =>
    g.bezierCurveTo(...at((a + b) / 2, v), ...at((a + b) / 2, end), ...at(u, end));
  const reach = mix(a, b, grown) - a;
  g.save();
  g.beginPath();
  g.rect(...at(a, 0), ...at(reach, isTall ? pen.width : pen.height));
  g.clip();
  g.beginPath();
  g.moveTo(...at(a, center - half));
  bend(center - half, b, low);
  g.lineTo(...at(b, high));
  bend(high, a, center + half);
  g.closePath();
  g.fill();
  g.restore();
}
