/* Open a head in Explore, on the same model and the image that was shown there. */

import { updateAddress } from '../lib/address';
import type { Head } from './figure';
import type { InternalsPage } from './state.svelte';

export function openHead(page: InternalsPage, { layer, head }: Head): void {
  if (!page.shown) return;
  const { model } = page.shown;
  updateAddress({ model, layer: String(layer), head: String(head), content: null, method: null });
  page.host.route?.openHead({ checkpoint: model, layer, head });
  window.scrollTo(0, 0);
}
