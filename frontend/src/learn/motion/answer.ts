/* All layers, the answer, and the way of the patch through them. */

import { largest } from '../../lib/numbers';
import { capital, percent, signed } from '../../lib/words';
import type { Rect } from './pen';
import type { Scene } from './scene';
import { readings } from './story';

/** The layers run, and below each table the class that the classifier head would read there. */
export function drawLayers(scene: Scene) {
  const { pen, m, world, ink, playhead } = scene;
  const alpha = m.go('layers', 0.8, 1.4) * (1 - scene.inAnswer);
  if (!pen.fade(alpha)) return;
  const now = Math.floor(playhead + 1e-6);
  const hasRoom = world.pitch * pen.scale > 5.5 * pen.size;
  world.tables.forEach((table, layer) => {
    const isNow = layer === now && m.isIn('layers');
    const [x, color] = [world.tiles[layer - 1]?.[0].x ?? table.x, layer > now ? ink.quiet : ink.text];
    pen.fade(alpha);
    const name = layer ? `layer ${layer}` : table.w * pen.scale > 4 * pen.size ? 'tokens' : '';
    if (hasRoom) pen.text(name, x, table.y, { dy: -7, color, isBold: isNow });
    if (isNow) pen.mark(table, alpha);
    if (layer <= now) drawReading(scene, table, layer, hasRoom && 150 * pen.scale > 2.6 * pen.size);
  });
  if (hasRoom) pen.text('image', world.image.x, world.image.y, { dy: -7, color: ink.text });
}

function drawReading({ pen, story, ink }: Scene, { x, y, w, h }: Rect, layer: number, hasRoom: boolean) {
  const { classes } = story.pass.explanation.reply;
  const lens = story.pass.lesson.lens[layer];
  if (!classes.length) return;
  const best = largest(lens);
  const bar = { x, y: y + h + 12, w, h: 14 };
  pen.fill(bar, ink.fill);
  pen.fill({ ...bar, w: w * lens[best] }, best === story.classes[0] ? ink.accent : ink.control);
  const words = `${short(classes[best])} ${percent(lens[best], lens[best] < 0.1 ? 1 : 0)}`;
  if (hasRoom) pen.text(words, x, bar.y + bar.h, { dy: pen.size + 2, color: ink.text });
  const where = layer ? `After layer ${layer}` : 'Before layer 1';
  const about = `${where} the classifier head would read ${readings(lens, classes, 3)}`;
  pen.hit({ ...bar, h: bar.h + 40 }, 1, 1, () => about);
}

const short = (name: string) => (name.length > 16 ? `${name.slice(0, 15)}…` : name);

