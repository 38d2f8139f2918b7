/* Presentation: the image and the map, the map, or the matrix fills the window, with larger type. */

import { isShortcut, takesText } from '../lib/dom';
import type { Explorer } from './explorer.svelte';

export type Presentation = 'pair' | 'map' | 'matrix';

export const PRESENTATIONS: readonly [Presentation, string][] = [
  ['pair', 'Image and map'],
  ['map', 'Map'],
  ['matrix', 'Matrix'],
];

/** What the key F shows next. */
export function nextPresentation(shown: Presentation | null): Presentation {
  const index = PRESENTATIONS.findIndex(([name]) => name === shown);
  return PRESENTATIONS[(index + 1) % PRESENTATIONS.length][0];
}

export function present(explorer: Explorer, what: Presentation | null) {
  const { session } = explorer;
  if (!session.explanation || what === explorer.presented) return;
  explorer.present(what);
  session.status.say(null);
  const name = PRESENTATIONS.find(([shown]) => shown === what)?.[1];
  session.announce(0, name ? `${name} fill${what === 'pair' ? '' : 's'} the window. Escape leaves. ` : '');
}

/** F presents, or shows the next part; Escape leaves. A notebook page has other cells, so there F must be typed in its own. */
export function presentByKey(explorer: Explorer, event: KeyboardEvent) {
  const { root, presented, session } = explorer;
  if (!root || isShortcut(event) || document.querySelector('dialog[open]')) return;
  const isOwn = session.engine.isLive || event.target === document.body || root.contains(event.target as Node);
  if (event.key === 'Escape' && presented) present(explorer, null);
  else if (event.key.toLowerCase() === 'f' && isOwn && explorer.isVisible && !takesText(event.target)) {
    present(explorer, nextPresentation(presented));
  } else return;
  event.preventDefault();
  event.stopPropagation();
}
