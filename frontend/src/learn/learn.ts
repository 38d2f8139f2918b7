/* The Learn page. */

import type { Catalog } from '../lib/api';
import type { Host } from '../lib/client';
import { LearnPage } from './state.svelte';
import './learn.css';

export { default } from './Learn.svelte';
export const open = (host: Host<Catalog>) => new LearnPage(host);
