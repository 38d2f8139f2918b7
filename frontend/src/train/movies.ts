/* Animations of the timeline on screen. */

import { isRefusal, reasonOf } from '../lib/client';
import { saveBlob } from '../lib/dom';
import { bytesOf } from '../lib/numbers';
import { canEncodeVideo, ENCODING_FAILED, mp4Of } from '../lib/video';
import type { TrainPage } from './state.svelte';

/** Render the timeline of a source and save it as a file, MP4 encoded in the browser where it can; `rendered` is called
    before the file is saved. */
export async function saveMovie(page: TrainPage, source: string, ending: string, rendered: () => void) {
  const encodes = ending === '.mp4' && (await canEncodeVideo());
  const request = { source, image: page.timeline.image, ending: encodes ? '.webp' : ending };
  const reply = await page.host.request('movie', request);
  const movie = reply && !isRefusal(reply) ? new Blob([bytesOf(reply.content)]) : null;
  const file = movie && encodes ? await mp4Of(movie).catch(() => null) : movie;
  rendered();
  if (!movie || isRefusal(reply)) return page.showNotice(reasonOf(reply), true);
  if (!file) return page.showNotice(ENCODING_FAILED, true);
  const name = reply.name.replace(/\.webp$/, ending);
  saveBlob(name, file);
  page.showBriefly(`Saved as ${name}.`);
}
