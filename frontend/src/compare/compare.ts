/* The Compare page. */

import type { Catalog } from '../lib/api';
import type { Host } from '../lib/client';
import { ServerEngine } from '../session/server';
import { Comparison } from './comparison.svelte';
import './compare.css';

export { default } from './Compare.svelte';
export const open = (host: Host<Catalog>) => new Comparison(host, new ServerEngine());
