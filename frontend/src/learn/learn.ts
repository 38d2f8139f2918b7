/* The Learn page. */

import type { Host } from '../lib/host';
import { LearnPage } from './learnPage.svelte';
import './learn.css';
import './motion/motion.css';

export { default } from './Learn.svelte';
export const open = (host: Host) => new LearnPage(host);
