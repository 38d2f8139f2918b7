/* The Train page. */

import type { Host } from '../lib/host';
import { isRefusal, post } from '../lib/server';
import { Runs } from './runs.svelte';
import './train.css';

export { default } from './Train.svelte';

/** Make the state once the catalog is there, which the server knows only after it has imported torch. */
export async function open(host: Host): Promise<Runs> {
  const catalog = await post('runs/catalog', {});
  if (isRefusal(catalog)) throw new Error(catalog.error);
  return new Runs(host, catalog);
}
