/* The Train page. */

import { type Host, isRefusal } from '../lib/client';
import { TrainPage } from './state.svelte';
import './train.css';

export { default } from './Train.svelte';

/** Make the state once the catalog is there, which the server knows only after it has imported torch. */
export async function open(host: Host<object>): Promise<TrainPage> {
  const catalog = await host.request('train_catalog', {});
  if (isRefusal(catalog)) throw new Error(catalog.error);
  return new TrainPage({ ...host, catalog });
}