/** Logits, and the probabilities that follow. */
export function drawAnswer(scene: Scene) {
  const { pen, m, story, world, ink } = scene;
  const alpha = m.go('answer', 0.5, 1.2);
  const { classes, probabilities } = story.pass.explanation.reply;
  if (!classes.length || !pen.fade(alpha)) return;
  const { bars } = world;
  const pitch = pitchOf(scene);
  const hasRoom = pitch * pen.scale > pen.size;
  const [name, value] = [Math.min(0.42 * bars.w, (11 * pen.size) / pen.scale), (5 * pen.size) / pen.scale];
  const track = { x: bars.x + name, w: bars.w - name - value };
  const leaves = 1 - m.go('whole', 0, 1);
  story.classes.forEach((k, n) => {
    const y = bars.y + n * pitch;
    const row = { ...track, y: y + 0.25 * pitch, h: 0.5 * pitch };
    const seen = alpha * (n ? leaves : 1); // the answer stays
    pen.fade(alpha);
    pen.fill(row, ink.fill);
    const grown = m.go('answer', 2.8, 3.8);
    if (grown > 0) pen.fill({ ...row, w: row.w * probabilities[k] * grown }, n ? ink.control : ink.accent);
    const [logit, probability] = [signed(story.pass.lesson.logits[k]), percent(probabilities[k], 1)];
    const says = () => `${capital(classes[k])}: logit ${logit}, probability ${probability}`;
    pen.hit({ ...bars, y, h: pitch }, 1, 1, says);
    if (!hasRoom) return;
    const style = { base: 'middle', align: 'right', isBold: !n } as const;
    if (pen.fade(seen))
      pen.text(short(classes[k]), track.x, row.y + row.h / 2, { ...style, dx: -10, color: n ? ink.quiet : ink.text });
    const [x, middle, color] = [bars.x + bars.w, y + pitch / 2, ink.text];
    if (pen.fade(alpha * m.go('answer', 1.6, 2) * (1 - m.go('answer', 2.6, 3))))
      pen.text(logit, x, middle, { ...style, color });
    if (pen.fade(seen * m.go('answer', 3.6, 4))) pen.text(probability, x, middle, { ...style, color });
  });
  if (!pen.fade(alpha * leaves * m.go('answer', 1.6, 2))) return;
  const unit =
    m.after('answer', 2.8) < 0 ? 'logits' : `${story.model.has_sigmoid ? 'sigmoid' : 'softmax'} of the logits`;
  const some = classes.length > story.classes.length ? `, ${story.classes.length} of ${classes.length} classes` : '';
  pen.text(unit + some, bars.x + bars.w, bars.y, { align: 'right', dy: -10 });
  drawRead(scene, alpha * leaves, pitch);
}

const pitchOf = ({ world, story }: Scene) => world.bars.h / Math.max(story.classes.length, 6);

/** Lines from what the classifier head reads to the classes, if they are next to each other. */
function drawRead(scene: Scene, alpha: number, pitch: number) {
  const { pen, m, story, world, shape, ink } = scene;
  const { bars } = world;
  const from = story.readsClassToken ? scene.queryRow(shape.layers) : world.tables[shape.layers];
  const [x, start] = [from.x + from.w, pen.x(from.x + from.w)];
  if (from.y < bars.y || from.y >= bars.y + bars.h) return;
  pen.text('LayerNorm, × weights', (x + bars.x) / 2, bars.y, { align: 'center', dy: -10 });
  pen.g.save();
  pen.g.beginPath();
  pen.g.rect(start, 0, (pen.x(bars.x) - start) * m.go('answer', 1.6, 2.4), pen.height);
  pen.g.clip();
  pen.fade(alpha);
  for (let n = 0; n < story.classes.length; n++) {
    pen.line(n ? ink.control : ink.accent, n ? 1 : 2);
    pen.curve(x, from.y + from.h / 2, bars.x, bars.y + (n + 0.5) * pitch);
  }
  pen.g.restore();
}

/** The way of the patch: its row until the layer, its cell there, then the row of the query, and the answer. */
export function drawRoute(scene: Scene) {
  const { pen, m, story, world, shape, ink } = scene;
  const f = m.go('whole', 1.6, 3.2);
  if (f <= 0) return;
  const layers = [...Array(shape.layers + 1).keys()];
  const stops = [
    scene.pieceOf(story.followed),
    ...layers.slice(0, story.layer + 1).map((layer) => scene.rowOf(layer, story.row)),
    scene.cellOf(scene.head, story.followed),
    ...layers.slice(story.layer + 1).map((layer) => scene.queryRow(layer)),
    ...(story.classes.length ? [{ ...world.bars, h: pitchOf(scene) }] : []),
  ];
  pen.fade(1);
  stops.slice(0, Math.ceil(f * stops.length)).forEach((stop, n) => {
    pen.frame(stop, ink.accent, 2, 1);
    const before = stops[n - 1];
    if (!before || stop.x < before.x) return; // the next line
    pen.line(ink.accent, pen.isSmall ? 1 : 2);
    pen.curve(before.x + before.w, before.y + before.h / 2, stop.x, stop.y + stop.h / 2);
  });
}
