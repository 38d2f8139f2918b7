/* What replaces the attention: each content takes the place of the matrix, and says what the large map shows. */

import type { Term } from '../lib/terms';
import type { Content, View } from '../lib/view';
import type { Line } from '../lib/words';
import type { LargeMap } from './drawing.svelte';

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
  /** Whether there is something to save. */
  readonly isReady: boolean;
  /** What a saved figure shows besides the view. */
  readonly saved?: Partial<View>;
  /** Value and remark at a patch of the map. */
  read(patch: number): [number: string, remark: string] | null;
}

const OF_LOGITS: readonly Content[] = ['contributions', 'patching'];
export const NO_LOGIT = 'This model has no classification head, so it has no logit to explain.';

/** Why a content is not there for a model with so many classes; undefined if it is. */
export const whyNot = (content: Content, classes: number) =>
  classes === 0 && OF_LOGITS.includes(content) ? NO_LOGIT : undefined;
