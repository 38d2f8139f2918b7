/* Show the explanation of an image. */

import type { ExplainReply, ImageChoice } from '../lib/api';
import { afterPaint, isImageUrl } from '../lib/dom';
import { sharpestHead } from '../lib/numbers';
import { percent } from '../lib/words';
import { readShapeParams, type ShapeParams } from './address';
import { announceSoon, showNotice, stopWaiting } from './notices';
import { whyNot } from './panel';
import { fetchAblation, fetchMethods, METHODS_DELAY } from './requests';
import { sourceOf } from './rows';
import type { Explorer } from './state.svelte';

export async function decodeImage(src: string): Promise<HTMLImageElement | null> {
  const node = new Image();
  node.src = isImageUrl(src) ? src : '';
  try {
    await node.decode();
    return node;
  } catch {
    return null;
  }
}

const isSameImage = (one: ImageChoice, other: ImageChoice) => JSON.stringify(one) === JSON.stringify(other);

/** Replace the image on screen. */
export function show(
  explorer: Explorer,
  reply: ExplainReply,
  image: HTMLImageElement,
  shapeParams: ShapeParams | null,
) {
  const { choices, reply: old, shown } = explorer;
  const isSameGrid = old !== null && old.rows === reply.rows && old.columns === reply.columns;
  const { checkpoint, image: chosen } = choices;
  if (!chosen) return;
  if (shown && !shapeParams && !isSameImage(shown.image, chosen)) choices.target = []; // back to the predicted class
  // another model may number the classes differently
  const target =
    old && !shapeParams ? choices.target.map((k) => reply.classes.indexOf(old.classes[k])) : choices.target;
  choices.target = target.every((k) => k >= 0 && k < reply.classes.length) ? target : [];
  const { layers, heads, rows, columns, aspect, prefix, classToken, distilled } = reply;
  Object.assign(explorer, {
    reply,
    image,
    shown: { checkpoint, image: chosen },
    failedModel: null,
    attention: sourceOf(reply.cls, reply.pool, reply.onDemand),
    shape: {
      layers,
      heads,
      rows,
      columns,
      aspect,
      prefix,
      classToken,
      distilled,
      pooled: reply.pool !== null,
      removed: [],
    },
    maps: reply.maps,
    mapsOf: null,
    faithfulness: null,
    ablation: null,
    previousChanges: { ...explorer.previousChanges, ablated: [], removed: [] },
    fullAttentionFailed: false,
  });
  clampChoices(explorer, shapeParams, isSameGrid, shown?.checkpoint === checkpoint);
  explorer.view.releaseMethod();
  const reason = whyNot(choices.view, reply.classes.length);
  if (reason) choices.view = 'attention';
  stopWaiting(explorer); // now, as a late "Working…" would replace later notices
  explorer.markers.full = undefined;
  if (reason) showNotice(explorer, reason);
  requestAnimationFrame(() => finishShowing(explorer, reply));
}

/** Keep the choices that the new model and grid allow; another model opens with its sharpest late head. */
function clampChoices(explorer: Explorer, shapeParams: ShapeParams | null, isSameGrid: boolean, isSameModel: boolean) {
  const { choices, shape, attention } = explorer;
  const opening = sharpestHead(shape, attention?.defaultRows ?? new Float32Array());
  const { layer, head } = isSameModel ? choices : opening;
  Object.assign(choices, { layer: Math.min(layer, shape.layers - 1), head: Math.min(head, shape.heads - 1) });
  choices.hover = choices.readoutPatch = -1;
  if (shapeParams) Object.assign(choices, readShapeParams(shapeParams, shape, opening));
  else Object.assign(choices, { ablated: [], removed: [], pins: isSameGrid ? choices.pins : [] });
  choices.isMultiPatchQuery = choices.pins.length > 1 || (choices.isMultiPatchQuery && choices.pins.length > 0);
}

function finishShowing(explorer: Explorer, reply: ExplainReply) {
  if (explorer.reply !== reply) return;
  explorer.markers.state = 'ready';
  explorer.view.draw();
  revealThumb(explorer);
  const { predictedClass: best, choices } = explorer;
  const prediction = explorer.hasHead
    ? `Predicted: ${reply.classes[best]}, ${percent(reply.probabilities[best], 1)}. `
    : '';
  announceSoon(explorer, 0, prediction);
  if (choices.ablated.length || choices.removed.length) fetchAblation(explorer);
  else fetchMethods(explorer, explorer.host.live ? METHODS_DELAY : 0);
  afterPaint(() => {
    explorer.markers.ready = reply.key;
  });
}

/** Scroll the chosen thumbnail into view. */
function revealThumb({ root }: Explorer) {
  const thumb = root?.querySelector<HTMLElement>('.thumb[aria-pressed=true]');
  const frame = thumb?.closest('.samples, .gallery .thumbs');
  if (thumb && frame) frame.scrollTop = thumb.offsetTop - thumb.offsetHeight;
}
