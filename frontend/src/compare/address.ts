/* The comparison in the address. A is named by the parameters of Explore, B by `b`; all count from 1. */

import { type ImageCatalog, imageParam, parseImage } from '../explore/address';
import { headsParam, oneOf, parseHeads, parsePatches, patchesParam, unavailable } from '../lib/address';
import type { ImageChoice, UploadChoice } from '../lib/api';
import { MEAN, POOL, type Shape } from '../lib/numbers';
import { numberName } from '../lib/words';
import { ATTENTION, EMPTY, KINDS, type Kind, SIMILARITY, type ViewState } from './sides';

export const DEFAULTS = { compare: 'image', mode: 'zero', patch_mode: 'drop' };
const UPLOADED = 'upload';

/** What a link requests; parts that need the sizes of the model stay text. */
export interface Linked {
  kind: Kind;
  a: ViewState;
  b: ViewState;
  mode: 'zero' | 'mean';
  patchMode: 'drop' | 'gray';
  patch: string | null;
  ablated: string | null;
  removed: string | null;
  missing: string[];
}

/** What is here: models, images and methods. */
export interface Catalog extends ImageCatalog {
  methods: readonly { key: string; onRequest: boolean }[];
}

const index = (text: string | null | undefined) => {
  const number = Number(text);
  return text && Number.isInteger(number) && number >= 1 ? number - 1 : null;
};
const layerOf = (text: string | null | undefined) => (text === 'mean' ? MEAN : text === 'pool' ? POOL : index(text));
const headOf = (text: string | null | undefined) => (text === 'mean' ? MEAN : index(text));
const classOf = (text: string | null | undefined) => {
  const number = Number(text?.split('-')[0]);
  return text && Number.isInteger(number) && number >= 0 ? number : null;
};

/** Read a link. Models, images and methods that are not here are left out and named. */
export function readAddress(
  params: URLSearchParams,
  catalog: Catalog,
  uploads: readonly [UploadChoice | null, UploadChoice | null] = [null, null],
): Linked {
  const missing: string[] = [];
  const get = (name: string) => params.get(name);
  const kinds = KINDS.map(([kind]) => kind);
  const [kind, b] = [oneOf<Kind>(get('compare'), kinds), get('b')];
  const requested = get('compare');
  if (requested && requested !== kind) missing.push(unavailable('comparison', requested, kind));
  const model = (name: string | null) => {
    const isHere = catalog.checkpoints.some((one) => one.name === name);
    if (name && !isHere) missing.push(unavailable('model', name));
    return isHere && name ? name : '';
  };
  const image = (text: string | null, upload: UploadChoice | null): ImageChoice | null => {
    const found = parseImage(text, catalog, upload);
    if (text === UPLOADED && !found)
      missing.push('A link does not contain an uploaded image: a sample is shown. Upload the file again.');
    else if (text && !found) missing.push(unavailable('image', text));
    return found;
  };
  const map = (text: string | null) => {
    const isHere = text === SIMILARITY || catalog.methods.some(({ key, onRequest }) => key === text && !onRequest);
    if (text && text !== ATTENTION && !isHere) missing.push(unavailable('method', text));
    return isHere && text ? text : ATTENTION;
  };
  const own = { ...EMPTY };
  if (kind === 'image') own.image = image(b, uploads[1]);
  else if (kind === 'model') own.checkpoint = model(b);
  else if (kind === 'method') own.map = map(b);
  else if (kind === 'snapshot') own.snapshot = index(b);
  else if (kind === 'class') own.target = classOf(b);
  else if (kind === 'head') {
    const [layer, head] = (b ?? '').split('-');
    Object.assign(own, { layer: layerOf(layer), head: headOf(head) });
  }
  return {
    kind,
    a: {
      ...EMPTY,
      checkpoint: model(get('checkpoint')),
      image: image(get('image'), uploads[0]),
      map: map(get('method')),
      layer: layerOf(get('layer')),
      head: headOf(get('head')),
      target: classOf(get('class')),
      snapshot: index(get('snapshot')),
    },
    b: own,
    mode: oneOf(get('mode'), ['zero', 'mean']),
    patchMode: oneOf(get('patch_mode'), ['drop', 'gray']),
    patch: get('patch'),
    ablated: get('ablated'),
    removed: get('removed'),
    missing,
  };
}

/** Name the parts of a link that are outside of the model on screen: layers, heads, snapshots, classes and patches. */
export function outside(
  { kind, a, b, patch, ablated, removed }: Linked,
  shape: Shape,
  classes: number,
  snapshots: number,
): string[] {
  const found: string[] = [];
  const check = (what: string, value: number | null, count: number) => {
    if (value !== null && value >= count) found.push(unavailable(what, String(value + 1), String(count)));
  };
  for (const side of [a, b]) {
    check('layer', side.layer, shape.layers);
    check('head', side.head, shape.heads);
    if (kind === 'snapshot') check('snapshot', side.snapshot, snapshots);
    if (side.target !== null && side.target >= classes)
      found.push(unavailable('class', String(side.target), 'the predicted class'));
  }
  const [inside, linked] = [parsePatches(patch, shape).length, patch?.split('_').length ?? 0];
  const isLost =
    kind === 'ablation' &&
    [
      [parseHeads(ablated, shape).length, ablated?.split('_').length ?? 0],
      [parsePatches(removed, shape).length, removed?.split('_').length ?? 0],
    ].some(([here, all]) => here < all);
  if (inside < linked || isLost) found.push('Patches or heads of this link that the model does not have are left out.');
  return found;
}

const OWN: Record<Kind, (b: ViewState) => string | number | null> = {
  image: ({ image }) => image && imageParam(image),
  model: ({ checkpoint }) => checkpoint,
  snapshot: ({ snapshot }) => (snapshot ?? 0) + 1,
  method: ({ map }) => map,
  class: ({ target }) => (target === null ? null : String(target)),
  head: ({ layer, head }) => `${numberName(layer ?? MEAN)}-${numberName(head ?? MEAN)}`,
  ablation: () => null,
};

/** The parameters of the address, in order. */
export function addressOf(
  kind: Kind,
  a: ViewState,
  b: ViewState,
  query: readonly number[],
  shape: Shape,
  modes: { mode: string; patchMode: string },
): Record<string, string | number | null> {
  const isAblation = kind === 'ablation';
  return {
    compare: kind,
    checkpoint: a.checkpoint,
    image: a.image ? imageParam(a.image) : null,
    layer: a.layer === null ? null : numberName(a.layer),
    head: a.head === null ? null : numberName(a.head),
    method: a.map === ATTENTION ? null : a.map,
    class: a.target === null ? null : String(a.target),
    snapshot: kind === 'snapshot' ? (a.snapshot ?? 0) + 1 : null,
    b: OWN[kind](b),
    patch: patchesParam(query, shape),
    ablated: isAblation ? headsParam(b.ablated, shape) : null,
    removed: isAblation ? patchesParam(b.removed, shape) : null,
    mode: isAblation && b.ablated.length ? modes.mode : null,
    patch_mode: isAblation && b.removed.length ? modes.patchMode : null,
  };
}
