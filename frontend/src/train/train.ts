/* The Train page. */

import type { Host } from '../lib/host';
import { post } from '../lib/server';
import { Runs } from './runs.svelte';
import './train.css';

export { default } from './Page.svelte';

/** Make the state once the catalog is there, which the server knows only after it has imported torch. */
export const open = async (host: Host) => new Runs(host, await post('runs/catalog', {}));
