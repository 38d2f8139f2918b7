/* The address of the page, written after each comparison. */

import { updateAddress } from '../lib/address';
import { heldUpload } from '../lib/images';
import { addressOf, DEFAULTS } from './address';
import { ablationOfB } from './sides';
import type { ComparePage } from './state.svelte';

export const params = () => new URLSearchParams(location.search);
export const named = () => `${params().get('model')} ${params().get('image')}`;

/** The uploaded images of both sides in the entry of the history. */
export const uploads = () => [heldUpload(history.state), heldUpload(history.state, 'uploadB')] as const;

export function writeAddress(page: ComparePage, how: 'pushState' | 'replaceState' = 'replaceState') {
  const { kind, a, b, own, query, shown } = page;
  if (!page.root?.clientWidth || !shown) return; // another tab is shown
  const upload = (image: typeof a.image) => (image?.kind === 'upload' ? image : null);
  const values = addressOf(kind, a, own, query, ablationOfB(page, shown.a.shape));
  updateAddress(values, DEFAULTS, how, { upload: upload(a.image), uploadB: upload(b.image) });
  page.followed = named();
}
