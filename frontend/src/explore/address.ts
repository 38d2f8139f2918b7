/* The view in the address. */

import {
  headsParam,
  oneOf,
  parseClasses,
  parseHeads,
  parseNumber,
  parsePatches,
  patchesParam,
  unavailable,
} from '../lib/address';
import type { Catalog, ImageChoice, ModelInfo, UploadChoice } from '../lib/api';
import { type Direction, MEAN, POOL, type Shape } from '../lib/numbers';
import { numberName } from '../lib/words';
import type { Choices, Mode, PatchMode, ScaleChoice, ViewName } from './state.svelte';

export const DEFAULTS = {
  view: 'attention',
  direction: 'from',
  scale: 'shared',
  display: 'patches',
  resolution: 'patches',
  mode: 'zero',
  patch_mode: 'drop',
};
const CIFAR_IMAGES = 10_000; // test images
const UPLOADED = 'upload'; // a link cannot restore an uploaded image, but the entry of the history can

/** The parts of the address that need the sizes of the reply. */
export interface ShapeParams {
  layer: string | null;
  head: string | null;
  patch: string | null;
  ablated: string | null;
  removed: string | null;
}

export type ImageCatalog = Pick<Catalog, 'cifar' | 'samples' | 'photos' | 'checkpoints'>;

/** An image by its name in the address, or null if it is unavailable.
    @param upload the uploaded image of the entry of the history, if any */
export function parseImage(
  text: string | null | undefined,
  { cifar, samples, photos, checkpoints }: ImageCatalog,
  upload: UploadChoice | null = null,
): ImageChoice | null {
  if (text === UPLOADED) return upload;
  const [, source, index] = /^(cifar|runs\/[^:]+):(\d{1,6})$/.exec(text ?? '') ?? [];
  if (source === 'cifar') {
    return cifar.available && Number(index) < CIFAR_IMAGES ? { kind: 'cifar', index: Number(index) } : null;
  }
  if (source) {
    const hasDataset = checkpoints.some(({ name, dataset }) => name === source && dataset);
    return hasDataset ? { kind: 'dataset', run: source, index: Number(index) } : null;
  }
  const sample = [...samples, ...photos].find(({ name }) => name === text);
  return sample ? { kind: 'sample', name: sample.name } : null;
}

/** The initial image if the address has none: of the model's own dataset, or a sample. */
export function firstImage(catalog: ImageCatalog, model?: ModelInfo): ImageChoice | null {
  if (model?.dataset) return { kind: 'dataset', run: model.name, index: 0 };
  return parseImage('cat', catalog) ?? parseImage(catalog.samples[0]?.name, catalog);
}

export function imageParam(image: ImageChoice): string {
  if (image.kind === 'sample') return image.name;
  if (image.kind === 'dataset') return `${image.run}:${image.index}`;
  return image.kind === 'cifar' ? `cifar:${image.index}` : UPLOADED;
}

/** The uploaded image in the state of an entry of the history, or null. */
export function uploadOf(state: unknown): UploadChoice | null {
  const { kind, path, name, crop } = ((state ?? {}) as { upload?: Partial<UploadChoice> }).upload ?? {};
  if (kind !== 'upload' || typeof path !== 'string' || typeof name !== 'string') return null;
  return typeof crop === 'number' ? { kind, path, name, crop } : { kind, path, name };
}

export const hasModel = (catalog: Catalog, name: string) => catalog.checkpoints.some((model) => model.name === name);

/** Read the choices, and the parts that need the sizes of the reply; the catalog has at least one model.
    @param state of the entry of the history */
