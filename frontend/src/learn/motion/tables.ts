/* Tables of tokens, one before each layer and one after the last, and the maps of all heads between them. */

import { capital, signed, tokenName } from '../../lib/words';
import { moved } from './pen';
import type { Scene } from './scene';

export function drawTables(scene: Scene) {
  const { pen, m, world, shape } = scene;
  drawFirstTable(scene);
  for (let layer = 1; layer <= shape.layers; layer++) {
    const seen = (1 - scene.inLayer) * (layer === shape.layers ? 1 : 1 - scene.inAnswer) * m.go('query', 0, 0.4);
    if (pen.fade(seen) && pen.sees(world.tables[layer])) drawTable(scene, layer, seen);
  }
}

function drawTable(scene: Scene, layer: number, alpha: number) {
  const { pen, world, story, pictures } = scene;
  const { shape, numbers } = story;
  const { prefix } = shape;
  const part = layer ? scene.shown(layer) : 1;
  const count = story.rows.length - prefix;
  const { x, w } = world.tables[layer];
  const [top, bottom] = [scene.rowOf(layer, prefix), scene.rowOf(layer, story.rows.length - 1)];
  const body = { x, y: top.y, w, h: bottom.y + bottom.h - top.y };
  const bands = Array.from({ length: prefix }, (_, row) => ({ row, rows: 1, rect: scene.rowOf(layer, row) }));
  pen.frame(world.tables[layer]);
  for (const { row, rows, rect } of [...bands, { row: prefix, rows: count, rect: body }]) {
    pen.image(pictures.tables[layer], { ...rect, w: w * part }, { x: 0, y: row, w: numbers * part, h: rows });
    if (part < 1) continue;
    const rowAt = (cell: number) => row + Math.floor(cell / numbers);
    const says = (cell: number) => {
      const where = layer ? `after layer ${layer}` : 'before layer 1';
      const name = capital(tokenName(story.rows[rowAt(cell)], shape));
      const number = cell % numbers;
      return `${name} ${where}, number ${number + 1}: ${signed(story.tokenAt(layer, rowAt(cell))[number])}`;
    };
    pen.hit(rect, numbers, rows, says, row < prefix ? {} : { patch: (cell) => story.rows[rowAt(cell)] - prefix });
  }
  if (part === 1 && layer <= story.layer) pen.mark(scene.rowOf(layer, story.row), alpha);
  const pointed = scene.pointed < 0 ? -1 : story.rows.indexOf(prefix + scene.pointed);
  if (pointed >= 0) pen.mark(scene.rowOf(layer, pointed), alpha, scene.ink.text);
}

/** The table that patches fly into, and then the tokens that have none. */
function drawFirstTable(scene: Scene) {
  const { pen, m, world, story, pictures, outside: alpha } = scene;
  const { shape, numbers } = story;
  const { rows } = story;
  const table = world.tables[0];
  if (m.after('tokens') < 0 || !pen.fade(alpha)) return;
  const joined = m.go('tokens', 2.7, 3.5);
  for (let row = 0; row < rows.length; row++) {
    const patch = rows[row] - shape.prefix;
    const rect = scene.rowOf(0, row);
    const at = 0.5 + (1.2 * patch) / (shape.rows * shape.columns);
    const side = Math.min(rect.h, 11);
    const fly = m.go('tokens', at, at + 0.8);
    const small = { x: table.x - side - 5, y: rect.y, w: side, h: rect.h };
    if (patch >= 0 && fly > 0 && pen.fade(alpha)) scene.drawPiece(patch, moved(scene.pieceOf(patch), small, fly));
    if (joined === 1) continue;
    const own = m.lin('tokens', 1.3, 1.4);
    const wipe = patch < 0 ? 1 : row === story.row ? own : m.lin('tokens', at + 0.6, at + 1);
    const falling = patch < 0 ? 40 * (1 - joined) : 0;
    const part = { x: 0, y: row, w: numbers * wipe, h: 1 };
    if (pen.fade(patch < 0 ? alpha * joined : alpha))
      pen.image(pictures.tables[0], { ...rect, y: rect.y - falling, w: rect.w * wipe }, part);
  }
  pen.fade(alpha);
  if (joined === 1) drawTable(scene, 0, alpha);
  pen.mark(scene.rowOf(0, story.row), alpha * m.go('tokens', 1.2, 1.5));
  const leaves = 1 - m.go('query', 0, 0.5);
  pen.mark(scene.queryRow(0), alpha * joined * leaves);
  if (pen.fade(alpha * m.go('tokens', 3, 3.6) * leaves)) labelTable(scene);
}

function labelTable(scene: Scene) {
  const { pen, world, story, shape, ink } = scene;
  const { x, y, w } = world.tables[0];
  for (let row = 0; row < shape.prefix; row++) {
    const rect = scene.rowOf(0, row);
    const name = tokenName(row, shape).replace('the ', '');
    if (row && rect.h * pen.scale < pen.size) break;
    if (world.isTall) pen.text(row ? '' : name, x + w, y, { align: 'right', dy: -6, color: ink.text });
    else pen.text(name, x, rect.y + rect.h / 2, { align: 'right', base: 'middle', dx: -8, color: ink.text });
  }
  const drawn = story.rows.length - shape.prefix;
  const some = shape.prefix + drawn < story.weightCount ? `, ${drawn} patches drawn` : '';
  const first = story.numbers < story.model.embed_dim ? `, the first ${story.numbers} drawn` : '';
  pen.text(`${story.weightCount} tokens${some}`, x + w, y, { dx: 16, dy: pen.size });
  pen.text(`of ${story.model.embed_dim} numbers${first}`, x + w, y, { dx: 16, dy: 2.4 * pen.size });
}

export function drawTiles(scene: Scene) {
  const { pen, m, world, story, shape } = scene;
  const started = m.go('query', 0, 0.4);
  for (let layer = 0; layer < shape.layers; layer++)
    for (let head = 0; head < shape.heads; head++) {
      const isOwn = layer === story.layer;
      if (isOwn && head === story.head) continue; // see drawHead
      const rect = world.tiles[layer][head];
      const alpha = started * (isOwn ? (1 - scene.inHead) * (1 - scene.inAnswer) : scene.outside);
      if (!pen.fade(alpha) || !pen.sees(rect)) continue;
      pen.frame(rect);
      const at = 0.8 + (0.6 * head) / shape.heads;
      const part = isOwn ? m.go('heads', at, at + 0.6) : scene.shown(layer + 1);
      if (!pen.fade(alpha * part)) continue;
      const cells = { x: head * shape.columns, y: 0, w: shape.columns, h: shape.rows };
      pen.image(scene.pictures.tiles[layer], rect, cells);
      if (part === 1) scene.hitTile(rect, layer, head);
    }
}
