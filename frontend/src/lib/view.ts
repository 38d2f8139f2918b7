/* What is explained and what is shown of it, with the fields of `vitviz.view`, all of them set. */

import * as api from './routes';

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
export const DEFAULT_VIEW = api.VIEW_DEFAULTS as View;

export const NOTHING_ABLATED: Ablation = { heads: [], patches: [], mode: 'zero', patch_mode: 'drop' };

export const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** A subject without its ablations. */
export const wholeOf = (subject: Subject): Subject => ({ ...subject, ablations: [] });
