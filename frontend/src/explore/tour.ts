/* The tour of the Explore page: what it says and where, and whether it was dismissed. */

export interface Stop {
  /** Selector of what the stop is about. */
  target: string;
  title: string;
  text: string;
}

export const STOPS: readonly Stop[] = [
  {
    target: '.image-column .stage',
    title: 'The image is cut into patches',
    text: 'Point at a patch: all maps now show what this patch attends to. Click to pin it. Otherwise the class token, from which the prediction is read, is the query.',
  },
  {
    target: '.map-column .stage',
    title: 'One head, enlarged',
    text: 'The color bar below gives the attention weight of each color. Point at the map to read the weights; 1 × uniform is what every token gets if none is preferred.',
  },
  {
    target: '.matrix-column',
    title: 'All layers and heads',
    text: 'Each tile is the same map of another head. Click one to enlarge it. How far each head looks is measured in Internals, “Attention distance”.',
  },
  {
    target: '.prediction-column',
    title: 'Does it matter for the prediction?',
    text: 'Attention is not an explanation. Ablate a head or remove patches to see the probabilities change, or choose a class: the methods below estimate which patches it depends on, and are tested against random orders.',
  },
];

const KEY = 'vitviz-intro';

/** Whether the introduction was dismissed in this browser; storage may be unavailable. */
export function isDismissed() {
  try {
    return localStorage.getItem(KEY) === 'dismissed';
  } catch {
    return false;
  }
}

export function dismiss() {
  try {
    localStorage.setItem(KEY, 'dismissed');
  } catch {
    // it is offered again next time
  }
}

/** The stop that a key leads to; null ends the tour. */
export function stopAfter(key: string, at: number): number | null | undefined {
  if (key === 'Escape') return null;
  if (key === 'ArrowRight') return Math.min(at + 1, STOPS.length - 1);
  if (key === 'ArrowLeft') return Math.max(at - 1, 0);
  return undefined;
}
