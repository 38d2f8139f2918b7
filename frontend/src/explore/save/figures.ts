/* Figures of the view on screen, in the light theme and without what is under the pointer. */

import { type Drawing, onSlide } from '../../lib/export/drawing';
import { fileName } from '../../lib/export/files';
import { layOut, type Sheet } from '../../lib/export/sheet';
import { overriding } from '../../lib/export/shown';
import { imageName } from '../../lib/images';
import type { View } from '../../lib/view';
import { capital, changesLine, counted, patchName, queryName, targetTitle, textOf } from '../../lib/words';
import { ablationOf } from '../../session/ablation';
import { Drawing as Shown } from '../../session/drawing.svelte';
import { scaleNote } from '../../session/scales';
import type { Session } from '../../session/session.svelte';
import explore from '../explore.css?inline';
import type { Explorer } from '../explorer.svelte';
import narrow from '../narrow.css?inline';
import { type PanelComponent, panelOf } from '../panels';
import set from '../set/imageSet.css?inline';
import contributions from '../views/contributions.css?inline';
import features from '../views/features.css?inline';
import patching from '../views/patching.css?inline';
import Figure from './ExploreFigure.svelte';
import figure from './exploreFigure.css?inline';
import type { Content, Size } from './options';

/** What a frame of an animation shows instead of what is on screen. */
export type Change = Partial<Pick<View, 'content' | 'layer' | 'query'>>;

const STYLES = [explore, narrow, contributions, features, patching, set, figure];
const NOTHING = { hover: -1, read: -1, method: null };

/** The explorer as a figure shows it. */
export function shownIn(explorer: Explorer, change: Change = {}): Explorer {
  const { session, theme } = explorer;
  const { drawing, panel, view, pointer } = session;
  const values: { -readonly [K in keyof Session]?: Session[K] } = {
    pointer: overriding(pointer, NOTHING),
    view: { ...view, ...change },
    query: change.query ?? drawing.query,
    panel: panel && overriding(panel, { progress: null, pointed: null } as object),
  };
  const shown = overriding(session, values);
  values.drawing = new Shown(shown);
  return overriding(explorer, { session: shown, theme: theme.light() });
}

/** Lay out a figure of what `shownIn` returns. */
export async function layOutFigure(shown: Explorer, content: Content, address: string | null): Promise<Sheet> {
  const { drawing, view } = shown.session;
  const load = drawing.panel ? panelOf(view.content) : undefined;
  const Panel = load ? ((await load()).default as PanelComponent) : null;
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

/** The headline; the methods have another title. */
function titleOf({ session: { drawing }, set }: Explorer, content: Content): string {
  if (content === 'methods') return '';
  if (content === 'images') return set?.shown?.sheet.title ?? '';
  if (!OF_QUERY.includes(content)) return drawing.headline;
  if (content === 'patches')
    return drawing.direction === 'to' ? 'What attends to each patch' : 'What each patch attends to';
  return `${attentionOf(drawing)}, by ${content === 'layers' ? 'layer' : 'layer and head'}`;
}

function attentionOf({ query, direction, shape }: Shown) {
  if (!shape) return 'Attention';
  const name = queryName(query, shape, 'these ');
  const verb = query.length > 1 ? 'attend' : 'attends';
  return direction === 'to' ? `What attends to ${name}` : `What ${name} ${verb} to`;
}

/** What the figure shows, and of what. */
export function captionOf({ session, set }: Explorer, content: Content): string {
  const { drawing, explanation, view } = session;
  if (!explanation) return '';
  const { reply, shape, subject, isAblated } = explanation;
  const { caption, truth, note } = reply.image;
  const image = [caption, truth === null ? '' : `true label ${reply.classes[truth]}`, note].filter(Boolean).join(', ');
  const size = `${counted(shape.layers, 'layer', 'layers')}, ${counted(shape.heads, 'head', 'heads')}`;
  const model = `Model: ${subject.model} (${size}).`;
  const ablation = isAblated && `${capital(changesLine(ablationOf(subject)))}.`;
  if (content === 'images' && set?.shown) {
    const { images, scale, note } = set.shown.sheet;
    const count = `${counted(images.length, 'image', 'images')}${scale ? ' on one scale' : ''}.`;
    return [model, count, note && `${note}.`, ablation, reply.credit].filter(Boolean).join(' ');
  }
  const isAttention = drawing.panel === null && content !== 'methods';
  const isClassGiven =
    session.hasHead &&
    (content === 'methods' || drawing.method?.forClass || (drawing.panel !== null && content !== 'features'));
  return [
    ...(OF_QUERY.includes(content) || content === 'methods' ? [] : [textOf(drawing.line)]),
    model,
    `Image: ${image}.`,
    isAttention && !drawing.method && !OF_QUERY.includes(content) && `${attentionOf(drawing)}.`,
    isAttention && `Color scale: ${scaleNote(view.scale, drawing.limits)}.`,
    isClassGiven && `Explained class: ${targetTitle(session.targetNames)}.`,
    ablation,
    reply.credit,
  ]
    .filter(Boolean)
    .join(' ');
}

/** Model, image, map, query and content in plain letters. */
export function nameOf({ session, set }: Explorer, content: Content, ending: string): string {
  const { drawing, explanation } = session;
  if (!explanation) return fileName(['vitviz'], ending);
  const { subject, shape, isAblated } = explanation;
  if (content === 'images' && set?.shown) {
    const { images, title } = set.shown.sheet;
    return fileName(['vitviz', subject.model, counted(images.length, 'image', 'images'), title], ending);
  }
  const { query: patches, direction, method, title } = drawing;
  const isOfOneMap = !['matrix', 'methods', 'sheet'].includes(content);
  const hasQuery = (!method || !isOfOneMap) && content !== 'methods' && (patches.length > 0 || direction === 'to');
  const query =
    patches.length > 1 ? `${patchName(patches[0], shape)} and ${patches.length - 1} more` : queryName(patches, shape);
  return fileName(
    [
      'vitviz',
      subject.model,
      subject.image.kind === 'upload' ? 'upload' : imageName(subject.image),
      isOfOneMap && title,
      hasQuery && `${direction} ${query}`,
      isAblated && 'ablated',
      content !== 'view' && content,
    ],
    ending,
  );
}
