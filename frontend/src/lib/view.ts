/* What is explained and what is shown of it, with the fields of `vitviz.view`; all fields are there. */

import type * as api from './routes';

type Kinds = Required<api.Subject>['image'];
type Complete<K> = K extends unknown ? Required<K> : never;
export type Image = Complete<Kinds>;
export type Upload = Required<api.Upload>;
export type Ablation = Required<api.Ablation>;
export type Subject = Required<Omit<api.Subject, 'image' | 'ablations'>> & { image: Image; ablations: Ablation[] };
export type View = Required<Omit<api.View, 'other'>> & { other: Image | null };
export type Content = View['content'];
export type Layer = View['layer'];
export type Head = View['head'];

/** The defaults of `vitviz.View`. */
export const DEFAULT_VIEW: View = {
  content: 'attention',
  layer: 'mean',
  head: 'mean',
  query: [],
  direction: 'from',
  method: null,
  target: [],
  truth: null,
  scale: 'shared',
  smooth: false,
  outlines: 0.6,
  pixels: false,
  foreground: false,
  other: null,
};

export const NOTHING_ABLATED: Ablation = { heads: [], patches: [], mode: 'zero', patch_mode: 'drop' };

export const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** A subject without its ablations. */
export const wholeOf = (subject: Subject): Subject => ({ ...subject, ablations: [] });
