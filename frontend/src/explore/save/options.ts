/* What the dialog offers, and the choice that the browser remembers. */

import type { AnimationFormat } from '../../lib/export/animation';
import type { FigureFormat } from '../../lib/export/files';
import type { View } from '../../lib/view';
import type { FileFormat } from '../../session/engine';

/** What is saved: of the attention and the methods, or all of another content. */
export type Content = 'view' | 'map' | 'matrix' | 'methods' | 'sheet' | 'layers' | 'patches' | 'images' | Panels;
type Panels = 'contributions' | 'features' | 'patching';
export type Size = 'content' | '16:9';
/** Figures and animations are drawn in the browser; the server writes arrays, tables, and the explorer. */
export type Format = FigureFormat | AnimationFormat | FileFormat;

export interface Choice {
  content: Content;
  format: Format;
  size: Size;
  link: boolean; // the address is printed in the caption
}

interface Info<K> {
  key: K;
  name: string;
  about: string;
}

interface ContentInfo extends Info<Content> {
  formats: readonly Format[];
}

const PANEL: readonly Format[] = ['png', 'svg', 'pdf', 'npz', 'csv'];
const FIGURE: readonly Format[] = ['png', 'svg', 'pdf'];
const WITHOUT_SERVER: readonly Format[] = ['png', 'svg'];
const ANIMATION: readonly Format[] = ['gif', 'mp4'];

export const CONTENTS: readonly ContentInfo[] = [
  {
    key: 'view',
    name: 'Whole view',
    about: 'Image, map, matrix and prediction',
    formats: [...FIGURE, 'npz', 'csv', 'html'],
  },
  { key: 'map', name: 'Map', about: 'The large map with its color bar', formats: FIGURE },
  { key: 'matrix', name: 'Matrix', about: 'All layers and heads, with means', formats: FIGURE },
  {
    key: 'methods',
    name: 'Methods',
    about: 'All attribution maps, with scores',
    formats: [...FIGURE, 'npz', 'csv'],
  },
  { key: 'sheet', name: 'Contact sheet', about: 'All layers and heads in large tiles', formats: FIGURE },
  { key: 'layers', name: 'Animation over layers', about: 'The head, or mean, layer by layer', formats: ANIMATION },
  { key: 'patches', name: 'Animation over patches', about: 'Each patch as the query in turn', formats: ANIMATION },
];

/** Of the views other than the attention: as on screen. */
const PANELS: readonly ContentInfo[] = [
  {
    key: 'contributions',
    name: 'Contributions',
    about: 'Image, map, bars that sum to the logit, and heads',
    formats: PANEL,
  },
  { key: 'features', name: 'Features', about: 'Image, map and all layers', formats: PANEL },
  { key: 'patching', name: 'Patching', about: 'Both images, map, heads and MLPs', formats: PANEL },
];
/** Below the explanation, whatever that shows. */
const SET: ContentInfo = {
  key: 'images',
  name: 'Several images',
  about: 'Each beside its map, on one scale',
  formats: FIGURE,
};
const ALL = [...CONTENTS, ...PANELS, SET];

export const FORMATS: Record<Format, { name: string; about: string }> = {
  png: { name: 'PNG', about: '300 dpi' },
  svg: { name: 'SVG', about: 'vector, text stays text' },
  pdf: { name: 'PDF', about: 'vector, text stays text' },
  npz: {
    name: 'NPZ',
    about: 'NumPy arrays: the large map, the maps of all layers and heads, probabilities, scale limits',
  },
  csv: { name: 'CSV', about: 'A table of all values, one a line, for a spreadsheet' },
  html: {
    name: 'HTML',
    about: 'This explorer as one file, opened on this view: works in any browser, without vitviz or a network',
  },
  gif: { name: 'GIF', about: '256 colors' },
  mp4: { name: 'MP4', about: 'encoded in this browser' },
};

