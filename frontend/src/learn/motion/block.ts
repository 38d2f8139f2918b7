/* One layer from near: all heads, what attention and the MLP add to the residual stream. */

import { counted, written } from '../../lib/words';
import { moved, type Rect } from './pen';
import type { Scene } from './scene';
import { lengthOf } from './story';
import { clamp, soft } from './timeline';

const GATHERED = 96; // numbers of all heads that are drawn

export function drawBlock(scene: Scene) {
  const { pen, m, story, world } = scene;
  const alpha = m.go('heads', 0.9, 1.5) * (1 - m.go('layers', 0, 0.7));
  if (!pen.fade(alpha)) return;
  const { block, numbers, model } = story;
  const line = (index: number): Rect => ({ ...world.stream, y: world.stream.y + index * world.stream.pitch });
  const parts = [block.input, block.attention, block.mlp];
  const [input, attention, mlp] = parts.map((values) => values.subarray(0, numbers));
  const sum = input.map((value, i) => value + attention[i]);
  const output = sum.map((value, i) => value + mlp[i]);
  /** A vector of the stream, as far as it is written, with its length. */
  const row = (index: number, values: Float32Array, label: string, of: Float32Array[], part = 1) => {
    const right = `length ${written(lengthOf(...of), 1)}`;
    if (part > 0 && pen.fade(alpha)) scene.list(line(index), values, label, label, { end: numbers * part, right });
  };
  const fall = (from: [number, Float32Array][], to: number, f: number) => {
    if (f <= 0 || f >= 1 || !pen.fade(alpha)) return;
    for (const [index, values] of from) pen.strip(values, moved(line(index), line(to), f), scene.place);
  };
  row(0, input, story.inputName, [block.input]);
  const projected = m.lin('heads', 3.6, 4.4);
  if (projected < 1) gather(scene, line(1), alpha, projected);
  row(1, attention, '+ attention: heads × output projection + bias', [block.attention], projected);
  fall(
    [
      [0, input],
      [1, attention],
    ],
    2,
    m.go('mlp', 0.2, 1),
  );
  row(2, sum, '= after attention', parts.slice(0, 2), m.lin('mlp', 0.9, 1.4));
  if (pen.fade(alpha * m.go('mlp', 1.5, 1.9))) drawMlp(scene, line(3));
  row(4, mlp, '+ MLP', [block.mlp], m.lin('mlp', 2.6, 3.3));
  fall(
    [
      [2, sum],
      [4, mlp],
    ],
    5,
    m.go('mlp', 3.4, 4.1),
  );
  const isOut = m.lin('mlp', 4, 4.5);
  row(5, output, `= ${scene.query} after layer ${story.layer + 1}`, parts, isOut);
  if (isOut === 1) pen.mark(line(5), alpha);
  if (!pen.fade(alpha)) return;
  labelHeads(scene);
  const [{ x, y, h }, some] = [line(5), `${model.embed_dim} numbers each, the first ${numbers} drawn`];
  if (model.embed_dim > numbers) pen.text(some, x, y + h, { dy: pen.size + 6 });
}

function labelHeads({ pen, world, story, shape, ink }: Scene) {
  const side = world.side * pen.scale;
  for (let head = 0; head < shape.heads && side > 34; head++) {
    const { x, y } = world.tiles[story.layer][head];
    const style = head === story.head ? { isBold: true, color: ink.accent } : {};
    pen.text(`${side > 60 ? 'head ' : ''}${head + 1}`, x, y, { dy: -5, ...style });
  }
}

/** The outputs of all heads come together, side by side. */
function gather(scene: Scene, line: Rect, alpha: number, projected: number) {
  const { pen, m, story, shape, world } = scene;
  const { head_outputs: outputs, size } = story.block;
  const collected = m.lin('heads', 2, 3.2);
  const [w, count] = [line.w / shape.heads, Math.max(1, Math.min(size, Math.floor(GATHERED / shape.heads)))];
  for (let head = 0; head < shape.heads; head++) {
    const f = soft(clamp(collected * 1.6 - (0.6 * head) / shape.heads));
    const tile = world.tiles[story.layer][head];
    const start = { ...tile, y: tile.y + 0.4 * tile.h, h: 0.2 * tile.h };
    const rect = moved(start, { ...line, x: line.x + head * w, w }, f);
    const values = outputs.subarray(head * size, head * size + count);
    if (f > 0 && pen.fade(alpha * clamp(5 * f) * (1 - projected))) pen.strip(values, rect, scene.place);
  }
  if (collected < 1 || projected > 0 || !pen.fade(alpha)) return;
  const some = count < size ? `, ${count} of each drawn` : '';
  const words = `outputs of ${counted(shape.heads, 'head', 'heads')}, ${size} numbers each${some}`;
  pen.text(words, line.x, line.y, { dy: -8 });
}

/** The MLP as wide as it is: from a token to its hidden units and back. */
function drawMlp(scene: Scene, { x, y, w, h }: Rect) {
  const { pen, m, story, ink } = scene;
  const { embed_dim: width, mlp_dim: hidden } = story.model;
  const rim = (w - w * Math.min(1, width / hidden)) / 2;
  const outline = [
    [x + rim, y],
    [x + w - rim, y],
    [x + w, y + h / 2],
    [x + w - rim, y + h],
    [x + rim, y + h],
    [x, y + h / 2],
  ];
  const { g } = pen;
  g.save();
  g.beginPath();
  for (const [a, b] of outline) g.lineTo(pen.x(a), pen.y(b));
  g.closePath();
  pen.line(ink.control, 1);
  g.stroke();
  g.clip();
  pen.fill({ x, y, w, h }, ink.fill);
  pen.fill({ x, y, w, h: h * m.lin('mlp', 1.8, 2.7) }, ink.control);
  g.restore();
  pen.text('LayerNorm, then the MLP', x, y, { dy: -8 });
  pen.text(`${width} → ${hidden} units → ${width}`, x + w, y, { dy: -8, align: 'right' });
  const about = `${hidden} units: weights and bias, a nonlinearity, then weights and bias back to ${width} numbers`;
  pen.hit({ x, y, w, h }, 1, 1, () => about);
}
