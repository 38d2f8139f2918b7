/* Files of a figure, drawn by Python. */

import type { ProbeFigureRequest } from '../lib/api';
import { isRefusal, reasonOf } from '../lib/client';
import { saveAs } from '../lib/dom';
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

/** Copy a figure as PNG and return what to say. The browser allows it only right after a click, so it gets a promise. */
export async function copyFigure(page: InternalsPage, probe: Probe): Promise<string> {
  const image = request(page, probe, 'png').then(async ({ src }) => (await fetch(src)).blob());
  const refusal = image.then(
    () => '',
    (error: Error) => error.message,
  );
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': image })]);
    return 'Copied as PNG.';
  } catch {
    return (await refusal) || 'The browser does not allow copying: save the figure instead.';
  }
}
