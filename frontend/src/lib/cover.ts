/* A part that covers the page: a presentation. */

/** Put a part above the rest of the page, which becomes inert. Returns a function that ends it.
    @param focused gets the focus then */
export function cover(root: HTMLElement, focused = document.activeElement): () => void {
  const others = outsideOf(root).filter((node) => !node.inert);
  for (const node of others) node.inert = true;
  root.popover = 'manual'; // in the top layer, also where an ancestor is transformed or clips
  const lift = () => document.fullscreenElement === root || root.showPopover?.();
  lift();
  root.addEventListener('fullscreenchange', lift);
  return () => {
    root.removeEventListener('fullscreenchange', lift);
    root.popover = null;
    if (document.fullscreenElement === root) document.exitFullscreen();
    for (const node of others) node.inert = false;
    if (focused instanceof HTMLElement && focused !== document.body) focused.focus({ preventScroll: true });
  };
}

/** The elements next to an element and next to its ancestors. */
function outsideOf(root: HTMLElement): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (let node = root; node.parentElement && node !== document.body; node = node.parentElement) {
    for (const other of node.parentElement.children) {
      if (other !== node && other instanceof HTMLElement) found.push(other);
    }
  }
  return found;
}

export async function toggleFullscreen({ root }: { root: HTMLElement | null }) {
  if (!root) return;
  if (document.fullscreenElement) return document.exitFullscreen();
  root.hidePopover?.(); // an open popover cannot fill the screen
  await root.requestFullscreen().catch(() => root.showPopover?.());
}
