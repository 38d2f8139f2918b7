/* The Compare page. */

import type { Host } from '../lib/host';
import { Comparison } from './comparison.svelte';
import '../lib/stage.css';
import './compare.css';

export { default } from './Compare.svelte';
export const open = (host: Host) => new Comparison(host, host.engine);
