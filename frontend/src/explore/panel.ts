/* Views other than the attention: each takes the place of the matrix, and says what the large map shows. Loaded on demand. */

import type { Component } from 'svelte';
import type { Term } from '../lib/glossary';
import type { Line } from '../lib/words';
import type { Explorer, ViewName } from './state.svelte';
import type { LargeMap } from './view.svelte';

export interface Panel {
  /** Null while it is loading. */
  readonly map: LargeMap | null;
  readonly title: string;
  readonly headline: string;
  readonly line: Line;
  /** What is outside of the map. */
  readonly note: string;
  /** Quantity of the color bar, and its explanation. */
  readonly unit: string;
  readonly term: Term;
  /** Value and remark at a patch of the map. */
  read(patch: number): [number: string, remark: string];
}

export const VIEWS: [name: ViewName, title: string][] = [
  ['attention', 'Attention'],
  ['contributions', 'Contributions'],
  ['features', 'Features'],
];

type PanelModule = { default: Component<{ explorer: Explorer }> };

/** The component of a view. */
export const importPanel = (name: Exclude<ViewName, 'attention'>): Promise<PanelModule> =>
  name === 'contributions' ? import('./views/Contributions.svelte') : import('./views/Features.svelte');
