/* Files of a drawing. What only the page needs is loaded on request; a saved HTML file lacks it. */

import { pngFileOf } from './canvas';
import type { Drawing } from './drawing';
import { metadataOf, type Written } from './provenance';
import { svgOf } from './svg';

export type FigureFormat = 'png' | 'svg' | 'pdf';

/** The file of a drawing in a format, with its provenance. */
export async function fileOf(drawing: Drawing, format: FigureFormat, provenance: Written | null): Promise<Blob> {
  if (format === 'png') return pngFileOf(drawing, provenance);
  if (format === 'svg') {
    const metadata = await metadataOf(provenance, drawing, ({ pixels }) => pixels);
    return new Blob([await svgOf(drawing, metadata)], { type: 'image/svg+xml' });
  }
  const [{ embedded, pdfOf }, { rasterize }] = await Promise.all([import('./pdf'), import('./glyph')]);
  const metadata = await metadataOf(provenance, drawing, embedded);
  return new Blob([await pdfOf(drawing, metadata, rasterize)], { type: 'application/pdf' });
}

/** Words as a file name in plain letters. */
export const fileName = (words: readonly (string | false)[], ending: string) =>
  `${words
    .filter(Boolean)
    .join(' ')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_NAME)
    .replace(/^-|-$/g, '')}.${ending}`;

const MAX_NAME = 180; // characters; file systems allow 255
