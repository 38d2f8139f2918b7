/* Files of a figure: as on screen, or its numbers, which the server writes. */

import { blobOf, copyToClipboard, saveBlob } from '../lib/dom';
import { type FigureFormat, fileName } from '../lib/export/files';
import { NOT_DRAWN } from '../lib/host';
import { post } from '../lib/server';
import type { Caption } from './captions';
import type { InternalsPage } from './internalsPage.svelte';

export type Format = FigureFormat | 'csv' | 'npz';

export const FORMATS: readonly Format[] = ['png', 'svg', 'pdf', 'csv', 'npz'];

interface Saved {
  name: string;
  blob: Blob;
}

async function makeFile(page: InternalsPage, caption: Caption, format: Format): Promise<Saved> {
  if (format !== 'csv' && format !== 'npz') {
    try {
      return await (await import('./save/savedFigure')).drawFigure(page, caption, format);
    } catch {
      throw new Error(NOT_DRAWN);
    }
  }
  const { probe } = caption;
  const choice = page.shown ?? page.choice;
  const { src } = await post('models/probe-file', { ...choice, probe, format });
  return { name: fileName(['vitviz', choice.model, probe], format), blob: blobOf(src) };
}

/** Download a figure, or its numbers, and return what to say. */
export async function saveFigure(page: InternalsPage, caption: Caption, format: Format): Promise<string> {
  try {
    const { name, blob } = await makeFile(page, caption, format);
    saveBlob(name, blob);
    return `Saved as ${name}.`;
  } catch (error) {
    return String((error as Error).message);
  }
}

/** Copy a figure as PNG and return what to say. */
export async function copyFigure(page: InternalsPage, caption: Caption): Promise<string> {
  const image = makeFile(page, caption, 'png').then(({ blob }) => blob);
  const copied = await copyToClipboard('image/png', image);
  return image.then(
    () => (copied ? 'Copied as PNG.' : 'The browser does not allow copying: save the figure instead.'),
    (error: Error) => error.message,
  );
}
