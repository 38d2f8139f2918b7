/* Files of the comparison on screen, and its link. */

import { printedAddress } from '../lib/address';
import { saveAs, saveBlob } from '../lib/dom';
import type { FigureFormat } from '../lib/export/files';
import { NOT_DRAWN } from '../lib/host';
import { isRefused } from '../lib/refused';
import type { Catalog, ComparisonFileRequest } from '../lib/routes';
import { post } from '../lib/server';
import { NEVER } from '../session/engine';
import type { Comparison } from './comparison.svelte';

export type Format = FigureFormat | ComparisonFileRequest['format'];

/** Without a server there are no files of numbers, and no library for PDF. */
export const formatsFor = ({ static: isStatic }: Pick<Catalog, 'static'>): readonly Format[] =>
  isStatic ? ['png', 'svg'] : ['png', 'svg', 'pdf', 'npz', 'csv'];

/** Download the comparison on screen as a file. */
export async function save(page: Comparison, format: Format) {
  const { shown } = page;
  if (!shown) return;
  page.status.say('Drawing…');
  try {
    const { drawFigure, nameOf } = await import('./save/comparisonFigure');
    const name = nameOf(shown.reply, format);
    let remark = '';
    if (format === 'npz' || format === 'csv') {
      saveAs(name, (await post('explanations/comparison-file', { ...shown.request, format }, NEVER)).src);
    } else {
      const provenance = await post('explanations/comparison-provenance', shown.request, NEVER).catch(() => null);
      if (!provenance)
        remark = ` It has no provenance${page.catalog.lists.static ? '' : ', as the server did not respond'}.`;
      saveBlob(name, await drawFigure(page, shown, format, hasUpload(page) ? null : printedAddress(), provenance));
    }
    page.status.say(`Saved as ${name}.${remark}`);
  } catch (error) {
    page.status.say(isRefused(error) ? error.message : NOT_DRAWN, true);
  }
}

export const hasUpload = ({ shown }: Comparison) =>
  [shown?.a, shown?.b].some((one) => one?.subject.image.kind === 'upload');
