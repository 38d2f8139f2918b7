/* Two-way state of the notebook widget: layer, head and query patch; null is a mean, or the class token. */

import { act } from '../explore/actions';
import type { Choices, Explorer } from '../explore/state.svelte';
import { MEAN } from '../lib/numbers';

/** The part of anywidget's model that is used. */
export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(name: string, listener: () => void): void;
  off(name: string, listener: () => void): void;
}

type Values = Record<'layer' | 'head' | 'patch', number | null>;
const NAMES = ['layer', 'head', 'patch'] as const;

export function valuesOf({ layer, head, pins }: Pick<Choices, 'layer' | 'head' | 'pins'>): Values {
  return { layer: layer < 0 ? null : layer, head: head === MEAN ? null : head, patch: pins[0] ?? null };
}

export function choicesOf({ layer, head, patch }: Values): Pick<Choices, 'layer' | 'head' | 'pins' | 'method'> {
  return { layer: layer ?? MEAN, head: head ?? MEAN, pins: patch === null ? [] : [patch], method: null };
}

/** Keep the model and the explorer equal. Returns a function that ends it. */
export function synchronize(model: Model, explorer: Explorer): () => void {
  const fromModel = () => {
    const values = Object.fromEntries(NAMES.map((name) => [name, model.get(name)])) as Values;
    if (JSON.stringify(values) !== JSON.stringify(valuesOf(explorer.choices))) act(explorer, choicesOf(values));
  };
  for (const name of NAMES) model.on(`change:${name}`, fromModel);
  const end = $effect.root(() => {
    $effect(() => {
      const values = valuesOf(explorer.choices);
      const changed = NAMES.filter((name) => model.get(name) !== values[name]);
      for (const name of changed) model.set(name, values[name]);
      if (changed.length) model.save_changes();
    });
  });
  return () => {
    for (const name of NAMES) model.off(`change:${name}`, fromModel);
    end();
  };
}
