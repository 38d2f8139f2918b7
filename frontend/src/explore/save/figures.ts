/* Figures of the view on screen, in the light theme and without what is under the pointer. */

import { type Drawing, onSlide } from '../../lib/export/drawing';
import { fileName } from '../../lib/export/files';
import { layOut, type Sheet } from '../../lib/export/sheet';
import { lightColors, overriding } from '../../lib/export/shown';
import { capital, changesLine, counted, patchName, queryName, targetTitle, textOf } from '../../lib/words';
import { imageParam } from '../address';
import explore from '../explore.css?inline';
import narrow from '../narrow.css?inline';
import { importPanel, type PanelComponent } from '../panel';
import { scaleNote } from '../scales';
import type { Choices, Explorer } from '../state.svelte';
import { View } from '../view.svelte';
import contributions from '../views/contributions.css?inline';
import features from '../views/features.css?inline';
import patching from '../views/patching.css?inline';
import Figure from './Figure.svelte';
import figure from './figure.css?inline';
import type { Content, Size } from './options';

/** What a frame of an animation shows instead of what is on screen. */
export type Change = Partial<Pick<View, 'layer' | 'query' | 'method' | 'attention'>>;

const STYLES = [explore, narrow, contributions, features, patching, figure];
const NOT_READ = { hover: -1, readoutPatch: -1 } satisfies Partial<Choices>;
const IDLE = { progress: null, fraction: 0, cancel() {} };
/** The rendered state of a view. */
const RENDERED = [
  'shape',
  'attention',
  'scaleLimits',
  'query',
  'direction',
  'layer',
  'head',
  'scaleChoice',
  'ablated',
  'mode',
  'method',
  'methodValues',
  'classes',
  'isClassTokenQuery',
] as const satisfies readonly (keyof View)[];

/** The explorer as a figure shows it. */
export function shownIn(explorer: Explorer, change: Change = {}): Explorer {
  const { view, panel } = explorer;
  const theme = lightColors(explorer.catalog.colors);
  const choices = overriding(explorer.choices, NOT_READ);
  const shown: { -readonly [K in keyof Explorer]?: Explorer[K] } = { choices, theme, pointedMethod: null };
  if (panel) shown.panel = overriding(panel, { task: IDLE, pointed: null } as object);
  const figure = overriding(explorer, shown);
  const copy = new View(figure);
  for (const name of RENDERED) Object.assign(copy, { [name]: view[name] });
  Object.assign(copy, change);
  copy.imageMarks = { ...view.imageMarks, readout: -1 };
  copy.mapMarks = { ...view.mapMarks, readout: -1 };
  if (change.query) {
    copy.imageMarks.query = copy.mapMarks.query = change.query;
    copy.isClassTokenQuery = !change.query.length;
  }
  shown.view = copy;
  return figure;
}

/** Lay out a figure of what `shownIn` returns. */
export async function layOutFigure(shown: Explorer, content: Content, address: string | null): Promise<Sheet> {
  const { view } = shown.choices;
  const hasPanel = view !== 'attention' && shown.view.panel !== null;
  const Panel = hasPanel ? ((await importPanel(view)).default as PanelComponent) : null;
  const [title, caption] = [titleOf(shown, content), captionOf(shown, content)];
  return layOut(Figure, { explorer: shown, content, title, caption, address, Panel }, STYLES);
}

export async function drawFigure(
  explorer: Explorer,
  content: Content,
  size: Size,
  address: string | null,
): Promise<Drawing> {
  const shown = shownIn(explorer);
  const sheet = await layOutFigure(shown, content, address);
  try {
    const drawing = await sheet.draw(titleOf(shown, content) || 'Attribution methods', captionOf(shown, content));
    return size === '16:9' ? onSlide(drawing) : drawing;
  } finally {
    sheet.close();
  }
}

const OF_QUERY: readonly Content[] = ['matrix', 'sheet', 'layers', 'patches'];

/** The headline; the methods have a title of their own. */
function titleOf({ view }: Explorer, content: Content): string {
  if (content === 'methods') return '';
  if (!OF_QUERY.includes(content)) return view.headline;
  if (content === 'patches')
    return view.direction === 'to' ? 'What attends to each patch' : 'What each patch attends to';
  return `${attentionOf(view)}, by ${content === 'layers' ? 'layer' : 'layer and head'}`;
}

function attentionOf({ query, direction, shape }: Pick<View, 'query' | 'direction' | 'shape'>) {
  if (!shape) return 'Attention';
  const name = queryName(query, shape, 'these ');
  const verb = query.length > 1 ? 'attend' : 'attends';
  return direction === 'to' ? `What attends to ${name}` : `What ${name} ${verb} to`;
}

/** What the figure shows, and of what. */
export function captionOf(explorer: Explorer, content: Content): string {
  const { view, reply, shape, previousChanges, ablation } = explorer;
  if (!reply) return '';
  const { caption, truth, note } = reply.image;
  const image = [caption, truth === null ? '' : `true label ${reply.classes[truth]}`, note].filter(Boolean).join(', ');
  const size = `${counted(shape.layers, 'layer', 'layers')}, ${counted(shape.heads, 'head', 'heads')}`;
  const isAttention = view.panel === null && content !== 'methods';
  const isClassGiven =
    explorer.hasHead &&
    (content === 'methods' || view.methodInfo?.forClass || (view.panel !== null && content !== 'features'));
  return [
    ...(OF_QUERY.includes(content) || content === 'methods' ? [] : [textOf(view.line)]),
    `Model: ${reply.checkpoint} (${size}).`,
    `Image: ${image}.`,
    isAttention && view.methodInfo === undefined && !OF_QUERY.includes(content) && `${attentionOf(view)}.`,
    isAttention && `Color scale: ${scaleNote(view.scaleChoice, view.limits)}.`,
    isClassGiven && `Explained class: ${targetTitle(explorer.targetNames)}.`,
    ablation && `${capital(changesLine(previousChanges))}.`,
    reply.credit,
  ]
    .filter(Boolean)
    .join(' ');
}

/** Model, image, map, query and content in plain letters. */
export function nameOf({ view, reply, shown, ablation, shape }: Explorer, content: Content, ending: string): string {
  const isOfOneMap = !['matrix', 'methods', 'sheet'].includes(content);
  const hasQuery =
    (view.method === null || !isOfOneMap) &&
    content !== 'methods' &&
    (view.query.length > 0 || view.direction === 'to');
  const query =
    view.query.length > 1
      ? `${patchName(view.query[0], shape)} and ${view.query.length - 1} more`
      : queryName(view.query, shape);
  return fileName(
    [
      'vitviz',
      reply?.checkpoint ?? '',
      shown !== null && imageParam(shown.image),
      isOfOneMap && view.title,
      hasQuery && `${view.direction} ${query}`,
      ablation !== null && 'ablated',
      content !== 'view' && content,
    ],
    ending,
  );
}
