/* One Tab stop for a group of buttons: arrow keys, Home and End move the focus within it. */

import type { Attachment } from 'svelte/attachments';
import { GRID_KEYS, isShortcut } from '../lib/dom';

/** The button that a key moves to, of `count` in rows of `columns`; at an edge the same one. */
export function nextButton(index: number, key: string, count: number, columns: number): number {
  const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
  const next = index + (steps[key] ?? 0);
  if (key in steps) return next >= 0 && next < count ? next : index;
  return key === 'Home' || key === 'PageUp' ? 0 : count - 1;
}

const buttonsOf = (group: HTMLElement) => [...group.querySelectorAll<HTMLElement>('button:enabled')];

/** How many buttons are next to each other in the first row. */
function columnsOf(buttons: HTMLElement[]): number {
  const tops = buttons.map((button) => Math.round(button.getBoundingClientRect().top));
  return Math.max(1, tops.filter((top) => top === tops[0]).length);
}

/** Keep one button in the Tab order: the focused one, else the pressed one, else the first. */
export const roving: Attachment<HTMLElement> = (group) => {
  function update() {
    const buttons = buttonsOf(group);
    const isPressed = (button: HTMLElement) => button.getAttribute('aria-pressed') === 'true';
    const stop = buttons.find((button) => button === document.activeElement) ?? buttons.find(isPressed) ?? buttons[0];
    for (const button of buttons) button.tabIndex = button === stop ? 0 : -1;
  }

  function press(event: KeyboardEvent) {
    const buttons = buttonsOf(group);
    const index = buttons.indexOf(document.activeElement as HTMLElement);
    if (index < 0 || isShortcut(event) || !GRID_KEYS.includes(event.key)) return;
    event.preventDefault();
    buttons[nextButton(index, event.key, buttons.length, columnsOf(buttons))].focus();
  }

  const observer = new MutationObserver(update);
  observer.observe(group, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['aria-pressed', 'disabled'],
  });
  group.addEventListener('focusin', update);
  group.addEventListener('keydown', press);
  update();
  return () => {
    observer.disconnect();
    group.removeEventListener('focusin', update);
    group.removeEventListener('keydown', press);
  };
};
