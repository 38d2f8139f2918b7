/* What the user chooses by buttons and keys. */

import { updateAddress } from '../lib/address';
import { ANNOUNCE_DELAY } from '../lib/client';
import { MEAN, placeOfLayer } from '../lib/numbers';
import { addressOf, DEFAULTS } from './address';
import { announceSoon, clearNotice, showNotice } from './notices';
import { fetchAblation, fetchMethods } from './requests';
import { isRemoved, toggled } from './selection';
import { removedLine } from './sentences';
import { type Choices, type Explorer, REMOVING } from './state.svelte';

/** Change the choices: clear notices, redraw, update the address. */
export function act(explorer: Explorer, change: Partial<Choices>, delay = ANNOUNCE_DELAY) {
  const { choices } = explorer;
  clearNotice(explorer);
  Object.assign(choices, change);
  choices.isMultiPatchQuery &&= choices.pins.length > 0; // without pinned patches the class token is the query
  explorer.view.scheduleDraw();
  announceSoon(explorer, delay);
  writeAddressSoon(explorer);
  explorer.showsJump = !explorer.mapIsInView;
}

/** Change what the pointer points at: redraw, but leave the address as it is. */
export function hover(explorer: Explorer, change: Partial<Choices>, delay = ANNOUNCE_DELAY) {
  clearNotice(explorer);
  Object.assign(explorer.choices, change);
  explorer.view.scheduleDraw();
  announceSoon(explorer, delay);
}

export function chooseHead(explorer: Explorer, layer: number, head: number, delay = ANNOUNCE_DELAY) {
  act(explorer, { layer, head, method: null }, delay);
}

export function queryClassToken(explorer: Explorer) {
  act(explorer, { pins: [], hover: -1, isMultiPatchQuery: false, method: null }, 0);
}

/** Pin or unpin a patch; with `add`, together with the patches pinned before. */
export function pinPatch(explorer: Explorer, patch: number, add: boolean) {
  const { shape, choices } = explorer;
  if (isRemoved(patch, shape)) return showNotice(explorer, removedLine(patch, shape));
  const isPinned = choices.pins.includes(patch);
  const isMultiPatchQuery = choices.isMultiPatchQuery || add;
  const single = isPinned ? [] : [patch];
  act(explorer, { method: null, isMultiPatchQuery, pins: isMultiPatchQuery ? toggled(choices.pins, patch) : single });
  announceSoon(explorer, ANNOUNCE_DELAY, isPinned ? 'Unpinned. ' : 'Pinned. ');
}

/** Show a method large, or the heads if it is already shown. */
export function chooseMethod(explorer: Explorer, key: string) {
  act(explorer, { method: explorer.choices.method === key ? null : key });
}

/** Return from a method to the heads; focus the selected tile, as the button disappears. */
export function leaveMethod(explorer: Explorer) {
  act(explorer, { method: null }, 0);
  focusTile(explorer);
}

/** Choose the class that class-specific methods explain. */
export function chooseClass(explorer: Explorer, k: number) {
  const { target } = explorer.choices;
  retarget(explorer, [k, ...(target[1] === k ? [] : target.slice(1))]);
}

/** Choose the contrast class by its index as text; '' for none. */
export function chooseContrast(explorer: Explorer, text: string) {
  const first = explorer.targetClass;
  retarget(explorer, text === '' || Number(text) === first ? [first] : [first, Number(text)]);
}

function retarget(explorer: Explorer, target: number[]) {
  if (!explorer.reply) return;
  const isDefault = target.length === 1 && target[0] === explorer.predictedClass;
  act(explorer, { target: isDefault ? [] : target });
  if (explorer.choices.method === null) {
    const [name, contrast] = explorer.targetNames;
    showNotice(explorer, `Attribution methods now explain ${name}${contrast ? `, contrasted with ${contrast}` : ''}.`);
  }
  fetchMethods(explorer);
}

/** Change the ablated heads, the removed patches or their replacement, and fetch the new prediction. */
export function ablate(explorer: Explorer, change: Partial<Choices>) {
  act(explorer, change, 0);
  fetchAblation(explorer);
}

/** Ablate or restore the selected head. */
export function toggleHead(explorer: Explorer) {
  const { reply, shape, choices, host } = explorer;
  const { layer, head, ablated } = choices;
  if (!host.live || !reply || layer < 0 || head === MEAN) return;
  ablate(explorer, { ablated: toggled(ablated, layer * shape.heads + head), method: null });
}

/** Remove or restore a patch. */
export function togglePatch(explorer: Explorer, patch: number) {
  if (!explorer.host.live) return;
  const { removed, pins } = explorer.choices;
  ablate(explorer, { removed: toggled(removed, patch), pins: pins.filter((pin) => pin !== patch), method: null });
}

/** Restore all heads and patches; focus the selected tile, as the button disappears. */
export function restoreAll(explorer: Explorer) {
  ablate(explorer, { ablated: [], removed: [] });
  focusTile(explorer);
}

/** Focus the tile of the selected head. */
export function focusTile({ root, shape, choices, view }: Explorer, options: FocusOptions = { preventScroll: true }) {
  view.draw(); // on a phone the row of the tile is hidden until drawn, and could not be focused
  const down = placeOfLayer(choices.layer, shape.layers);
  const right = placeOfLayer(choices.head, shape.heads);
  root?.querySelectorAll<HTMLElement>('.matrix .cell')[down * (shape.heads + 1) + right]?.focus(options);
}

/** Switch between pinning and removing patches by a click. */
export function toggleRemoving(explorer: Explorer) {
  explorer.removing = !explorer.removing;
  showNotice(explorer, null);
  explorer.voice = explorer.removing ? REMOVING : 'Clicks pin patches again.';
}

/** Write the view on screen into the address, by default into that of the current entry of the history. */
export function writeAddress(explorer: Explorer, how: 'pushState' | 'replaceState' = 'replaceState') {
  clearTimeout(explorer.writing);
  const { host, reply, choices, shape, shown } = explorer;
  if (!host.live || !reply || !shown || !explorer.isVisible) return;
  const { checkpoint, image } = shown;
  const upload = image.kind === 'upload' ? image : null; // a reload shows it again while the server has it
  updateAddress(addressOf(choices, image, shape, checkpoint), DEFAULTS, how, { upload });
}

/** Browsers limit the rate of address changes, so changes by held keys are debounced. */
export function writeAddressSoon(explorer: Explorer) {
  clearTimeout(explorer.writing);
  explorer.writing = setTimeout(() => writeAddress(explorer), 150);
}
