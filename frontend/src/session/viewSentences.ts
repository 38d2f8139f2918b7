/* Headline and status line of what is drawn. */

import { methodLine } from '../lib/faithfulness';
import { MEAN, POOL, type Shape } from '../lib/numbers';
import type { Scores } from '../lib/routes';
import {
  capital,
  counted,
  headHeadline,
  headLine,
  type Line,
  mapName,
  methodHeadline,
  patchName,
  queryName,
} from '../lib/words';
import { headsIn, LACKING } from './ablation';
import type { Drawing } from './drawing.svelte';
import type { Pending } from './methods.svelte';
import { isRemoved } from './selection';

export const removedLine = (patch: number, shape: Shape) =>
  `${capital(patchName(patch, shape))} is removed: it neither attends nor is attended to.`;

export const pointedLine = (patch: number, shape: Shape) =>
  isRemoved(patch, shape) ? removedLine(patch, shape) : `${capital(patchName(patch, shape))}.`;

const hasRemovedQuery = ({ query, layer }: Drawing, shape: Shape) =>
  layer !== POOL && query.length > 0 && query.every((patch) => isRemoved(patch, shape));

export function headlineOf(drawing: Drawing): string {
  const { shape, map, method, query, layer, head } = drawing;
  if (drawing.panel?.headline) return drawing.panel.headline;
  if (!shape || !map) return 'What the model attends to';
  if (drawing.awaited) return `${drawing.awaited.name} is being computed`;
  if (method) return methodHeadline(method, drawing.classes, map.values, shape);
  if (drawing.whyEmpty === LACKING) return `Layer ${Number(layer) + 1} has no head ${Number(head) + 1}`;
  if (drawing.whyEmpty) return `${mapName(layer, head)} is ablated`;
  if (hasRemovedQuery(drawing, shape)) {
    return `${capital(queryName(query, shape))} ${query.length > 1 ? 'are' : 'is'} removed`;
  }
  return headHeadline(mapOf(drawing), shape);
}

export function lineOf(drawing: Drawing, scores: Scores | null, hasHead = true): Line {
  const { shape, map, method, read } = drawing;
  if (drawing.panel) return drawing.panel.line;
  if (!shape || !map) return [];
  if (method) {
    if (isRemoved(read, shape)) return [`${capital(patchName(read, shape))} is removed.`];
    return methodLine(method, map.values, read, map.scale, scores, drawing.classes[0], shape);
  }
  if (drawing.awaited) return [`Until then: ${mapName(drawing.layer, drawing.head)}.`];
  if (drawing.whyEmpty === LACKING)
    return [`This layer has ${counted(headsIn(drawing.layer, shape), 'head', 'heads')}, other layers more.`];
  if (drawing.whyEmpty)
    return [`${ablatedLine(drawing)} ${hasHead ? 'Prediction shows' : 'The later layers show'} the effect.`];
  if (hasRemovedQuery(drawing, shape)) {
    return ['Choose another patch, or the class token.'];
  }
  return isRemoved(read, shape) ? [removedLine(read, shape)] : headLine(mapOf(drawing), shape);
}

const FROM_POOL = { query: [], direction: 'from' } as const; // whatever the query of the layers is

const mapOf = ({ map, query, direction, layer, head, read }: Drawing) => ({
  row: map?.values as Float32Array,
  ...(layer === POOL ? FROM_POOL : { query, direction }),
  layer,
  head,
  read,
});

/** State what replaces the output of the ablated head, or of all heads of a mean. */
function ablatedLine({ ablation, layer, head }: Drawing): string {
  const usesMean = ablation.mode === 'mean';
  if (layer === MEAN || head === MEAN) {
    return `The outputs of all its heads are replaced by ${usesMean ? 'their means over the sample images' : 'zero'}.`;
  }
  return `Its output is replaced by ${usesMean ? 'its mean over the sample images' : 'zero'}.`;
}

/** Progress and ETA of the maps or scores of all methods, or what they wait for. */
export function pendingLine({ what, progress: { done, total, waiting }, since }: Pending, now: number): string {
  const name = what === 'maps' ? 'Maps' : 'Scores';
  const seconds = Math.round((now - since) / 1000);
  if (waiting) return `${name}: waiting for ${waiting}, for ${seconds} s.`;
  if (!total) return `${name}: started.`;
  const left = done ? seconds * (total / done - 1) : 0;
  const estimate = left < 90 ? `${Math.ceil(left)} s` : `${Math.round(left / 60)} min`;
  return `${name}: ${done} of ${total} forward passes${done && seconds > 1 ? `, about ${estimate} left` : ''}.`;
}
