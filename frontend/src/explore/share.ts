/* Links and figures of the view. */

import type { ShownView } from '../lib/api';
import { isRefusal, reasonOf } from '../lib/client';
import { saveAs } from '../lib/dom';
import { MEAN } from '../lib/numbers';
import { writeAddress } from './actions';
import { showNotice, showWaiting, stopWaiting } from './notices';
import { requestAblated } from './requests';
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

/** What is on screen, as Python draws it. */
export function shownView({ choices, reply, targetClass }: Explorer): ShownView {
  const { layer, head, pins, direction, method, target, scale, smooth, outlines } = choices;
  return {
    method,
    layer: nullable(layer),
    head: nullable(head),
    patches: pins,
    direction,
    target: [targetClass, ...target.slice(1)],
    scale,
    smooth,
    outlines: outlines / 100,
    truth: reply?.image.truth ?? null,
  };
}

export async function saveFigure(explorer: Explorer) {
  const { reply: about } = explorer;
  if (!about) return;
  showWaiting(explorer);
  const request = { content: 'view', format: 'png', size: 'content', view: shownView(explorer), link: null } as const;
  const reply = await requestAblated(explorer, 'figure', request);
  if (about !== explorer.reply) return;
  stopWaiting(explorer);
  if (!reply || isRefusal(reply)) return showNotice(explorer, reasonOf(reply), true);
  saveAs(reply.name, reply.src);
  showNotice(explorer, `Saved as ${reply.name}.`);
}
