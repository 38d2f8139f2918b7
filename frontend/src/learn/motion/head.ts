/* Inside of a head: the query, the keys, their scores, and the weights. Its grid is its own small map, seen from near. */

import { colorIndex } from '../../lib/numbers';
import { capital, percent, signed, tokenName, written } from '../../lib/words';
import { workedRow } from '../attention';
import { moved, type Rect } from './pen';
import type { Scene } from './scene';
import { clamp } from './timeline';
import { HEAD } from './world';

export function colorOfToken({ story, ink }: Scene, token: number, isWeight: boolean) {
  const { scores, weights } = story.block;
  if (isWeight) return ink.seq[colorIndex(story.scales.weights, weights[token])];
  return ink.div[colorIndex(story.scales.scores, scores[token])];
}

export function drawHead(scene: Scene) {
  const { pen, m, story, shape, head, ink, scanned, inHead: near } = scene;
  const alpha = m.go('query', 0, 0.4) * (1 - scene.inAnswer);
  if (!pen.fade(alpha) || !pen.sees(head)) return;
  const turned = m.go('weights', 2.4, 3.5); // from scores to weights
  if (pen.fade(alpha * near)) pen.image(scene.pictures.photo, head);
  pen.fade(alpha);
  pen.frame(head);
  if (turned < 1) revealScores(scene, scanned - shape.prefix);
  if (pen.fade(alpha * turned)) pen.image(scene.pictures.weights, head);
  if (pen.fade(alpha * near)) drawApart(scene, turned > 0.5);
  printCells(scene, alpha * near, turned);
  if (near > 0.5) {
    hitCells(scene, m.after('weights', 3.5) >= 0);
    const hasWeights = m.after('weights', 3) >= 0;
    if (pen.fade(hasWeights ? near * m.go('weights', 3.5, 4) : near * m.go('scores', 0, 0.5) * (1 - turned)))
      pen.text(hasWeights ? 'weights, in %' : 'scores', head.x, head.y, { dy: -10 });
    if (m.isIn('scores') && scanned < story.weightCount) pen.mark(scene.cellOfToken(scene.key), near, ink.text);
  } else if (m.after('heads') > 0) scene.hitTile(head, story.layer, story.head);
  pen.mark(scene.cellOf(head, story.followed), near);
  if (scene.pointed >= 0) pen.mark(scene.cellOf(head, scene.pointed), alpha, ink.text);
  if (pen.fade((1 - near) * m.go('heads', 0.4, 1) * (1 - m.go('layers', 0, 1)))) pen.frame(head, ink.accent, 2, 2);
}

/** The scores of the first patches. */
function revealScores({ pen, shape, head, pictures }: Scene, known: number) {
  const cells = clamp(known, 0, shape.rows * shape.columns);
  const full = Math.floor(cells / shape.columns);
  const [w, h] = [head.w / shape.columns, head.h / shape.rows];
  for (const part of [
    { x: 0, y: 0, w: shape.columns, h: full },
    { x: 0, y: full, w: cells % shape.columns, h: 1 },
  ]) {
    pen.image(pictures.scores, { x: head.x, y: head.y + part.y * h, w: part.w * w, h: part.h * h }, part);
  }
}

/** Tokens without a patch. */
function drawApart(scene: Scene, isWeight: boolean) {
  const { pen, shape, world } = scene;
  for (let token = 0; token < shape.prefix; token++) {
    const cell = scene.cellOfToken(token);
    pen.fill(cell, token < scene.scanned ? colorOfToken(scene, token, isWeight) : scene.ink.fill);
    pen.frame(cell);
  }
  if (!shape.class_token) return;
  const [{ x, y, w, h }, end] = [scene.cellOfToken(0), scene.cellOfToken(shape.prefix - 1)];
  const name = shape.distilled ? 'class, distillation' : 'class token';
  if (world.isTall) pen.text(name, end.x + end.w, y + h / 2, { base: 'middle', dx: 6 });
  else pen.text(name, x + w / 2, y, { align: 'center', dy: -6 });
}

