/* Pointer and keys on the image and the map. */

import type { Attachment } from 'svelte/attachments';
import { GRID_KEYS, isShortcut, patchAt } from '../lib/dom';
import { middlePatch, neighbour } from '../lib/grid';
import type { Session } from '../session/session.svelte';
import { pinPatch, queryClassToken, togglePatch } from './actions';

/** Point at the patch under the pointer or chosen by keys; on the map a touch reads a patch. */
export function trackPointer(session: Session, name: 'hover' | 'read'): Attachment<HTMLElement> {
  const { pointer } = session;
  let drag: { first: number; removes: boolean; isMoving: boolean } | null = null; // over patches to remove or restore

  const shape = () => session.explanation?.shape;
  const isRemoved = (patch: number) => session.ablation.patches.includes(patch);

  function startDrag(stage: HTMLElement, event: PointerEvent) {
    const grid = shape();
    const first = grid ? patchAt(stage, event, grid) : -1;
    const canDrag = name === 'hover' && pointer.removes && event.pointerType !== 'touch' && first >= 0;
    drag = canDrag ? { first, removes: !isRemoved(first), isMoving: false } : null;
  }

  function dragOver(patch: number, buttons: number) {
    if (!drag || patch < 0 || !(buttons & 1)) return;
    if (patch !== drag.first) drag.isMoving = true;
    if (!drag.isMoving) return;
    for (const one of [drag.first, patch]) {
      if (isRemoved(one) !== drag.removes) togglePatch(session, one);
    }
  }

  function move(patch: number, delay?: number) {
    if (session.explanation && patch !== pointer[name]) session.point({ [name]: patch }, delay);
  }

  function click(stage: HTMLElement, event: PointerEvent) {
    const grid = shape();
    if (!grid || drag?.isMoving) return;
    const patch = patchAt(stage, event, grid);
    if (patch < 0) return;
    if (name === 'hover' && pointer.removes) togglePatch(session, patch);
    else if (name === 'read' && event.pointerType === 'touch') move(pointer.read === patch ? -1 : patch);
    else pinPatch(session, patch, event.shiftKey);
  }

  function press(event: KeyboardEvent) {
    const grid = shape();
    if (!grid || isShortcut(event)) return;
    const current = pointer[name];
    const from = current >= 0 ? current : (session.view.query[0] ?? middlePatch(grid));
    if (GRID_KEYS.includes(event.key)) move(neighbour(from, event.key, grid), 0);
    else if ((event.key === 'Enter' || event.key === ' ') && current >= 0) pinPatch(session, current, event.shiftKey);
    else if (event.key === 'Escape') leave();
    else if ((event.key === 'Delete' || event.key === 'Backspace') && current >= 0) togglePatch(session, current);
    else return;
    event.preventDefault();
  }

  function leave() {
    pointer.move({ [name]: -1 });
    queryClassToken(session);
  }

  return (stage) => {
    stage.addEventListener('pointermove', (event) => {
      const grid = shape();
      if (!grid || event.pointerType === 'touch') return;
      const patch = patchAt(stage, event, grid);
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
