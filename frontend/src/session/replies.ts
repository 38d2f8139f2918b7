/* Requests that functions of the page reply to. */

import { RefusedError } from '../lib/refused';
import type { Engine, ReplyTo, Report, RequestOf, Route } from './engine';

/** Functions by route. */
export type Replies = {
  [R in Route]?: (request: RequestOf<R>, signal: AbortSignal, report: Report) => ReplyTo<R> | Promise<ReplyTo<R>>;
};

/** @param refusal why there is no reply to other requests */
export const requestTo =
  (replies: Replies, refusal = NO_SERVER): Engine['request'] =>
  async (route, request, signal, ...[report = () => {}]) => {
    const reply = replies[route];
    if (!reply) throw new RefusedError(refusal);
    return reply(request, signal, report);
  };

export const NO_SERVER = 'This needs a running vitviz.';
