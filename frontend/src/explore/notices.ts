/* The status line and the live region. */

import type { Explorer } from './state.svelte';

export const WORKING = 'Working…';

/** Show a sentence in the status line until the next action; null clears it. */
export declare function showNotice(explorer: Explorer, sentence: string | null, isError?: boolean): void;
/** Clear a notice, except "Working…". */
export declare function clearNotice(explorer: Explorer): void;
export declare function showWaiting(explorer: Explorer): void;
/** Clear earlier notices and show "Working…" if the reply takes long. */
export declare function startWaiting(explorer: Explorer): void;
export declare function stopWaiting(explorer: Explorer): void;
/** Announce the view to screen readers, preceded by the action just taken. */
export declare function speakSoon(explorer: Explorer, delay: number, action?: string): void;
