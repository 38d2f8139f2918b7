/* The Internals page. */

import type { Host } from '../lib/host';
import { InternalsPage } from './internalsPage.svelte';
import './internals.css';

export { default } from './Internals.svelte';
export const open = (host: Host) => new InternalsPage(host);
