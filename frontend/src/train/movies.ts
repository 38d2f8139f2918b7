/* Animations of the timeline on screen. */

import { isRefusal, reasonOf } from '../lib/client';
import { saveContent } from '../lib/dom';
import type { TrainPage } from './state.svelte';

/** Render the timeline of a source and save it as a file; `rendered` is called before. */
export async function saveMovie(page: TrainPage, source: string, ending: string, rendered: () => void) {
  const reply = await page.host.request('movie', { source, image: page.timeline.image, ending });
  rendered();
  if (!reply || isRefusal(reply)) return page.showNotice(reasonOf(reply), true);
  saveContent(reply);
  page.showBriefly(`Saved as ${reply.name}.`);
}
