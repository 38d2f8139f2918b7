/* Options of the view, and the model. */

import { oneOf } from '../lib/address';
import { middlePatch } from '../lib/grid';
import type { Direction } from '../lib/numbers';
import { act, writeAddressSoon } from './actions';
import type { ShapeParams } from './address';
import { showShelf } from './images';
import { showNotice, stopWaiting } from './notices';
import { load } from './requests';
import type { Choices, Explorer, ScaleChoice } from './state.svelte';

export type Option = 'query' | 'direction' | 'scale' | 'display';

/** The choices after an option of the form was chosen. */
const CHANGES: Record<Option, (value: string, explorer: Explorer) => Partial<Choices>> = {
  query(value, { choices, shape }) {
    const pins = choices.pins.length ? choices.pins : [middlePatch(shape)];
    const kept = { class: [], patch: pins.slice(0, 1) }[value] ?? pins;
    return { method: null, isMultiPatchQuery: value === 'patches', pins: kept };
  },
  direction(value, { choices, shape }) {
    if (value === 'similar') {
      const pins = choices.pins.length ? choices.pins : [middlePatch(shape)];
      return { view: 'features', method: null, isMultiPatchQuery: false, pins: pins.slice(0, 1) };
    }
    return { direction: oneOf<Direction>(value, ['from', 'to']), view: 'attention', method: null };
  },
  scale: (value) => ({
    scale: oneOf<ScaleChoice>(value, ['shared', 'uniform', 'map']),
    view: 'attention',
    method: null,
  }),
  display: (value) => ({ smooth: value === 'smooth' }),
};

export function chooseOption(explorer: Explorer, name: Option, value: string) {
  if (!explorer.reply) return;
  act(explorer, CHANGES[name](value, explorer), 0);
  if (value === 'patches') showNotice(explorer, 'Click patches to add them to the query; click again to remove them.');
}

const NO_ATTENTION = 'The attention between patches could not be loaded. Choose the image again to retry.';

/** Without the attention of other queries return to the pinned one, or to the class token. */
export function fallBackToClassToken(explorer: Explorer, sentence = NO_ATTENTION) {
  const { choices } = explorer;
  if (choices.hover >= 0) choices.hover = -1;
  else Object.assign(choices, { pins: [], isMultiPatchQuery: false, direction: 'from' });
  stopWaiting(explorer);
  explorer.view.draw();
  showNotice(explorer, sentence, true);
}

/** Explain the image on screen with another model. */
export async function showModel(explorer: Explorer, name: string, shapeParams: ShapeParams | null = null) {
  const { choices, gallery } = explorer;
  if (choices.image) await load(explorer, name, choices.image, shapeParams);
  if (choices.checkpoint === name) writeAddressSoon(explorer);
  if (explorer.shelf === 'dataset') showShelf(explorer, explorer.datasetRun ? 'dataset' : 'sample');
  else if (explorer.shelf === 'cifar') gallery.fill();
}
