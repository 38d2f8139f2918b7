/* The rows of one query, for models whose full attention is too large to be sent. */

import { isBusy, pause, RETRY_DELAY, reasonOf } from '../lib/client';
import { type AttentionRows, type Direction, floatsOf, queryKey, uint16Of } from '../lib/numbers';
import { fallBackToClassToken } from './options';
import { requestAblated } from './requests';
import type { Explorer } from './state.svelte';

const MAX_BYTES = 2 ** 26; // of the rows that are kept

/** The attention of an image as it arrives: the rows of the default query, and those of attention pooling, if any.
    @param onDemand whether those of other queries arrive one by one */
export const sourceOf = (rows: string, pool: string | null = null, onDemand = false): AttentionRows => ({
  defaultRows: floatsOf(rows),
  pool: pool === null ? null : floatsOf(pool),
  full: null,
  rows: onDemand ? new Map() : null,
});

/** Store the rows of a query; the oldest ones make room. */
export function storeRows({ attention, view }: Explorer, text: string, patches: number[], direction: Direction) {
  const rows = attention?.rows;
  if (!rows) return;
  const found = Float32Array.from(uint16Of(text), (weight) => weight / 65535);
  for (const key of rows.keys()) {
    if ((rows.size + 1) * found.byteLength <= MAX_BYTES) break;
    rows.delete(key);
  }
  rows.set(queryKey(patches, direction), found);
  view.scheduleDraw();
}

/** Fetch the rows of the query on screen. There is one request at a time; a query that has changed meanwhile is fetched
    by the next drawing, so that the latest one wins. */
export async function fetchRows(explorer: Explorer, patches: number[], direction: Direction) {
  const { attention } = explorer;
  if (!attention || explorer.rowsOf === attention) return;
  explorer.rowsOf = attention;
  const reply = await requestAblated(explorer, 'rows', { patches, direction });
  if (isBusy(reply)) await pause(RETRY_DELAY);
  if (explorer.rowsOf === attention) explorer.rowsOf = null;
  if (explorer.attention !== attention) return;
  if (typeof reply === 'string') storeRows(explorer, reply, patches, direction);
  else if (isBusy(reply)) explorer.view.scheduleDraw();
  else fallBackToClassToken(explorer, reasonOf(reply));
}
