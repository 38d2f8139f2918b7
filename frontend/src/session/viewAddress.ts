/* Subject and view as a query string, and back. Parameters are named as the fields, and count from 0; defaults are left
   out, except for layer and head: without them a link opens with the head that an image opens with. */

import { oneOf, parseHead, parseIndices, parseLayer, unavailable } from '../lib/address';
import { firstImage, type ImageLists, imageName, imageTitle, parseImage } from '../lib/images';
import { type Ablation, DEFAULT_VIEW, NOTHING_ABLATED, type Subject, type View } from '../lib/view';
import type { Linked } from './session.svelte';

type Params = Record<string, string | null>;
type Flag = { [K in keyof View]: View[K] extends boolean ? K : never }[keyof View];

/** The fields of a view that are on or off. */
const FLAGS = (Object.keys(DEFAULT_VIEW) as (keyof View)[]).filter(
  (name): name is Flag => typeof DEFAULT_VIEW[name] === 'boolean',
);

/** What a link needs to know of models, images and methods. */
export interface Lists extends ImageLists {
  methods: readonly { key: string; name: string; onRequest: boolean }[];
}

/** The parameters of a subject and a view, in order; null for a default. */
export function addressOf({ model, image, ablations }: Subject, view: View): Params {
  const { layer, head, query, target, other, outlines } = view;
  const chosen = (name: 'content' | 'direction' | 'method' | 'scale') =>
    view[name] === DEFAULT_VIEW[name] ? null : view[name];
  return {
    model,
    image: imageName(image),
    ablations: ablations.map(ablationText).join('|') || null,
    content: chosen('content'),
    layer: String(layer),
    head: String(head),
    query: query.join() || null,
    direction: chosen('direction'),
    method: chosen('method'),
    target: target.join() || null,
    scale: chosen('scale'),
    outlines: outlines === DEFAULT_VIEW.outlines ? null : String(outlines),
    ...Object.fromEntries(FLAGS.map((name) => [name, view[name] ? 'true' : null])),
    other: view.content === 'patching' && other ? imageName(other) : null,
    ...Object.fromEntries(OLD.map((name) => [name, null])),
  };
}

const OLD = ['checkpoint', 'patch', 'class', 'view', 'display', 'resolution'];
const OLD_LINK = 'This link is of an earlier version of vitviz: the default view is shown.';

/** The subject and view of a link, with sentences on what is not available; the lists have at least one model.
    @param upload the uploaded image of the entry of the history, with its name and crop */
export function parseAddress(
  params: URLSearchParams,
  lists: Lists,
  upload: Subject['image'] | null = null,
): Linked & { subject: Subject } {
  const missing: string[] = [];
  const isOld = OLD.some((name) => params.has(name));
  const get = (name: string) => (isOld ? null : params.get(name));
  const [model, requested] = [get('model'), get('image')];
  const found = lists.models.find(({ name }) => name === model);
  const { name } = found ?? lists.models[0];
  const linked = parseImage(requested, lists);
  const own = upload && imageName(upload) === requested ? upload : linked;
  const image = own ?? firstImage(lists, found ?? lists.models[0]) ?? { kind: 'sample', name: '' };
  if (isOld) missing.push(OLD_LINK);
  if (model && !found) missing.push(unavailable('model', model, name));
  if (requested && !own) missing.push(unavailable('image', requested, imageTitle(image)));
  const isWhole = !missing.length; // otherwise patches and classes are those of another image or model
  const ablations = isWhole ? (get('ablations') ?? '').split('|').flatMap((text) => parseAblation(text) ?? []) : [];
  const view = parseView(get, lists, isWhole, missing);
  return { subject: { model: name, snapshot: null, image, ablations }, view, missing };
}

function parseView(get: (name: string) => string | null, lists: Lists, isWhole: boolean, missing: string[]) {
  const view: Partial<View> = {
    content: oneOf(get('content'), ['attention', 'method', 'contributions', 'features', 'patching']),
    direction: oneOf(get('direction'), ['from', 'to', 'similar']),
    scale: oneOf(get('scale'), ['shared', 'uniform', 'map']),
    ...Object.fromEntries(FLAGS.map((name) => [name, get(name) === 'true'])),
    query: isWhole ? parseIndices(get('query')) : [],
    target: isWhole ? parseIndices(get('target')).slice(0, 2) : [],
  };
  const [layer, head] = [parseLayer(get('layer')), parseHead(get('head'))];
  if (layer !== null) view.layer = layer;
  if (head !== null) view.head = head;
  const outlines = Number(get('outlines') || Number.NaN);
  if (outlines >= 0 && outlines <= 1) view.outlines = outlines;
  const [key, other] = [get('method'), get('other')];
  const method = lists.methods.find((one) => one.key === key);
  if (method && !method.onRequest) Object.assign(view, { content: 'method', method: method.key });
  else if (view.content === 'method') view.content = 'attention';
  if (key && !method) missing.push(unavailable('method', key));
  if (method?.onRequest)
    missing.push(`The map of this link, ${method.name}, is computed on request: choose it under “On request”.`);
  if (view.content === 'patching') view.other = parseImage(other, lists);
  if (view.content === 'patching' && other && !view.other) missing.push(unavailable('image B', other));
  return view;
}

/** "heads:4.0,1.2;patches:28,36;mode:mean" */
export function ablationText({ heads, patches, mode, patch_mode }: Ablation): string {
  const parts = [
    heads.length && `heads:${heads.map((pair) => pair.join('.')).join()}`,
    patches.length && `patches:${patches.join()}`,
    heads.length && mode !== NOTHING_ABLATED.mode && `mode:${mode}`,
    patches.length && patch_mode !== NOTHING_ABLATED.patch_mode && `patch_mode:${patch_mode}`,
  ];
  return parts.filter(Boolean).join(';');
}

/** The ablation of a text; null without heads and patches. */
export function parseAblation(text: string): Ablation | null {
  const parts = Object.fromEntries(text.split(';').map((part) => part.split(':', 2)));
  const pairs = String(parts.heads ?? '').matchAll(/(?:^|,)(\d{1,6})\.(\d{1,6})(?=,|$)/g);
  const heads = [...pairs].map(([, layer, head]): [number, number] => [Number(layer), Number(head)]);
  const patches = parseIndices(parts.patches);
  if (!heads.length && !patches.length) return null;
  return {
    heads,
    patches,
    mode: oneOf(parts.mode, ['zero', 'mean']),
    patch_mode: oneOf(parts.patch_mode, ['drop', 'gray']),
  };
}
