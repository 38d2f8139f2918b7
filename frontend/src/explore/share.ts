/* Links and figures of the view. */

import { isRefusal, reasonOf } from '../lib/client';
import { saveAs } from '../lib/dom';
import { MEAN } from '../lib/numbers';
import { writeAddress } from './actions';
import { showNotice, showWaiting, stopWaiting } from './notices';
import { requestAblated, requestCached } from './requests';
import type { Explorer } from './state.svelte';

export async function copyLink(explorer: Explorer) {
  writeAddress(explorer);
  const rest = explorer.choices.image?.kind === 'upload' ? ' It does not contain the uploaded image.' : '';
  try {
    await navigator.clipboard.writeText(location.href);
    showNotice(explorer, `Link copied.${rest}`);
  } catch {
    showNotice(explorer, `The browser does not allow copying: copy the link from the address bar.${rest}`);
  }
}

const nullable = (index: number) => (index === MEAN ? null : index);

export async function saveFigure(explorer: Explorer) {
  const { reply: about, choices } = explorer;
  if (!about) return;
  showWaiting(explorer);
  const { layer, head, pins: patches, direction, method, target } = choices;
  const view = { layer: nullable(layer), head: nullable(head), patches, direction, method, target };
  const reply = await (method ? requestCached : requestAblated)(explorer, 'figure', view);
  if (about !== explorer.reply) return;
  stopWaiting(explorer);
  if (!reply || isRefusal(reply)) return showNotice(explorer, reasonOf(reply), true);
  saveAs(reply.name, reply.src);
  showNotice(explorer, `Saved as ${reply.name}.`);
}
