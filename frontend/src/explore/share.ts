/* The view as a link. */

import type { Session } from '../session/session.svelte';

export async function copyLink({ status, explanation }: Session) {
  const isUpload = explanation?.subject.image.kind === 'upload';
  const rest = isUpload ? ' It shows the uploaded image for an hour, and afterwards another one.' : '';
  try {
    await navigator.clipboard.writeText(location.href);
    status.say(`Link copied.${rest}`);
  } catch {
    status.say(`The browser does not allow copying: copy the link from the address bar.${rest}`);
  }
}
