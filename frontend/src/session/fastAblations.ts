/* The engine of a server with ablations of small models in the browser, whose engine is loaded by the first one. */

import type { ModelInfo } from '../lib/routes';
import type { Subject } from '../lib/view';
import type { Engine, RequestOf, Route } from './engine';

const MAX_PARAMETERS = 8_000_000;
const LOCAL: readonly Route[] = ['explanations', 'explanations/attention', 'explanations/rows'];

/** @param find what is known of a model */
export function withFastAblations(server: Engine, find: (model: string) => ModelInfo | undefined): Engine {
  let loaded: Promise<Engine> | null = null;

  const isFast = ({ model, snapshot, ablations }: Subject) => {
    const { parameters, captured } = find(model) ?? {};
    return Boolean(ablations.length && snapshot === null && !captured && parameters && parameters <= MAX_PARAMETERS);
  };

  async function engineFor(route: Route, request: RequestOf): Promise<Engine> {
    if (!LOCAL.includes(route) || !('subject' in request) || !isFast(request.subject as Subject)) return server;
    loaded ??= import('../engine/besideServer').then(({ besideServer }) => besideServer(server));
    return loaded.catch(() => server);
  }

  return {
    isLive: true,
    isFast,
    openImage: (file, signal) => server.openImage(file, signal),
    request: async (route, request, ...rest) => (await engineFor(route, request)).request(route, request, ...rest),
  };
}
