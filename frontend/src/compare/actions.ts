/* Choices of the user, and what is read out. */

import { printedAddress } from '../lib/address';
import type { CompareFigureRequest } from '../lib/api';
import { ANNOUNCE_DELAY, isServed, NOT_DRAWN, reasonOf, WORKING_DELAY } from '../lib/client';
import { saveAs, saveBlob } from '../lib/dom';
import type { FigureFormat } from '../lib/export/files';
import { refusalOf } from '../lib/files';
import { uploaded as imageOf } from '../lib/images';
import { refresh } from './requests';
import { EMPTY, type Kind, type ViewState } from './sides';
import type { ComparePage, Reading, Shown } from './state.svelte';
import { writeAddress } from './write';

/** Compare something else; B starts with its default. */
export function chooseKind(page: ComparePage, kind: Kind) {
  if (kind === page.kind) return;
  Object.assign(page, { kind, own: EMPTY, removing: false, linked: null });
  refresh(page, 'pushState');
}

/** Change what A shows, and B where it shows the same. */
export function chooseA(page: ComparePage, change: Partial<ViewState>) {
  page.a = { ...page.a, ...change };
  refresh(page);
}

/** Change what B alone shows. */
export function chooseB(page: ComparePage, change: Partial<ViewState>) {
  page.own = { ...page.own, ...change };
  refresh(page);
}

export function chooseSide(page: ComparePage, side: 'a' | 'b', change: Partial<ViewState>) {
  if (change.image) page.uploading[side] = null;
  if (side === 'a') chooseA(page, change);
  else chooseB(page, change);
}

/** Another model may number classes differently and have other heads and patches. */
export function chooseModel(page: ComparePage, side: 'a' | 'b', checkpoint: string) {
  if (side === 'a') page.own = { ...page.own, ablated: [], removed: [] };
  chooseSide(page, side, side === 'a' ? { checkpoint, target: null } : { checkpoint });
}

/** How heads are ablated, or patches removed. */
export function chooseMode(page: ComparePage, change: Partial<Pick<ComparePage, 'mode' | 'patchMode'>>) {
  Object.assign(page, change);
  refresh(page);
}

export const toggled = (list: readonly number[], one: number) =>
  list.includes(one) ? list.filter((other) => other !== one) : [...list, one].sort((a, b) => a - b);

/** A patch becomes the query, or is removed from B; the query patch again returns to the class token. */
export function pick(page: ComparePage, patch: number) {
  if (page.kind === 'ablation' && page.removing) return chooseB(page, { removed: toggled(page.own.removed, patch) });
  if (!page.hasQuery) return;
  if (page.shown && !page.isSimilarity && !page.shown.reply.difference && page.kind === 'model')
    return page.showNotice('The grids differ: the query stays the class token.');
  page.query = page.query[0] === patch && !page.isSimilarity ? [] : [patch];
  refresh(page);
}

export function queryClassToken(page: ComparePage) {
  if (!page.query.length || page.isSimilarity) return;
  page.query = [];
  refresh(page);
}

/** Read out a patch; a screen reader speaks once the pointer rests. */
export function read(page: ComparePage, reading: Reading | null) {
  page.reading = reading;
  clearTimeout(page.speaking);
  if (reading) page.speaking = setTimeout(() => (page.voice = page.sentence), ANNOUNCE_DELAY);
}

/** Upload a file for a side, or show why it is refused. */
export async function takeFile(page: ComparePage, side: 'a' | 'b', file: File) {
  const { upload, catalog } = page.host;
  if (!upload) return;
  const refusal = refusalOf(file, catalog.maxBytes);
  if (refusal) return page.showNotice(refusal, true);
  page.uploading[side] = file;
  const isCurrent = () => page.uploading[side] === file;
  const waiting = setTimeout(() => isCurrent() && page.showNotice('Working…'), WORKING_DELAY);
  const uploaded = await upload(file).catch(() => null);
  clearTimeout(waiting);
  if (!isCurrent()) return;
  if (uploaded) {
    chooseSide(page, side, { image: imageOf(uploaded.path, file.name) });
  } else {
    page.showNotice(`${file.name} could not be uploaded: the server is unreachable or full. Try again later.`, true);
  }
}

type Format = FigureFormat | CompareFigureRequest['format'];

export const FORMATS: readonly Format[] = ['png', 'svg', 'pdf', 'npz', 'csv'];

/** Download the comparison on screen as a file. */
export async function saveFigure(page: ComparePage, format: Format) {
  const { shown } = page;
  if (!shown) return;
  if (format === 'npz' || format === 'csv') return saveNumbers(page, shown, format);
  page.showNotice('Drawing…');
  const hasUpload = [page.a.image, page.b.image].some((image) => image?.kind === 'upload');
  try {
    const { drawFigure } = await import('./save/figure');
    const { name, blob } = await drawFigure(page, shown, format, hasUpload ? null : printedAddress());
    saveBlob(name, blob);
    page.showNotice(`Saved as ${name}.`);
  } catch {
    page.showNotice(NOT_DRAWN, true);
  }
}

/** Download the numbers, which the server writes. */
async function saveNumbers(page: ComparePage, shown: Shown, format: CompareFigureRequest['format']) {
  const reply = await page.host.request('compare_figure', { ...shown.request, format });
  if (!isServed(reply)) {
    return page.showNotice(reply ? reasonOf(reply) : 'An image has expired on the server. Choose it again.', true);
  }
  saveAs(reply.name, reply.src);
  page.showNotice(`Saved as ${reply.name}.`);
}

export async function copyLink(page: ComparePage) {
  writeAddress(page);
  const isUpload = [page.a.image, page.b.image].some((image) => image?.kind === 'upload');
  const rest = isUpload ? ' It does not contain the uploaded image.' : '';
  try {
    await navigator.clipboard.writeText(location.href);
    page.showNotice(`Link copied.${rest}`);
  } catch {
    page.showNotice(`The browser does not allow copying: copy the link from the address bar.${rest}`);
  }
}
