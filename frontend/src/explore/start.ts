/* The first image, and what concerns the whole page: dropped and pasted files, and the return from another tab. */

import { type HeadLink, headsParam, isOfRun, patchesParam } from '../lib/address';
import type { ExplorerData } from '../lib/api';
import { listenWhile } from '../lib/dom';
import { MEAN } from '../lib/numbers';
import { numberName } from '../lib/words';
import { act } from './actions';
import { firstImage, hasModel, imageParam, readAddress, unavailableSentences } from './address';
import { followHistory } from './history';
import { showShelf, takeFile } from './images';
import { showNotice } from './notices';
import { showModel } from './options';
import { fail, load, refreshLists } from './requests';
import type { Explorer } from './state.svelte';

/** Show the image of the address. */
export async function start(explorer: Explorer) {
  listen(explorer);
  const { choices } = explorer;
  const params = () => new URLSearchParams(location.search);
  const model = params().get('checkpoint');
  const isMissing = model !== null && !hasModel(explorer.catalog, model); // it may be newer than the page's first lists
  const isListedLater = isOfRun(model) || /^(cifar|runs.*):/.test(params().get('image') ?? '');
  if (isMissing || isListedLater) await refreshLists(explorer);
  if (!explorer.catalog.checkpoints.length) {
    return fail(explorer, 'No model found: put a checkpoint into the checkpoints folder and restart vitviz.');
  }
  const [chosen, shapeParams] = readAddress(params(), explorer.catalog, history.state);
  Object.assign(choices, chosen);
  showShelf(explorer, choices.image?.kind ?? explorer.shelf);
  showPlaceholders(explorer);
  if (!choices.image) return fail(explorer, 'No sample image found: choose a CIFAR-10 image or upload one.');
  await load(explorer, choices.checkpoint, choices.image, shapeParams);
  if (!explorer.reply) await showSample(explorer);
  explorer.recorded.image = JSON.stringify(explorer.shown?.image);
  const missing = unavailableSentences(params(), explorer.catalog, choices);
  if (explorer.reply && missing && !explorer.noticeIsError) showNotice(explorer, missing);
  watchPage(explorer);
}

/** Show a sample if the first image was an upload or of a dataset, and is not available any more. */
async function showSample(explorer: Explorer) {
  const { catalog, choices, notice } = explorer;
  const image = firstImage(catalog);
  if (!image || choices.image?.kind === 'sample') return;
  await load(explorer, choices.checkpoint, image);
  if (explorer.reply) showNotice(explorer, `${notice} Showing ${imageParam(image)}.`, true);
}

/** Show the image of a saved file. */
export function startSaved(explorer: Explorer, { reply, view }: ExplorerData) {
  const { layers, heads, rows, columns, aspect, prefix, classToken, distilled } = reply;
  const shape = { layers, heads, rows, columns, aspect, prefix, classToken, distilled, removed: [] };
  const { method, layer, head, direction, target, scale, smooth, outlines } = view;
  const shapeParams = {
    layer: layer === 'pool' ? layer : numberName(layer ?? MEAN),
    head: numberName(head ?? MEAN),
    patch: patchesParam(view.query, shape),
    ablated: headsParam(view.ablated, shape),
    removed: patchesParam(view.removed, shape),
  };
  explorer.shape = shape;
  Object.assign(explorer.choices, { method, direction, target, scale, smooth, outlines });
  return load(explorer, reply.checkpoint, { kind: 'sample', name: '' }, shapeParams);
}

/** Draw empty tiles in the size of the model until the first reply arrives. */
function showPlaceholders(explorer: Explorer) {
  const model = explorer.model(explorer.choices.checkpoint);
  if (!model) return;
  const { layers, heads } = model;
  explorer.shape = { layers, heads, rows: 8, columns: 8, aspect: 1, prefix: 1, classToken: true, removed: [] };
}

/** When the page is shown again, show the model that was chosen on another tab, taken from the address. */
function watchPage(explorer: Explorer) {
  if (!explorer.root) return;
  const observer = new IntersectionObserver(([entry]) => {
    explorer.isHidden = !entry.isIntersecting && !explorer.isVisible;
    if (entry.isIntersecting) refresh(explorer);
  });
  observer.observe(explorer.root);
}

async function refresh(explorer: Explorer) {
  const { available } = explorer.catalog.cifar;
  await refreshLists(explorer);
  if (explorer.catalog.cifar.available !== available) showShelf(explorer, explorer.shelf);
  const chosen = new URLSearchParams(location.search).get('checkpoint');
  const isNew = chosen !== explorer.choices.checkpoint && chosen !== explorer.shown?.checkpoint; // otherwise it is loading
  if (chosen && isNew && chosen !== explorer.failedModel && explorer.model(chosen)) showModel(explorer, chosen);
}

/** Show a head that was chosen on another tab. */
async function openHead(explorer: Explorer, { checkpoint, layer, head }: HeadLink) {
  if (checkpoint !== explorer.shown?.checkpoint) {
    explorer.choices.target = []; // the other model may number the classes differently
    const none = { patch: null, ablated: null, removed: null };
    await showModel(explorer, checkpoint, { ...none, layer: numberName(layer), head: numberName(head) });
  }
  if (checkpoint === explorer.shown?.checkpoint) act(explorer, { view: 'attention', layer, head, method: null });
}

function listen(explorer: Explorer) {
  const { element, route } = explorer.host;
  route?.onHead((head) => openHead(explorer, head));
  route?.onHistory(() => followHistory(explorer));
  for (const type of ['dragover', 'dragleave', 'drop'] as const) {
    listenWhile(element, document, type, (event) => acceptDrop(explorer, event));
  }
  listenWhile(element, document, 'paste', (event) => {
    const file = event.clipboardData?.files[0];
    if (file && explorer.isVisible) takeFile(explorer, file);
  });
}

/** Accept files dropped anywhere on the page. */
function acceptDrop(explorer: Explorer, event: DragEvent) {
  if (!explorer.isVisible || !event.dataTransfer?.types.includes('Files')) return;
  event.preventDefault();
  explorer.dropping = event.type === 'dragover';
  const [file] = event.dataTransfer.files;
  if (event.type === 'drop' && file) takeFile(explorer, file);
}
