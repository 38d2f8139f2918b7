/* The Internals page. */

import type { Catalog } from '../lib/api';
import type { Host } from '../lib/client';
import { InternalsPage } from './state.svelte';
import './internals.css';

export { default } from './Internals.svelte';
export const open = (host: Host<Catalog>) => new InternalsPage(host);
