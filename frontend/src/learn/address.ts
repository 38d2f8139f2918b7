/* What a link to a step carries besides model, image and step; layers, heads, patches and dimensions count from 1 in it. */

import { parsePatches, patchesParam, unavailable } from '../lib/address';
import type { Shape } from '../lib/numbers';
import { patchName } from '../lib/words';

/** What the reader chooses in the figures. */
export interface Choices {
  layer: number;
  head: number;
  patch: number;
  dimension: number;
  removed: readonly number[];
}

const NAMES: readonly (keyof Choices)[] = ['layer', 'head', 'patch', 'dimension', 'removed'];
const OF_STEP: Record<string, readonly (keyof Choices)[]> = {
  patches: ['patch'],
  embedding: ['patch', 'dimension'],
  positions: ['patch'],
  'class-token': ['patch'],
  attention: ['layer', 'head', 'patch'],
  heads: ['layer', 'head'],
  contributions: ['patch'],
  removal: ['removed'],
};
const OUTSIDE = 'Some removed patches of this link are not in the grid of this model: they are left out.';

/** The choices that the figure of a step shows, as parameters; null for the others. */
export function paramsOf(step: string, choices: Choices, shape: Shape): Record<string, string | null> {
  const shown = OF_STEP[step] ?? [];
  const texts = {
    layer: String(choices.layer + 1),
    head: String(choices.head + 1),
    patch: patchesParam([choices.patch], shape),
    dimension: String(choices.dimension + 1),
    removed: patchesParam(choices.removed, shape),
  };
  return Object.fromEntries(NAMES.map((name) => [name, shown.includes(name) ? texts[name] : null]));
}

const nearest = (value: number, count: number) => Math.min(count, Math.max(1, Math.round(value) || 1));

/** The nearest patch in the grid to "9-4", and whether it is that one. */
function nearestPatch(text: string, shape: Shape): [patch: number, isHere: boolean] {
  const [row, column] = text.split('-').map(Number);
  const patch = (nearest(row, shape.rows) - 1) * shape.columns + nearest(column, shape.columns) - 1;
  return [patch, patchesParam([patch], shape) === text];
}

/** Read the choices for a step from the address: the nearest ones that the model has, and sentences on what it lacks.
    @param dimensions width of its embedding */
export function readChoices(
  params: URLSearchParams,
  step: string,
  shape: Shape,
  dimensions: number,
): { choices: Partial<Choices>; missing: string[] } {
  const choices: Partial<Choices> = {};
  const missing: string[] = [];
  const counts = { layer: shape.layers, head: shape.heads, dimension: dimensions };
  for (const name of ['layer', 'head', 'dimension'] as const) {
    const text = params.get(name);
    if (!text || text === 'mean' || text === 'pool') continue; // of Explore
    const number = nearest(Number(text), counts[name]);
    choices[name] = number - 1;
    if (String(number) !== text) missing.push(unavailable(name, text, `${name} ${number}`));
  }
  const [first, ...pinned] = (params.get('patch') ?? '').split('_'); // Explore pins several
  if (first && !pinned.length) {
    const [patch, isHere] = nearestPatch(first, shape);
    choices.patch = patch;
    if (!isHere) missing.push(unavailable('patch', first, patchName(patch, shape)));
  }
  const removed = step === 'removal' && params.get('removed');
  if (removed) {
    choices.removed = parsePatches(removed, shape);
    if (choices.removed.length < removed.split('_').length) missing.push(OUTSIDE);
  }
  return { choices, missing };
}
