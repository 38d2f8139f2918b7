/* What a link to a step carries besides model, image and step; layers, heads, patches and dimensions count from 0 in it. */

import { parseIndices, unavailable } from '../lib/address';
import { inGrid } from '../lib/grid';
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

const NAMES = { layer: 'layer', head: 'head', patch: 'query', dimension: 'dimension', removed: 'removed' } as const;
const OF_STEP: Record<string, readonly (keyof Choices)[]> = {
  overview: ['layer', 'head', 'patch'],
  patches: ['patch'],
  embedding: ['patch', 'dimension'],
  positions: ['patch'],
  'class-token': ['patch'],
  attention: ['layer', 'head', 'patch'],
  heads: ['layer', 'head'],
  question: ['layer'],
  removal: ['removed'],
};
const OUTSIDE = 'Some removed patches of this link are not in the grid of this model: they are left out.';

/** The choices that the figure of a step shows, as parameters; null for the others. */
export function paramsOf(step: string, choices: Choices): Record<string, string | null> {
  const shown = OF_STEP[step] ?? [];
  const names = Object.entries(NAMES) as [keyof Choices, string][];
  return Object.fromEntries(names.map(([name, param]) => [param, shown.includes(name) ? String(choices[name]) : null]));
}

const nearest = (text: string, count: number) => Math.min(count - 1, Math.max(0, Math.round(Number(text)) || 0));

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
    const number = nearest(text, counts[name]);
    choices[name] = number;
    if (String(number) !== text) missing.push(unavailable(name, text, `${name} ${number + 1}`));
  }
  const [first, ...pinned] = (params.get('query') ?? '').split(','); // Explore pins several
  if (first && !pinned.length) {
    const patch = nearest(first, shape.rows * shape.columns);
    choices.patch = patch;
    if (String(patch) !== first) missing.push(unavailable('patch', first, patchName(patch, shape)));
  }
  const removed = step === 'removal' && params.get('removed');
  if (removed) {
    choices.removed = parseIndices(removed).filter((patch) => inGrid(patch, shape));
    if (choices.removed.length < removed.split(',').length) missing.push(OUTSIDE);
  }
  return { choices, missing };
}
