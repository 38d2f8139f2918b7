/* Headline and status line of what is drawn. */

import type { ScoresReply } from '../lib/api';
import { methodLine } from '../lib/faithfulness';
import { MEAN, POOL, type Shape } from '../lib/numbers';
import {
  capital,
  headHeadline,
  headLine,
  type Line,
  mapName,
  methodHeadline,
  patchName,
  queryName,
} from '../lib/words';
import { isRemoved } from './selection';
import type { View } from './view.svelte';

export const removedLine = (patch: number, shape: Shape) =>
  `${capital(patchName(patch, shape))} is removed: it neither attends nor is attended to.`;

const hasRemovedQuery = ({ query, layer }: View, shape: Shape) =>
  layer !== POOL && query.length > 0 && query.every((patch) => isRemoved(patch, shape));

export function headlineOf(view: View): string {
  const { shape, map, methodInfo, query, layer, head } = view;
  if (view.panel?.headline) return view.panel.headline;
  if (!shape || !map) return 'What the model attends to';
  if (methodInfo) return methodHeadline(methodInfo, view.classes, map.values, shape);
  if (view.isHeadAblated) return `${mapName(layer, head)} is ablated`;
  if (hasRemovedQuery(view, shape)) {
    return `${capital(queryName(query, shape))} ${query.length > 1 ? 'are' : 'is'} removed`;
  }
  return headHeadline(viewOf(view), shape);
}

export function lineOf(view: View, faithfulness: ScoresReply | null, hasHead = true): Line {
  const { shape, map, methodInfo, readoutPatch } = view;
  if (view.panel) return view.panel.line;
  if (!shape || !map) return [];
  if (methodInfo) {
    if (isRemoved(readoutPatch, shape)) return [`${capital(patchName(readoutPatch, shape))} is removed.`];
    return methodLine(methodInfo, map.values, readoutPatch, map.scale, faithfulness, view.classes[0], shape);
  }
  if (view.isHeadAblated)
    return [`${ablatedLine(view)} ${hasHead ? 'Prediction shows' : 'The later layers show'} the effect.`];
  if (hasRemovedQuery(view, shape)) {
    return ['Removed patches neither attend nor are attended to. Choose another patch, or the class token.'];
  }
  return isRemoved(readoutPatch, shape) ? [removedLine(readoutPatch, shape)] : headLine(viewOf(view), shape);
}

const FROM_POOL = { query: [], direction: 'from' } as const; // whatever the query of the layers is

const viewOf = ({ map, query, direction, layer, head, readoutPatch }: View) => ({
  row: map?.values as Float32Array,
  ...(layer === POOL ? FROM_POOL : { query, direction }),
  layer,
  head,
  read: readoutPatch,
});

/** State what replaces the output of the ablated head, or of all heads of a mean. */
function ablatedLine({ mode, layer, head }: View): string {
  const usesMean = mode === 'mean';
  if (layer === MEAN || head === MEAN) {
    return `The outputs of all its heads are replaced by ${usesMean ? 'their means over the sample images' : 'zero'}.`;
  }
  return `Its output is replaced by ${usesMean ? 'its mean over the sample images' : 'zero'}.`;
}
