/* Pointer and keys on the image and the map. */

import type { Attachment } from 'svelte/attachments';
import { GRID_KEYS, isShortcut, patchAt } from '../lib/dom';
import { middlePatch, neighbour } from '../lib/grid';
import { hover, pinPatch, queryClassToken, togglePatch } from './actions';
import type { Explorer } from './state.svelte';

/** Store the patch under the pointer or chosen by keys in `choices[name]`; on the map a touch reads a patch. */
export function follow(explorer: Explorer, name: 'hover' | 'readoutPatch'): Attachment<HTMLElement> {
  const { choices } = explorer;
  let drag: { first: number; removes: boolean; isMoving: boolean } | null = null; // over patches to remove or restore

  function startDrag(stage: HTMLElement, event: PointerEvent) {
    const first = patchAt(stage, event, explorer.shape);
    const canDrag = name === 'hover' && explorer.removing && event.pointerType !== 'touch' && first >= 0;
    drag = canDrag ? { first, removes: !choices.removed.includes(first), isMoving: false } : null;
  }

  function dragOver(patch: number, buttons: number) {
    if (!drag || patch < 0 || !(buttons & 1)) return;
    if (patch !== drag.first) drag.isMoving = true;
    if (!drag.isMoving) return;
    for (const one of [drag.first, patch]) {
      if (choices.removed.includes(one) !== drag.removes) togglePatch(explorer, one);
    }
  }

  function move(patch: number, delay?: number) {
    if (explorer.reply && patch !== choices[name]) hover(explorer, { [name]: patch }, delay);
  }

  function click(stage: HTMLElement, event: PointerEvent) {
    if (!explorer.reply || drag?.isMoving) return;
    const patch = patchAt(stage, event, explorer.shape);
    if (patch < 0) return;
    if (name === 'hover' && explorer.removing) togglePatch(explorer, patch);
    else if (name === 'readoutPatch' && event.pointerType === 'touch')
      move(choices.readoutPatch === patch ? -1 : patch);
    else pinPatch(explorer, patch, event.shiftKey);
  }

  function press(event: KeyboardEvent) {
    if (!explorer.reply || isShortcut(event)) return;
    const current = choices[name];
    const from = current >= 0 ? current : (choices.pins[0] ?? middlePatch(explorer.shape));
    if (GRID_KEYS.includes(event.key)) move(neighbour(from, event.key, explorer.shape), 0);
    else if ((event.key === 'Enter' || event.key === ' ') && current >= 0) pinPatch(explorer, current, event.shiftKey);
    else if (event.key === 'Escape') leave();
    else if ((event.key === 'Delete' || event.key === 'Backspace') && current >= 0) togglePatch(explorer, current);
    else return;
    event.preventDefault();
  }

  function leave() {
    choices[name] = -1;
    queryClassToken(explorer);
  }

  return (stage) => {
    stage.addEventListener('pointermove', (event) => {
      if (!explorer.reply || event.pointerType === 'touch') return;
      const patch = patchAt(stage, event, explorer.shape);
      move(patch);
      dragOver(patch, event.buttons);
    });
    stage.addEventListener('pointerleave', (event) => {
      if (event.pointerType !== 'touch') move(-1);
    });
    stage.addEventListener('blur', () => move(-1));
    stage.addEventListener('pointerdown', (event) => startDrag(stage, event));
    stage.addEventListener('click', (event) => click(stage, event));
    stage.addEventListener('keydown', press);
  };
}

/** Whether the map is in view: a choice made elsewhere links to it. */
export function watchMap(explorer: Explorer): Attachment<HTMLElement> {
  return (stage) => {
    const observer = new IntersectionObserver(([entry]) => {
      explorer.mapIsInView = entry.isIntersecting;
      if (entry.isIntersecting) explorer.showsJump = false;
    });
    observer.observe(stage);
    return () => observer.disconnect();
  };
}
