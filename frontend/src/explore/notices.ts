/* The status line and the live region. */

import { WORKING_DELAY } from '../lib/client';
import { textOf } from '../lib/words';
import type { Explorer } from './state.svelte';

const WORKING = 'Working…';

/** Show a sentence in the status line until the next action; null clears it. */
export function showNotice(explorer: Explorer, sentence: string | null, isError = false) {
  explorer.notice = sentence;
  explorer.noticeIsError = isError;
  if (sentence !== null) explorer.voice = sentence;
}

/** Clear a notice, except "Working…". */
export function clearNotice(explorer: Explorer) {
  if (explorer.notice !== WORKING) showNotice(explorer, null);
}

export function showWaiting(explorer: Explorer) {
  explorer.waiting ??= setTimeout(() => showNotice(explorer, WORKING), WORKING_DELAY);
}

/** Clear earlier notices and show "Working…" if the reply takes long. */
export function startWaiting(explorer: Explorer) {
  explorer.markers.state = 'working';
  stopWaiting(explorer);
  showNotice(explorer, null);
  showWaiting(explorer);
}

export function stopWaiting(explorer: Explorer) {
  clearTimeout(explorer.waiting);
  explorer.waiting = undefined;
  if (explorer.notice === WORKING) showNotice(explorer, null);
}

/** Announce the view to screen readers, preceded by the action just taken. */
export function announceSoon(explorer: Explorer, delay: number, action = '') {
  clearTimeout(explorer.speaking);
  explorer.speaking = setTimeout(() => {
    explorer.view.flushDraw();
    explorer.voice = `${action}${explorer.view.headline}. ${textOf(explorer.status)}`;
  }, delay);
}
