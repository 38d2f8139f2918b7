/* What replaces the attention: each content takes the place of the matrix, and says what the large map shows. */

import type { Term } from '../lib/terms';
import type { Content, View } from '../lib/view';
import type { Line } from '../lib/words';
import type { LargeMap } from './drawing.svelte';
import type { Explanation } from './explanation.svelte';

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
const OF_INSIDE: Partial<Record<Content, string>> = {
  contributions: 'Contributions need',
  features: 'Features need',
  patching: 'Activation patching needs',
};
/** Why a captured model does not have something.
    @param what "Contributions need" */
export const insideLine = (what: string) =>
  `${what} the inside of the model; of this one only the attention and outputs are known.`;
export const NO_LOGIT = 'This model has no classification head, so it has no logit to explain.';

/** Why a content is not there for an explanation; undefined if it is. */
export function whyNot(content: Content, { reply, shape }: Pick<Explanation, 'reply' | 'shape'>): string | undefined {
  const needs = OF_INSIDE[content];
  if (shape.captured && needs) return insideLine(needs);
  return !reply.classes.length && OF_LOGITS.includes(content) ? NO_LOGIT : undefined;
}
