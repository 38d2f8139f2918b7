/* Two-way state of the notebook widget: layer, head and query patch; null is a mean, or the class token. */

import { MEAN } from '../lib/numbers';
import type { View } from '../lib/view';
import type { Session } from '../session/session.svelte';

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

const numberOf = (index: View['layer']) => (typeof index === 'number' ? index : null);

export function valuesOf({ layer, head, query }: Pick<View, 'layer' | 'head' | 'query'>): Values {
  return { layer: numberOf(layer), head: numberOf(head), patch: query[0] ?? null };
}

export function viewOf({ layer, head, patch }: Values): Partial<View> {
  return { content: 'attention', layer: layer ?? MEAN, head: head ?? MEAN, query: patch === null ? [] : [patch] };
}

/** Keep the model and the session equal. Returns a function that ends it. */
export function synchronize(model: Model, session: Session): () => void {
  const fromModel = () => {
    const values = Object.fromEntries(NAMES.map((name) => [name, model.get(name)])) as Values;
    if (JSON.stringify(values) !== JSON.stringify(valuesOf(session.view))) session.show(viewOf(values));
  };
  for (const name of NAMES) model.on(`change:${name}`, fromModel);
  const end = $effect.root(() => {
    $effect(() => {
      if (!session.explanation) return;
      const values = valuesOf(session.view);
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
