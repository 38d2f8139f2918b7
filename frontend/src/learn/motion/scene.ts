/* What is drawn at a moment: a function of the story, the stage and the time alone, so that it runs backwards as it runs
   forwards. A number is printed only in states that the model has; in between, nothing has a label. */

import { patchName, percent, signed, tokenName } from '../../lib/words';
import { cellOf, type Hit, type Ink, type Pen, type Rect } from './pen';
import type { Pictures } from './pictures';
import { keyAt, playheadAt, type Story, scannedAt } from './story';
import { clamp, type Moment } from './timeline';
import { HEAD, type World } from './world';

/** What is drawn, and on what. */
export interface Stage {
  story: Story;
  pictures: Pictures;
  world: World;
  ink: Ink;
  width: number; // px
  height: number;
}

const PREFIX_ROWS = 4; // height of a token before the patches, in rows

/** A moment on a stage: where its parts are, and how much of them is seen. */
export class Scene {
  readonly story: Story;
  readonly shape: Story['shape'];
  readonly world: World;
  readonly pictures: Pictures;
  readonly ink: Ink;
  readonly head: Rect; // that is magnified
  readonly query: string; // its name
  readonly scanned: number; // keys whose score is known
  readonly key: number;
  readonly playhead: number;
  // How far what is not the layer, not the head, or not the answer is out of sight.
  readonly inLayer: number;
  readonly inHead: number;
  readonly inAnswer: number;
  readonly outside: number;

  constructor(
    readonly pen: Pen,
    stage: Stage,
    readonly m: Moment,
    readonly pointed: number, // the patch under the pointer, -1 for none
  ) {
    const { story } = stage;
    [this.story, this.shape, this.world, this.pictures] = [story, story.shape, stage.world, stage.pictures];
    this.ink = stage.ink;
    this.head = stage.world.tiles[story.layer][story.head];
    this.query = tokenName(story.block.token, story.shape);
    [this.scanned, this.key, this.playhead] = [scannedAt(story, m), keyAt(story, m), playheadAt(story, m)];
    this.inLayer = m.go('query', 0.5, 1.4) * (1 - m.go('layers', 0, 1));
    this.inHead = m.go('query', 0.9, 1.9) * (1 - m.go('heads', 0.1, 1.2));
    this.inAnswer = m.go('answer', 0, 1.1) * (1 - m.go('whole', 0.3, 1.5));
    this.outside = (1 - this.inLayer) * (1 - this.inAnswer);
  }

  /** The place of a number on the scale of all lists of numbers. */
  place = (value: number) => this.story.scales.numbers.place(value);

  /** A patch in a picture of all. */
  cellOf = (rect: Rect, patch: number) => cellOf(rect, patch, this.shape.columns, this.shape.rows);

  /** A patch of the image, with the gaps between patches that it has been cut with. */
  pieceOf(patch: number, cut = 1): Rect {
    const { x, y, w, h } = this.cellOf(this.world.image, patch);
    const gap = 0.14 * cut;
    return { x: x + (w * gap) / 2, y: y + (h * gap) / 2, w: w * (1 - gap), h: h * (1 - gap) };
  }
  drawPiece(patch: number, rect: Rect) {
    const { photo } = this.pictures;
    this.pen.image(photo, rect, this.cellOf({ x: 0, y: 0, w: photo.width, h: photo.height }, patch));
  }

  /** The row of a token in the table before a layer; tokens without a patch are apart, on top. */
  rowOf(layer: number, row: number): Rect {
    const { x, y, w, h } = this.world.tables[layer];
    const { prefix } = this.shape;
    const apart = prefix ? PREFIX_ROWS * prefix + 1.5 : 0;
    const each = h / (apart + this.story.rows.length - prefix);
    return row < prefix
      ? { x, y: y + row * PREFIX_ROWS * each, w, h: (PREFIX_ROWS - 0.4) * each }
      : { x, y: y + (apart + row - prefix) * each, w, h: each };
  }
  queryRow = (layer: number) => this.rowOf(layer, this.story.rows.indexOf(this.story.block.token));

  /** How much of what a layer writes is there; 0 is the input. */
  shown(layer: number) {
    const { m, story, playhead } = this;
    if (layer > story.layer) return clamp(playhead - layer + 1);
    return m.go('query', 0.05 * layer, 0.4 + 0.05 * layer);
  }

  /** The cell of a token in the magnified head: in the grid, or apart from it. */
  cellOfToken(token: number): Rect {
    const { prefix } = this.shape;
    if (token >= prefix) return this.cellOf(this.head, token - prefix);
    const side = Math.min(52, 380 / prefix);
    const { isTall, inHead } = this.world;
    if (isTall) return inHead(token * (side + 10), -96, side, side);
    return inHead(-100, HEAD - (prefix - token) * (side + 8) + 8, side, side);
  }

  /** A list of numbers with its label above; once it is complete, each number can be read.
      @param name of a number, for the pointer: "q", or what says more */
  list(rect: Rect, values: ArrayLike<number>, label: string, name: string | Hit['says'], options: ListOptions = {}) {
    const { pen } = this;
    const { end = values.length, right = '' } = options;
    const isComplete = end >= values.length;
    pen.text(label, rect.x, rect.y, { dy: -8 });
    if (isComplete) pen.text(right, rect.x + rect.w, rect.y, { dy: -8, align: 'right', color: this.ink.text });
    pen.strip(values, rect, this.place, end);
    pen.frame(rect);
    const says = typeof name === 'string' ? (i: number) => `${name}, number ${i + 1}: ${signed(values[i])}` : name;
    if (isComplete) pen.hit(rect, values.length, 1, says);
  }

  /** A head as a small map can be read, and chosen. */
  hitTile(rect: Rect, layer: number, head: number) {
    const { story, shape } = this;
    const row = story.rowOf(layer, head);
    const of = shape.class_token || layer === story.layer ? '' : ' (mean over all patches as queries)';
    const says = (patch: number) =>
      `Layer ${layer + 1}, head ${head + 1}${of}, ${patchName(patch, shape)}: ${percent(row[shape.prefix + patch])}`;
    this.pen.hit(rect, shape.columns, shape.rows, says, { head: [layer, head] });
  }
}

interface ListOptions {
  end?: number; // numbers that are there
  right?: string; // above its right end
}
