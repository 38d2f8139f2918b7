/* Events, places on a stage, and files. */

import { bytesOf } from './base64';
import type { Grid } from './grid';
import { SPACE } from './words';

export const ARROWS: readonly string[] = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'];
/** Keys that walk through a grid: arrows, Home and End in a row, Page Up and Page Down in a column. */
export const GRID_KEYS: readonly string[] = [...ARROWS, 'Home', 'End', 'PageUp', 'PageDown'];

/** Whether a key is a shortcut of the browser or the system, such as Alt and an arrow for Back. */
export const isShortcut = (event: KeyboardEvent) => event.altKey || event.ctrlKey || event.metaKey;

/** Call `done` once the view has been painted. Returns a function that cancels it: two calls may end in any order. */
export function afterPaint(done: () => void): () => void {
  const painted = new MessageChannel();
  painted.port1.onmessage = () => done();
  painted.port2.postMessage(null);
  return () => {
    painted.port1.onmessage = null;
  };
}

const marks = new WeakMap<HTMLElement, () => void>();

/** Set `data-ready` of a node to `key` once the view has been painted, unless another key is set meanwhile. */
export function markPainted(node: HTMLElement, key: string) {
  marks.get(node)?.();
  const mark = () => {
    node.dataset.ready = key;
  };
  marks.set(node, afterPaint(mark));
}

/** Listen on the document or the window while `element` is in the page: Gradio reports no unmounting. */
export function listenWhile<K extends keyof DocumentEventMap>(
  element: Element,
  target: Document,
  type: K,
  listener: (event: DocumentEventMap[K]) => void,
): void;
export function listenWhile<K extends keyof WindowEventMap>(
  element: Element,
  target: Window,
  type: K,
  listener: (event: WindowEventMap[K]) => void,
): void;
export function listenWhile(element: Element, target: EventTarget, type: string, listener: (event: never) => void) {
  target.addEventListener(type, function handle(event) {
    if (element.isConnected) listener(event as never);
    else target.removeEventListener(type, handle);
  });
}

/** Whether a URL is a data URL of an image, the only kind that Python sends. */
export const isImageUrl = (src: unknown): src is string => String(src).startsWith('data:image/');

/** Download a file. */
export function saveAs(name: string, href: string) {
  const link = document.createElement('a');
  link.href = href;
  link.download = name;
  link.click();
}

let savedUrl = ''; // of the last file; revoked by the next one, as the browser may still be reading it after the click

/** Download a file made in the browser. */
export function saveBlob(name: string, blob: Blob) {
  URL.revokeObjectURL(savedUrl);
  savedUrl = URL.createObjectURL(blob);
  saveAs(name, savedUrl);
}

/** The file in a data URL that Python sent. */
export function blobOf(src: string) {
  const [head, content] = src.split(',', 2);
  return new Blob([bytesOf(content)], { type: head.slice('data:'.length).replace(';base64', '') });
}

/** "2.5 MiB" */
export const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1).replace('.0', '')}${SPACE}MiB`;

/** CSS zoom of an element: distances on screen divided by it are pixels of its styles and sizes. */
export const zoomOf = (element: Element) => element.currentCSSZoom ?? 1; // some browsers lack it

/** The patch under the pointer, or -1. */
export function patchAt(stage: Element, event: { clientX: number; clientY: number }, shape: Grid) {
  const box = stage.getBoundingClientRect();
  const column = Math.floor(((event.clientX - box.left) / box.width) * shape.columns);
  const row = Math.floor(((event.clientY - box.top) / box.height) * shape.rows);
  const inside = column >= 0 && row >= 0 && column < shape.columns && row < shape.rows;
  return inside ? row * shape.columns + column : -1;
}

/** The upper left corner of a patch, as style values. */
export function cornerOf(patch: number, shape: Grid) {
  return {
    left: `${(100 * (patch % shape.columns)) / shape.columns}%`,
    top: `${(100 * Math.floor(patch / shape.columns)) / shape.rows}%`,
  };
}

/** Scroll a cell into its frame horizontally, without scrolling the page. */
export function scrollInto(frame: HTMLElement, cell: HTMLElement) {
  const margin = 12;
  const named = frame.querySelector<HTMLElement>('[role=rowheader]')?.offsetWidth ?? 0; // the row headers cover the cells
  const [left, right] = [cell.offsetLeft - named - margin, cell.offsetLeft + cell.offsetWidth + margin];
  if (left < frame.scrollLeft) frame.scrollLeft = left;
  else if (right > frame.scrollLeft + frame.clientWidth) frame.scrollLeft = right - frame.clientWidth;
}

/** Write to the clipboard; false if the browser does not allow it. Browsers allow it only right after a click, so they
    get the promise of the content; if it fails, the caller reports why. */
export async function copyToClipboard(type: string, content: Promise<Blob>): Promise<boolean> {
  content.catch(() => {});
  try {
    await navigator.clipboard.write([new ClipboardItem({ [type]: content })]);
    return true;
  } catch {
    return false;
  }
}

/** Whether letters typed into an element are text. */
export const takesText = (node: EventTarget | null) =>
  node instanceof Element &&
  node.matches('input:not([type=radio], [type=checkbox], [type=range]), select, textarea, [contenteditable]');
