/* Files of the comparison on screen, and its link. */

import { printedAddress } from '../lib/address';
import { saveAs, saveBlob } from '../lib/dom';
import type { FigureFormat } from '../lib/export/files';
import { NOT_DRAWN } from '../lib/host';
import type { ComparisonFileRequest } from '../lib/routes';
import { isRefused, NEVER } from '../session/engine';
import { ask } from '../session/server';
import type { Comparison } from './comparison.svelte';

type NumberFormat = ComparisonFileRequest['format'];
type Format = FigureFormat | NumberFormat;

export const FORMATS: readonly Format[] = ['png', 'svg', 'pdf', 'npz', 'csv'];

/** Download the comparison on screen as a file. */
export async function save(page: Comparison, format: Format) {
  page.status.say('Drawing…');
  try {
    const name = await (format === 'npz' || format === 'csv' ? saveNumbers(page, format) : saveFigure(page, format));
    page.status.say(`Saved as ${name}.`);
  } catch (error) {
    page.status.say(isRefused(error) ? error.message : NOT_DRAWN, true);
  }
}

async function saveNumbers({ shown }: Comparison, format: NumberFormat) {
  if (!shown) return '';
  const [{ nameOf }, { src }] = await Promise.all([
    import('./save/figure'),
    ask('explanations/comparison-file', { ...shown.request, format }, NEVER),
  ]);
  const name = nameOf(shown, format);
  saveAs(name, src);
  return name;
}

async function saveFigure(page: Comparison, format: FigureFormat) {
  const { shown } = page;
  if (!shown) return '';
  const [{ drawFigure, nameOf }, provenance] = await Promise.all([
    import('./save/figure'),
    ask('explanations/comparison-provenance', shown.request, NEVER).catch(() => null), // a figure is saved even without
  ]);
  const name = nameOf(shown, format);
  saveBlob(name, await drawFigure(page, shown, format, hasUpload(page) ? null : printedAddress(), provenance));
  return name;
}

export async function copyLink(page: Comparison) {
  const rest = hasUpload(page) ? ' It does not contain the uploaded image.' : '';
  try {
    await navigator.clipboard.writeText(location.href);
    page.status.say(`Link copied.${rest}`);
  } catch {
    page.status.say(`The browser does not allow copying: copy the link from the address bar.${rest}`);
  }
}

const hasUpload = ({ shown }: Comparison) => [shown?.a, shown?.b].some((one) => one?.subject.image.kind === 'upload');
