/* The address of the page, written after each comparison. */

import { uploadOf } from '../explore/address';
import { updateAddress } from '../lib/address';
import { addressOf, DEFAULTS } from './address';
import type { ComparePage } from './state.svelte';

export const params = () => new URLSearchParams(location.search);
export const named = () => `${params().get('checkpoint')} ${params().get('image')}`;

/** The uploaded images of both sides in the entry of the history. */
export const uploads = () => [uploadOf(history.state), uploadOf({ upload: history.state?.uploadB })] as const;

export function writeAddress(page: ComparePage, how: 'pushState' | 'replaceState' = 'replaceState') {
  const { kind, a, b, own, query, shown } = page;
  if (!page.root?.clientWidth || !shown) return; // another tab is shown
  const upload = (image: typeof a.image) => (image?.kind === 'upload' ? image : null);
  const values = addressOf(kind, a, own, query, shown.a.shape, page);
  updateAddress(values, DEFAULTS, how, { upload: upload(a.image), uploadB: upload(b.image) });
  page.followed = named();
}
