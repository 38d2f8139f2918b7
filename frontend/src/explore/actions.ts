/* What the user chooses by buttons and keys. */

import { ANNOUNCE_DELAY } from '../lib/host';
import type { Head, Layer } from '../lib/view';
import { toggledHead } from '../session/ablation';
import { insideLine } from '../session/panel';
import { isRemoved, toggled } from '../session/selection';
import type { Session } from '../session/session.svelte';
import { removedLine } from '../session/viewSentences';

export const ABLATIONS = 'Ablated heads need'; // of `insideLine`

export function chooseHead(session: Session, layer: Layer, head: Head, delay = ANNOUNCE_DELAY) {
  session.show({ layer, head, ...session.leaving }, delay);
}

/** Show what a model without head is good for, in place of the attention. */
export function showFeaturesFirst(session: Session) {
  const { explanation, hasHead, view } = session;
  if (!hasHead && !explanation?.shape.captured && view.content === 'attention') session.show({ content: 'features' });
}

export function queryClassToken(session: Session) {
  session.pointer.move({ hover: -1 });
  session.show({ query: [], ...session.leaving }, 0);
}

/** Pin or unpin a patch; with `add`, together with the patches pinned before. */
export function pinPatch(session: Session, patch: number, add: boolean) {
  const { explanation, pointer, view } = session;
  if (!explanation) return;
  if (isRemoved(patch, explanation.shape)) return session.status.say(removedLine(patch, explanation.shape));
  const isPinned = view.query.includes(patch);
  const adds = pointer.addsPatches || add;
  const single = isPinned ? [] : [patch];
  pointer.move({ addsPatches: adds });
  session.show({ query: adds ? toggled(view.query, patch) : single, ...session.leaving });
  session.announce(ANNOUNCE_DELAY, isPinned ? 'Unpinned. ' : 'Pinned. ');
}

/** Show a method large, or the heads if it is already shown. */
export function chooseMethod(session: Session, method: string) {
  session.show(session.view.method === method ? session.leaving : { content: 'method', method });
}

/** Choose the class that class-specific methods explain. */
export function chooseClass(session: Session, k: number) {
  const { target } = session.view;
  retarget(session, [k, ...(target[1] === k ? [] : target.slice(1))]);
}

/** Choose the contrast class by its index as text; '' for none. */
export function chooseContrast(session: Session, text: string) {
  const first = session.targetClass;
  retarget(session, text === '' || Number(text) === first ? [first] : [first, Number(text)]);
}

function retarget(session: Session, target: number[]) {
  const { explanation, view } = session;
  if (!explanation) return;
  const isDefault = target.length === 1 && target[0] === explanation.predictedClass;
  session.show({ target: isDefault ? [] : target });
  if (view.content === 'method') return;
  const [name, contrast] = session.targetNames;
  session.status.say(`Attribution methods now explain ${name}${contrast ? `, contrasted with ${contrast}` : ''}.`);
}

/** Ablate or restore the selected head. */
export function toggleHead(session: Session) {
  const { engine, explanation, view, ablation } = session;
  const { layer, head } = view;
  if (!engine.isLive || !explanation || typeof layer !== 'number' || typeof head !== 'number') return;
  if (explanation.shape.captured) return session.status.say(insideLine(ABLATIONS));
  session.show(session.leaving, 0);
  session.ablate({ heads: toggledHead(ablation.heads, layer, head) });
}

/** Remove or restore a patch. */
export function togglePatch(session: Session, patch: number) {
  const { engine, view, ablation } = session;
  if (!engine.isLive) return;
  session.show({ query: view.query.filter((pin) => pin !== patch), ...session.leaving }, 0);
  session.ablate({ patches: toggled(ablation.patches, patch) });
}

/** Switch between pinning and removing patches by a click. */
export function toggleRemoving({ pointer, status }: Session) {
  pointer.move({ removes: !pointer.removes });
  status.say(null);
  status.speak(pointer.removes ? 'Clicks remove patches.' : 'Clicks pin patches again.');
}
