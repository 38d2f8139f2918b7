/* The figure on screen, in the address. */

import { listenWhile } from '../lib/dom';
import { CAPTIONS, type Probe } from './captions';
import type { InternalsPage } from './internalsPage.svelte';

const SETTLED = 200; // ms without scrolling

/** The first figure whose middle is below the upper end of the screen, or -1 at the top of the page.
    @param boxes of all figures, relative to the screen
    @param current the figure so far, which stays if it is in the same row */
export function figureAt(boxes: readonly { top: number; bottom: number }[], current = -1): number {
  if (boxes[0].top > 0) return -1;
  const first = boxes.findIndex(({ top, bottom }) => top + bottom > 0);
  return boxes[current]?.top === boxes[first]?.top ? current : first;
}

export const placeOf = (name: string | null): Probe | null =>
  CAPTIONS.find(({ probe }) => probe === name)?.probe ?? null;

/** Follow the user's scrolling. */
export function followScrolling(page: InternalsPage, root: HTMLElement): void {
  let settled: ReturnType<typeof setTimeout> | undefined;
  function read() {
    if (!root.clientWidth || !page.drawing) return; // another tab is shown
    const figures = [...root.querySelectorAll('figure')]; // a model may lack some of all captions
    const boxes = figures.map((figure) => figure.getBoundingClientRect());
    const current = figures.findIndex(({ dataset }) => dataset.probe === page.place);
    const probe = placeOf(figures[figureAt(boxes, current)]?.dataset.probe ?? null);
    if (probe !== page.place) page.stayAt(probe);
  }
  listenWhile(root, document, 'scroll', () => {
    clearTimeout(settled);
    settled = setTimeout(read, SETTLED);
  });
}
