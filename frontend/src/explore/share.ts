/* The view as a link, and as Python draws it. */

import type { ShownView } from '../lib/api';
import { MEAN, POOL } from '../lib/numbers';
import { writeAddress } from './actions';
import { showNotice } from './notices';
import type { Explorer } from './state.svelte';

export async function copyLink(explorer: Explorer) {
  writeAddress(explorer);
  const rest = explorer.choices.image?.kind === 'upload' ? ' It does not contain the uploaded image.' : '';
  try {
    await navigator.clipboard.writeText(location.href);
    showNotice(explorer, `Link copied.${rest}`);
  } catch {
    showNotice(explorer, `The browser does not allow copying: copy the link from the address bar.${rest}`);
  }
}

const nullable = (index: number) => (index === MEAN ? null : index);

/** What is on screen, as Python draws it. */
export function shownView({ choices, reply, targetClass, view }: Explorer): ShownView {
  const { layer, head, pins, direction, method, target, scale, smooth, outlines } = choices;
  return {
    method,
    layer: layer === POOL ? 'pool' : nullable(layer),
    head: nullable(head),
    patches: pins,
    direction,
    target: [targetClass, ...target.slice(1)],
    scale,
    smooth,
    outlines: outlines / 100,
    truth: reply?.image.truth ?? null,
    pixels: choices.pixels,
    foreground: false,
    other: null,
    ...view.panel?.shown,
  };
}
