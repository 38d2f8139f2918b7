/* Files of a figure, drawn by Python. */

import type { ProbeFigureRequest } from '../lib/api';
import { isRefusal, reasonOf } from '../lib/client';
import { blobOf, copyToClipboard, saveAs } from '../lib/dom';
import type { Probe } from './captions';
import type { InternalsPage } from './state.svelte';

export type Format = ProbeFigureRequest['format'];

export const FORMATS: readonly Format[] = ['png', 'svg', 'pdf', 'csv'];

async function request(page: InternalsPage, probe: Probe, format: Format) {
  const reply = await page.host.request('probe_figure', { ...(page.shown ?? page.request), probe, format });
  if (!reply || isRefusal(reply)) throw new Error(reasonOf(reply));
  return reply;
}

/** Download a figure, or its numbers, and return what to say. */
export async function saveFigure(page: InternalsPage, probe: Probe, format: Format): Promise<string> {
  try {
    const { name, src } = await request(page, probe, format);
    saveAs(name, src);
    return `Saved as ${name}.`;
  } catch (error) {
    return String((error as Error).message);
  }
}

/** Copy a figure as PNG and return what to say. */
export async function copyFigure(page: InternalsPage, probe: Probe): Promise<string> {
  const image = request(page, probe, 'png').then(({ src }) => blobOf(src));
  const copied = await copyToClipboard('image/png', image);
  return image.then(
    () => (copied ? 'Copied as PNG.' : 'The browser does not allow copying: save the figure instead.'),
    (error: Error) => error.message,
  );
}
