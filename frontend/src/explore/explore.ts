/* The Explore page. */

import type { Host } from '../lib/host';
import { Explorer } from './explorer.svelte';
import './explore.css';
import './narrow.css';
import './present.css';
import './save.css';

export { default } from './Page.svelte';

export const open = (host: Host) => new Explorer(host);
