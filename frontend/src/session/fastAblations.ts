/* The engine of a server with ablations of small models in the browser, whose engine is loaded by the first one. */

import type { ModelInfo } from '../lib/routes';
import type { Subject } from '../lib/view';
import type { Engine } from './engine';

const MAX_PARAMETERS = 8_000_000;
const LOCAL: readonly (string | symbol)[] = ['explain', 'attention', 'rows'];

/** @param find what is known of a model */
export function withFastAblations(server: Engine, find: (model: string) => ModelInfo | undefined): Engine {
  let loaded: Promise<Engine> | null = null;

  const isLocal = ({ model, snapshot, ablations }: Subject) => {
    const { parameters, captured } = find(model) ?? {};
    return Boolean(ablations.length && snapshot === null && !captured && parameters && parameters <= MAX_PARAMETERS);
  };

  async function engineFor(subject: Subject): Promise<Engine> {
    if (!isLocal(subject)) return server;
    loaded ??= import('../engine/besideServer').then(({ besideServer }) => besideServer(server));
    return loaded.catch(() => server);
  }

  return new Proxy(server, {
    get(target, name) {
      if (name === 'isFast') return isLocal;
      const value = Reflect.get(target, name);
      if (!LOCAL.includes(name)) return value?.bind?.(target) ?? value;
      return async (subject: Subject, ...rest: unknown[]) =>
        Reflect.get(await engineFor(subject), name)(subject, ...rest);
    },
  });
}
