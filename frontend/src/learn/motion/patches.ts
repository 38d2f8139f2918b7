/* The image, its patches, and how one of them becomes a token. */

import { capital, patchName, signed } from '../../lib/words';
import { colorOf, cssOf, moved, type Rect } from './pen';
import type { Scene } from './scene';

export function drawImage(scene: Scene) {
  const { pen, m, world, shape, story, outside } = scene;
  if (!pen.fade(outside) || !pen.sees(world.image)) return;
  const { w, h } = world.image;
  for (let patch = 0; patch < shape.rows * shape.columns; patch++) {
    const whole = scene.pieceOf(patch, 0);
    const [dx, dy] = [whole.x + whole.w / 2 - w / 2, whole.y + whole.h / 2 - h / 2];
    const delay = Math.hypot(dx / w, dy / h); // from the center outwards
    const cut = m.go('patches', 0.6 + delay, 2.2 + delay);
    const away = 0.07 * Math.sin(Math.PI * cut);
    const piece = scene.pieceOf(patch, cut);
    scene.drawPiece(patch, { ...piece, x: piece.x + dx * away, y: piece.y + dy * away });
  }
  pen.hit(world.image, shape.columns, shape.rows, (i) => capital(patchName(i, shape)), { patch: (i) => i });
  const isCut = m.go('patches', 2.6, 3.2);
  pen.mark(scene.pieceOf(story.followed), outside * isCut);
  if (scene.pointed >= 0) pen.mark(scene.pieceOf(scene.pointed), outside, scene.ink.text);
  if (!pen.fade(outside * isCut * (1 - m.go('embedding', 0, 0.6)))) return;
  const words = `each patch: ${story.model.patch.join(' × ')} pixels × 3 colors = ${story.inputs.length} numbers`;
  pen.text(words, w / 2, h, { align: 'center', dy: pen.size + 8 });
}

const LINES = 4; // pixels, sums of products, what is added, token

/** One patch becomes a token: its numbers, their sums of products with all filters, what is added, and the sum. */
export function drawEmbedding(scene: Scene) {
  const { pen, m, story, world } = scene;
  const alpha = 1 - m.go('tokens', 0, 0.7);
  if (!m.isIn('embedding', 'tokens')) return;
  const line = (index: number): Rect =>
    world.isTall ? { x: 20, y: 740 + 112 * index, w: 800, h: 44 } : { x: 670, y: 206 + 96 * index, w: 720, h: 38 };
  const [pixels, sums, added, token] = Array.from({ length: LINES }, (_, index) => line(index));
  const width = story.model.embed_dim;
  drawPatch(scene, alpha);

  const inputs = story.inputs.subarray(0, 2 * story.numbers);
  const unrolled = m.lin('embedding', 1.2, 2);
  if (unrolled > 0 && pen.fade(alpha)) {
    const says = (i: number) =>
      `${['Red', 'Green', 'Blue'][i % 3]} of pixel ${Math.floor(i / 3) + 1}: ${signed(inputs[i])}; its weight in filter 1: ${signed(story.filter[i], 3)}`;
    const label = `its ${story.inputs.length} numbers${few(inputs, story.inputs.length)}, normalized`;
    scene.list(pixels, inputs, label, says, { end: inputs.length * unrolled });
  }
  const first = m.go('embedding', 2, 2.6);
  const others = m.lin('embedding', 3.2, 4.4);
  if (first > 0 && others < 1) drawFilter(scene, pixels, sums, inputs.length, alpha * first * (1 - others));
  if (first > 0 && pen.fade(alpha * first)) {
    const label = `× ${width} filters: as many sums${few(story.patch.products, width)}`;
    const end = Math.max(1, story.numbers * others);
    scene.list(sums, story.patch.products, label, 'Sum of products', { end });
    const number = `number 1: ${signed(story.patch.product)}`;
    if (!others) pen.text(number, sums.x + sums.w, sums.y, { align: 'right', dy: -8, color: scene.ink.text });
  }
  const what = `bias${story.model.positions ? ' and position embedding' : ''}`;
  if (pen.fade(alpha * m.go('position', 0.2, 0.9))) {
    if (story.rest) scene.list(added, story.rest, `+ ${what}`, capital(what));
    else pen.text(`+ ${what}, then LayerNorm`, added.x, added.y, { dy: 8 });
  }
  const fall = m.go('position', 1.4, 2.4);
  if (fall > 0 && fall < 1 && pen.fade(alpha)) {
    pen.strip(story.patch.products, moved(sums, token, fall), scene.place);
    if (story.rest) pen.strip(story.rest, moved(added, token, fall), scene.place);
  }
  const sum = m.lin('position', 2.3, 3);
  const values = story.tokenAt(0, story.row);
  if (m.isIn('tokens')) {
    const home = moved(token, scene.rowOf(0, story.row), m.go('tokens', 0.3, 1.4));
    if (pen.fade(1 - m.lin('tokens', 1.3, 1.4))) pen.strip(values, home, scene.place);
  } else if (sum > 0 && pen.fade(1)) {
    const name = `Token of ${patchName(story.followed, story.shape)}`;
    scene.list(token, values, `= its token: ${width} numbers`, name, { end: story.numbers * sum });
    if (sum === 1) pen.mark(token, 1);
  }
}

/** The patch on its way out of the image. */
function drawPatch(scene: Scene, alpha: number) {
  const { pen, m, story, world } = scene;
  const { w, h } = scene.pieceOf(story.followed, 0);
  const unit = 140 / Math.max(w, h);
  const big = { x: world.isTall ? 20 : 670, y: world.isTall ? 555 : 0, w: w * unit, h: h * unit };
  const lift = m.go('embedding', 0.3, 1.2);
  if (lift > 0 && pen.fade(alpha)) scene.drawPiece(story.followed, moved(scene.pieceOf(story.followed), big, lift));
  if (!pen.fade(alpha * m.go('embedding', 1, 1.4))) return;
  const words = capital(patchName(story.followed, story.shape));
  pen.text(words, big.x + big.w, big.y + big.h / 2, { dx: 16, dy: 5, color: scene.ink.text });
}

/** The weights of the first filter, from the numbers of the patch to their sum. */
function drawFilter({ pen, story, ink }: Scene, from: Rect, to: Rect, count: number, alpha: number) {
  const most = Math.max(...story.filter.map(Math.abs));
  for (let i = 0; i < count; i++) {
    const weight = story.filter[i] / most;
    pen.fade(alpha * (0.1 + 0.9 * Math.abs(weight)));
    pen.line(cssOf(colorOf(ink.div, weight > 0 ? 0.8 : 0.14)), 0.5 + 2.5 * Math.abs(weight));
    const [x, end] = [from.x + ((i + 0.5) * from.w) / count, to.x + (0.5 * to.w) / story.numbers];
    pen.curve(x, from.y + from.h, end, to.y, true);
  }
}

/** " (the first 64 drawn)", if not all are */
const few = (drawn: ArrayLike<number>, count: number) =>
  drawn.length < count ? ` (the first ${drawn.length} drawn)` : '';
