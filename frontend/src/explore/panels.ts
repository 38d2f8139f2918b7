/* The contents other than the attention, loaded on demand. */

import type { Component } from 'svelte';
import type { Content } from '../lib/view';
import type { Panel } from '../session/panel';
import type { Explorer } from './explorer.svelte';

export type PanelName = Exclude<Content, 'attention' | 'method'>;

export const CONTENTS: [name: Exclude<Content, 'method'>, title: string][] = [
  ['attention', 'Attention'],
  ['contributions', 'Contributions'],
  ['features', 'Features'],
  ['patching', 'Patching'],
];

export type PanelComponent = Component<{ explorer: Explorer; panel: Panel | null }>;
// biome-ignore lint/suspicious/noExplicitAny: each has a panel of its own type
type PanelModule = { default: Component<any> };

const PANELS: Record<PanelName, () => Promise<PanelModule>> = {
  contributions: () => import('./views/Contributions.svelte'),
  features: () => import('./views/Features.svelte'),
  patching: () => import('./views/Patching.svelte'),
};

/** The component of a content; undefined for the attention and methods, which have the matrix. */
export const panelOf = (content: Content) => (content in PANELS ? PANELS[content as PanelName] : undefined);
