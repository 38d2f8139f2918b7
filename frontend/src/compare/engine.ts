/* The engine of both sides, whose explanations are those of the routes. */

import type { Subject } from '../lib/view';
import { ask, ServerEngine } from '../session/server';

export class RouteEngine extends ServerEngine {
  override async explain(subject: Subject, signal?: AbortSignal) {
    const reply = await ask('explanations', { subject }, signal ?? new AbortController().signal);
    return { ...reply, classToken: reply.class_token, onDemand: reply.on_demand, key: '', checkpoint: reply.model };
  }
}
