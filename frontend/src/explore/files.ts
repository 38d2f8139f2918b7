/* Files that are dropped or pasted anywhere on the page. */

import { listenWhile } from '../lib/dom';
import type { Explorer } from './explorer.svelte';

export function acceptFiles(explorer: Explorer) {
  const { element } = explorer.host;
  for (const type of ['dragover', 'dragleave', 'drop'] as const) {
    listenWhile(element, document, type, (event) => acceptDrop(explorer, event));
  }
  listenWhile(element, document, 'paste', (event) => {
    if (explorer.isVisible) explorer.images.openFiles([...(event.clipboardData?.files ?? [])]);
  });
}

function acceptDrop(explorer: Explorer, event: DragEvent) {
  const { images, isVisible } = explorer;
  if (!isVisible || !event.dataTransfer?.types.includes('Files')) return;
  event.preventDefault();
  images.drag(event.type === 'dragover');
  if (event.type === 'drop') images.openFiles([...event.dataTransfer.files]);
}
