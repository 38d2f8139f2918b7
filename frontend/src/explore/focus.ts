/* The focus after an action whose button disappears. */

import { flushSync } from 'svelte';
import { placeOfHead, placeOfLayer } from '../lib/numbers';
import type { Explorer } from './explorer.svelte';

/** Focus the tile of the selected head. */
export function focusTile({ root, session }: Explorer, options: FocusOptions = { preventScroll: true }) {
  const { explanation, view } = session;
  if (!explanation) return;
  flushSync(); // on a phone the row of the tile is hidden until then, and could not be focused
  const { layers, heads } = explanation.shape;
  const place = placeOfLayer(view.layer, layers) * (heads + 1) + placeOfHead(view.head, heads);
  root?.querySelectorAll<HTMLElement>('.matrix .cell')[place]?.focus(options);
}