/** Scores or weights as text, where there is room. */
function printCells(scene: Scene, alpha: number, turned: number) {
  const { pen, head, shape } = scene;
  const { scores, weights } = scene.story.block;
  const isWeight = turned > 0.5;
  const isReal = turned === 0 || turned === 1;
  if ((head.w / shape.columns) * pen.scale < 2.1 * pen.size || !isReal || !pen.fade(alpha)) return;
  for (let token = 0; token < scene.scanned; token++) {
    const text = isWeight ? written(100 * weights[token], 1) : written(scores[token], 1);
    if (!isWeight || text !== '0.0') pen.value(text, scene.cellOfToken(token), colorOfToken(scene, token, isWeight));
  }
}

function hitCells(scene: Scene, hasWeights: boolean) {
  const { pen, shape, head, story } = scene;
  const says = (token: number) => {
    const name = capital(tokenName(token, shape));
    if (scene.scanned <= token) return `${name}: its score comes next`;
    const weight = hasWeights ? `, weight ${percent(story.block.weights[token])}` : '';
    return `${name}: score ${signed(story.block.scores[token])}${weight}`;
  };
  pen.hit(head, shape.columns, shape.rows, (i) => says(shape.prefix + i), { patch: (i) => i });
  for (let token = 0; token < shape.prefix; token++) pen.hit(scene.cellOfToken(token), 1, 1, () => says(token));
}

/** The panel of the query: the token, its query, a key, their products and the score. */
export function drawQuery(scene: Scene) {
  const { pen, m, story, world } = scene;
  const { block, model, layer } = story;
  const alpha = m.go('query', 1, 1.5) * (1 - m.go('weights', 0, 0.8));
  if (!pen.fade(alpha)) return;
  const line = (index: number) =>
    world.isTall ? world.inHead(0, -458 + 73 * index, HEAD, 30) : world.inHead(-610, 8 + 97 * index, 430, 36);
  const input = block.input.subarray(0, story.numbers);
  const land = m.go('query', 1.2, 2.3);
  if (land < 1) pen.strip(input, moved(scene.queryRow(layer), line(0), land), scene.place);
  else scene.list(line(0), input, story.inputName, capital(scene.query));
  const asked = m.go('query', 2.7, 3.4);
  if (asked > 0 && asked < 1) pen.strip(block.query, moved(line(0), line(1), asked), scene.place);
  const matrix = `LayerNorm, × query weights${model.qkv_bias ? ' + bias' : ''}`;
  if (asked === 1) scene.list(line(1), block.query, `${matrix}: query q`, 'q');
  if (m.isIn('scores', 'weights')) drawScore(scene, line, alpha);
}

function drawScore(scene: Scene, line: (index: number) => Rect, alpha: number) {
  const { pen, story, world, key: token, ink } = scene;
  const { rel_pos_bias: hasBias, scaled_width } = story.model;
  const { query, key, products, product, bias, scores } = workedRow(story.block, token, scaled_width);
  scene.list(line(2), key, `key k of ${tokenName(token, scene.shape)}`, 'k');
  const says = (i: number) => `${signed(query[i])} × ${signed(key[i])} = ${signed(products[i])}`;
  scene.list(line(3), products, 'q × k, number by number', says);
  const { x, y, w } = line(4);
  const plus = hasBias ? `, position bias ${signed(bias)}` : '';
  pen.text(`sum ${signed(product)}, / √${scaled_width}${plus}`, x, y, { dy: 8 });
  const style = { align: 'right', size: pen.size + 5, isBold: true, color: ink.text } as const;
  pen.text(`score ${signed(scores[token])}`, x + w, y, { ...style, dy: 8 });
  if (world.isTall || !pen.fade(0.7 * alpha)) return;
  const [from, cell] = [line(2), scene.cellOfToken(token)];
  pen.line(ink.control, 1.2);
  pen.curve(from.x + from.w, from.y + from.h / 2, Math.min(cell.x, scene.head.x), cell.y + cell.h / 2);
}
