/* Back and Forward: each image is an entry of the history, which restores its view. */

import { writeAddress } from './actions';
import { imageParam, readAddress, unavailableSentences } from './address';
import { showNotice } from './notices';
import { load } from './requests';
import type { Choices, Explorer } from './state.svelte';

export const ENTRY_DELAY = 1000; // ms an image stays on screen to become an entry of its own

/** What is restored if the image of an entry cannot be shown: the choices of the image on screen. */
type Restorable = Pick<Explorer, 'shown' | 'recorded'> & { choices: Partial<Choices> };
let restorable: Restorable | null = null; // while an image is loading

/** Write the image on screen into the address, in a new entry of the history unless the last one was left at once. */
export function recordImage(explorer: Explorer): void {
  const image = JSON.stringify({ ...explorer.shown?.image, crop: undefined });
  const isOther = image !== explorer.recorded.image;
  const isLater = performance.now() - explorer.recorded.time >= ENTRY_DELAY;
  if (isOther) explorer.recorded = { image, time: performance.now() };
  writeAddress(explorer, isOther && isLater ? 'pushState' : 'replaceState');
}

/** On Back or Forward, show the image of the address with its view. */
export async function followHistory(explorer: Explorer): Promise<void> {
  const { catalog, choices, shown } = explorer;
  const params = new URLSearchParams(location.search);
  const requested = params.get('image');
  if (!shown || !requested) return;
  const [chosen, shapeParams] = readAddress(params, catalog, history.state);
  if (requested === imageParam(shown.image) && JSON.stringify(chosen.image) === JSON.stringify(shown.image)) return;
  const names = Object.keys(chosen) as (keyof Choices)[];
  const current: Partial<Choices> = Object.fromEntries(names.map((name) => [name, choices[name]]));
  const earlier = restorable?.shown === shown ? restorable : null; // of an entry that this one follows
  restorable = {
    shown,
    recorded: earlier?.recorded ?? explorer.recorded,
    choices: { ...current, ...earlier?.choices },
  };
  Object.assign(choices, chosen);
  if (!choices.image) return;
  explorer.recorded = { image: JSON.stringify(choices.image), time: -ENTRY_DELAY };
  const loading = load(explorer, choices.checkpoint, choices.image, shapeParams);
  const mine = explorer.ticket;
  await loading;
  if (mine !== explorer.ticket) return;
  const { recorded, choices: previous } = restorable;
  restorable = null;
  if (explorer.shown === shown) {
    Object.assign(choices, previous, shown);
    explorer.recorded = recorded;
    explorer.view.scheduleDraw();
    return;
  }
  const missing = unavailableSentences(params, catalog, choices);
  if (missing && !explorer.noticeIsError) showNotice(explorer, missing);
}