export const SIZES: readonly [size: Size, name: string][] = [
  ['content', 'As content'],
  ['16:9', '16:9'],
];

/** What the page can save now. */
export interface Abilities {
  encodes: boolean; // MP4
  hasServer: boolean; // a saved file has none, and no library for PDF and animations
  layers: number;
  isUpload: boolean; // a link does not contain it
  shown: View['content']; // "attention" also while a method is shown
  hasMethods: boolean; // their maps and scores; left out for a large model
  hasSet: boolean; // several images are shown
}

const info = (content: Content) => ALL.find(({ key }) => key === content) ?? CONTENTS[0];

export const isFigure = (choice: Choice): choice is Choice & { format: FigureFormat } => FIGURE.includes(choice.format);
export const isAnimation = (
  choice: Choice,
): choice is Choice & { content: 'layers' | 'patches'; format: AnimationFormat } =>
  info(choice.content).formats === ANIMATION;
/** Whether a preview is drawn: not of animations over patches, which have many frames. */
export const hasPreview = (choice: Choice) => isFigure(choice) || choice.content === 'layers';

/** What is drawn for the preview: browsers show no PDF or MP4 as an image. */
export const previewed = (choice: Choice): Choice => ({
  ...choice,
  format: choice.format === 'pdf' ? 'svg' : choice.format === 'mp4' ? 'gif' : choice.format,
});

/** What a file without a preview holds. */
export const describe = ({ content, format }: Choice) =>
  content === 'patches'
    ? 'One frame per patch, of fine grids every second or third row and column: drawing them takes a while'
    : format === 'npz' && info(content).formats === PANEL
      ? 'NumPy arrays: all numbers of this view'
      : FORMATS[format].about;

export function contentsFor({ layers, shown, hasMethods, hasSet, hasServer }: Abilities) {
  const contents = shown === 'attention' ? CONTENTS : PANELS.filter(({ key }) => key === shown);
  return [...contents, ...(hasSet ? [SET] : [])].filter(
    ({ key, formats }) =>
      (key !== 'layers' || layers > 1) && (key !== 'methods' || hasMethods) && (hasServer || formats !== ANIMATION),
  );
}

export const formatsOf = (content: Content, { encodes, hasServer }: Abilities) =>
  info(content).formats.filter(
    (format) => (format !== 'mp4' || encodes) && (hasServer || WITHOUT_SERVER.includes(format)),
  );

/** Whether the file can state the address of the view. */
export const canPrintLink = (choice: Choice, { isUpload, hasServer }: Abilities) =>
  hasServer && !isUpload && choice.content !== 'images' && (isFigure(choice) || isAnimation(choice));

/** The choice, or the nearest one that is offered. */
export function nearestOffered(choice: Choice, abilities: Abilities): Choice {
  const contents = contentsFor(abilities);
  const content = (contents.find(({ key }) => key === choice.content) ?? contents[0]).key;
  const formats = formatsOf(content, abilities);
  return { ...choice, content, format: formats.includes(choice.format) ? choice.format : formats[0] };
}

const KEY = 'vitviz-save';
const DEFAULT: Choice = { content: 'view', format: 'png', size: 'content', link: true };

/** The choice saved last; invalid parts are replaced by defaults. */
export function storedChoice(): Choice {
  try {
    const { content, format, size, link } = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Choice>;
    return {
      content: ALL.find(({ key }) => key === content)?.key ?? DEFAULT.content,
      format: format !== undefined && format in FORMATS ? format : DEFAULT.format,
      size: SIZES.find(([one]) => one === size)?.[0] ?? DEFAULT.size,
      link: typeof link === 'boolean' ? link : DEFAULT.link,
    };
  } catch {
    return DEFAULT; // a private window
  }
}

export function storeChoice(choice: Choice) {
  try {
    localStorage.setItem(KEY, JSON.stringify(choice));
  } catch {
    // a private window
  }
}
