/* The Compare page. */

import type { Catalog } from '../lib/api';
import type { Host } from '../lib/client';
import { ComparePage } from './state.svelte';
import './compare.css';

export { default } from './Compare.svelte';
export const open = (host: Host<Catalog>) => new ComparePage(host);