export function readAddress(
  params: URLSearchParams,
  catalog: Catalog,
  state: unknown = null,
): [Partial<Choices>, ShapeParams] {
  const [model, requested] = [params.get('checkpoint'), params.get('image')];
  const checkpoint = catalog.checkpoints.find(({ name }) => name === model) ?? catalog.checkpoints[0];
  const found = parseImage(requested, catalog, uploadOf(state));
  const isAvailable = !requested || found !== null;
  const choices: Partial<Choices> = {
    checkpoint: checkpoint.name,
    image: found ?? firstImage(catalog, checkpoint),
    direction: oneOf<Direction>(params.get('direction'), ['from', 'to']),
    scale: oneOf<ScaleChoice>(params.get('scale'), ['shared', 'uniform', 'map']),
    view: oneOf<ViewName>(params.get('view'), ['attention', 'contributions', 'features', 'patching']),
    other: parseImage(params.get('other'), catalog),
    smooth: params.get('display') === 'smooth',
    pixels: params.get('resolution') === 'pixels',
    mode: oneOf<Mode>(params.get('mode'), ['zero', 'mean']),
    patch_mode: oneOf<PatchMode>(params.get('patch_mode'), ['drop', 'gray']),
    method: catalog.methods.find(({ key, onRequest }) => key === params.get('method') && !onRequest)?.key ?? null,
    target: isAvailable && (!model || hasModel(catalog, model)) ? parseClasses(params.get('class')) : [],
  };
  const [patch, removed] = isAvailable ? [params.get('patch'), params.get('removed')] : [null, null]; // of another image
  const [layer, head, ablated] = ['layer', 'head', 'ablated'].map((name) => params.get(name));
  return [choices, { layer, head, patch, ablated, removed }];
}

/** The choices in the address that depend on the sizes of the reply; without a layer and head the opening ones.
    @param opening see `sharpestHead` */
export function readShapeParams(
  shapeParams: ShapeParams,
  shape: Shape,
  opening: Pick<Choices, 'layer' | 'head'>,
): Pick<Choices, 'layer' | 'head' | 'pins' | 'ablated' | 'removed'> {
  const { layer, head } = shapeParams;
  const named = {
    layer: layer === 'pool' && shape.pooled ? POOL : parseNumber(layer, shape.layers, shape.layers - 1),
    head: parseNumber(head, shape.heads, MEAN),
  };
  return {
    ...(layer || head ? named : opening),
    pins: parsePatches(shapeParams.patch, shape),
    ablated: parseHeads(shapeParams.ablated, shape),
    removed: parsePatches(shapeParams.removed, shape),
  };
}

/** State which parts of the address are unavailable and what is shown instead; empty if all are available. */
export function unavailableSentences(params: URLSearchParams, catalog: Catalog, shown: Choices): string {
  const [model, requested] = [params.get('checkpoint'), params.get('image')];
  const image = shown.image ? imageParam(shown.image) : '';
  const sentences = [];
  if (model && !hasModel(catalog, model)) sentences.push(unavailable('model', model, shown.checkpoint));
  if (requested === UPLOADED && shown.image?.kind !== 'upload')
    sentences.push(`A link does not contain an uploaded image: showing ${image}. Upload the file again.`);
  else if (requested && requested !== UPLOADED && !parseImage(requested, catalog))
    sentences.push(unavailable('image', requested, image));
  const [classes, other] = [params.get('class'), params.get('other')];
  if (other && shown.view === 'patching' && !parseImage(other, catalog)) sentences.push(unavailable('image B', other));
  const method = params.get('method');
  if (method && method !== shown.method) sentences.push(unavailableMethod(method, catalog));
  if (!sentences.length && classes && classes !== shown.target.join('-'))
    sentences.push(unavailable('class', classes, shown.target.length ? shown.target.join('-') : 'the predicted class'));
  return sentences.join(' ');
}

function unavailableMethod(key: string, { methods }: Catalog) {
  const found = methods.find((method) => method.key === key);
  return found?.onRequest
    ? `The map of this link, ${found.name}, is computed on request: choose it under “On request”.`
    : unavailable('method', key);
}

/** The parameters of the address, in order. */
export function addressOf(
  choices: Choices,
  image: ImageChoice,
  shape: Shape,
  checkpoint = choices.checkpoint,
): Record<string, string | null> {
  return {
    checkpoint,
    image: imageParam(image),
    layer: numberName(choices.layer),
    head: numberName(choices.head),
    view: choices.view,
    other: choices.view === 'patching' && choices.other ? imageParam(choices.other) : null,
    patch: patchesParam(choices.pins, shape),
    direction: choices.direction,
    scale: choices.scale,
    display: choices.smooth ? 'smooth' : 'patches',
    method: choices.method,
    resolution: choices.method !== null && choices.pixels ? 'pixels' : 'patches',
    class: choices.target.join('-'),
    ablated: headsParam(choices.ablated, shape),
    removed: patchesParam(choices.removed, shape),
    mode: choices.ablated.length ? choices.mode : '',
    patch_mode: choices.removed.length ? choices.patch_mode : '',
  };
}
