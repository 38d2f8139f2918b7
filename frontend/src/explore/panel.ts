/* Views other than the attention: each takes the place of the matrix, and says what the large map shows. Loaded on demand. */

import type { Component } from 'svelte';
import type { ShownView } from '../lib/api';
import type { Term } from '../lib/terms';
import type { Line } from '../lib/words';
import type { Explorer, ViewName } from './state.svelte';
import type { LargeMap } from './view.svelte';

export interface Panel {
  /** Null while it is loading; undefined for the attention. */
  readonly map: LargeMap | null | undefined;
  readonly title: string;
  readonly headline: string;
  readonly line: Line;
  /** What is outside of the map. This and what follows is undefined or null for the attention. */
  readonly note: string | undefined;
  /** Quantity of the color bar, and its explanation. */
  readonly unit: string | undefined;
  readonly term: Term | undefined;
  /** What a saved figure of it needs besides the choices; null while it has nothing to show. */
  readonly shown: Partial<ShownView> | null;
  /** Value and remark at a patch of the map. */
  read(patch: number): [number: string, remark: string] | null;
}

export const VIEWS: [name: ViewName, title: string][] = [
  ['attention', 'Attention'],
  ['contributions', 'Contributions'],
  ['features', 'Features'],
  ['patching', 'Patching'],
];

const OF_LOGITS: readonly ViewName[] = ['contributions', 'patching'];
export const NO_LOGIT = 'This model has no classification head, so it has no logit to explain.';

/** Why a view is not there for a model with so many classes; undefined if it is. */
export const whyNot = (view: ViewName, classes: number) =>
  classes === 0 && OF_LOGITS.includes(view) ? NO_LOGIT : undefined;

export type PanelComponent = Component<{ explorer: Explorer; panel: Panel | null }>;
// biome-ignore lint/suspicious/noExplicitAny: each has a panel of its own type
type PanelModule = { default: Component<any> };

const PANELS: Record<Exclude<ViewName, 'attention'>, () => Promise<PanelModule>> = {
  contributions: () => import('./views/Contributions.svelte'),
  features: () => import('./views/Features.svelte'),
  patching: () => import('./views/Patching.svelte'),
};

/** The component of a view. */
export const importPanel = (name: Exclude<ViewName, 'attention'>) => PANELS[name]();
