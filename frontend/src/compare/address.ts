/* The comparison in the address. A is named by the parameters of Explore, B by `b`; all count from 0. */

import { oneOf, parseHead, parseIndices, parseLayer, unavailable } from '../lib/address';
import { inGrid } from '../lib/grid';
import { type ImageLists, imageName, parseImage } from '../lib/images';
import { MEAN, type Shape } from '../lib/numbers';
import { type Ablation, type Image, type Layer, NOTHING_ABLATED, type Upload } from '../lib/view';
import { ablationText, parseAblation } from '../session/address';
import { fitAblations } from '../session/fit';
import { ATTENTION, EMPTY, KINDS, type Kind, SIMILARITY, type ViewState } from './sides';

export const DEFAULTS = { compare: 'image' };

/** What a link requests; parts that need the sizes of the model stay text. */
export interface Linked {
  kind: Kind;
  a: ViewState;
  b: ViewState;
  ablation: Ablation;
  query: number[];
  missing: string[];
}

/** What is here: models, images and methods. */
export interface Catalog extends ImageLists {
  methods: readonly { key: string; onRequest: boolean }[];
}

const index = (text: string | null | undefined) => parseIndices(text)[0] ?? null;

/** Read a link. Models, images and methods that are not here are left out and named. */
export function readAddress(
  params: URLSearchParams,
  catalog: Catalog,
  uploads: readonly [Upload | null, Upload | null] = [null, null],
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
  const image = (text: string | null, upload: Upload | null): Image | null => {
    const found = upload && imageName(upload) === text ? upload : parseImage(text, catalog);
    if (text && !found) missing.push(unavailable('image', text));
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
  else if (kind === 'class') own.target = index(b);
  else if (kind === 'head') {
    const [layer, head] = (b ?? '').split('-');
    Object.assign(own, { layer: parseLayer(layer), head: parseHead(head) });
  }
  return {
    kind,
    a: {
      ...EMPTY,
      checkpoint: model(get('model')),
      image: image(get('image'), uploads[0]),
      map: map(get('method')),
      layer: parseLayer(get('layer')),
      head: parseHead(get('head')),
      target: index(get('target')),
      snapshot: index(get('snapshot')),
    },
    b: own,
    ablation: parseAblation(get('ablations') ?? '') ?? NOTHING_ABLATED,
    query: parseIndices(get('query')),
    missing,
  };
}

/** Name the parts of a link that are outside of the model on screen: layers, heads, snapshots, classes and patches. */
export function outside(
  { kind, a, b, query, ablation }: Linked,
  shape: Shape,
  classes: number,
  snapshots: number,
): string[] {
  const found: string[] = [];
  const check = (what: string, value: Layer | null, count: number) => {
    if (typeof value === 'number' && value >= count) found.push(unavailable(what, String(value + 1), String(count)));
  };
  for (const side of [a, b]) {
    check('layer', side.layer, shape.layers);
    check('head', side.head, shape.heads);
    if (kind === 'snapshot') check('snapshot', side.snapshot, snapshots);
    if (side.target !== null && side.target >= classes)
      found.push(unavailable('class', String(side.target), 'the predicted class'));
  }
  const isLost = kind === 'ablation' && fitAblations([ablation], shape).missing.length > 0;
  if (query.some((patch) => !inGrid(patch, shape)) || isLost)
    found.push('Patches or heads of this link that the model does not have are left out.');
  return found;
}

const OWN: Record<Kind, (b: ViewState) => string | number | null> = {
  image: ({ image }) => image && imageName(image),
  model: ({ checkpoint }) => checkpoint,
  snapshot: ({ snapshot }) => String(snapshot ?? 0),
  method: ({ map }) => map,
  class: ({ target }) => (target === null ? null : String(target)),
  head: ({ layer, head }) => `${layer ?? MEAN}-${head ?? MEAN}`,
  ablation: () => null,
};

/** The parameters of the address, in order. */
export function addressOf(
  kind: Kind,
  a: ViewState,
  b: ViewState,
  query: readonly number[],
  ablation: Ablation,
): Record<string, string | number | null> {
  return {
    compare: kind,
    model: a.checkpoint,
    image: a.image ? imageName(a.image) : null,
    layer: a.layer === null ? null : String(a.layer),
    head: a.head === null ? null : String(a.head),
    method: a.map === ATTENTION ? null : a.map,
    target: a.target === null ? null : String(a.target),
    snapshot: kind === 'snapshot' ? String(a.snapshot ?? 0) : null,
    b: OWN[kind](b),
    query: query.join(),
    ablations: kind === 'ablation' ? ablationText(ablation) : null,
  };
}
