/* What the Learn page requests. Each request throws a RefusedError where there is no reply. */

import { untrack } from 'svelte';
import { decodeImage } from '../lib/dom';
import { floatsOf } from '../lib/numbers';
import type { Routes } from '../lib/routes';
import { isRefusal, post, type Route } from '../lib/server';
import type { Subject } from '../lib/view';
import { type Engine, RefusedError } from '../session/engine';
import { Explanation } from '../session/explanation.svelte';
import type { Found, LearnPage, Pass } from './state.svelte';

type Request = (signal: AbortSignal) => Promise<Found>;

const OF_PATCH = ['overview', 'embedding', 'positions']; // steps

/** Request what a lesson is about. */
export async function fetchPass(engine: Engine, subject: Subject, signal: AbortSignal): Promise<Pass> {
  const [reply, lesson] = await Promise.all([
    engine.explain(subject, signal),
    served('explanations/lesson', { subject }, signal),
  ]);
  const { src } = reply.image;
  const image = await decodeImage(src);
  if (!image) throw new RefusedError('The image could not be displayed. Choose another one.');
  return { explanation: new Explanation(subject, reply, image), lesson, src };
}

/** A request for what the figure of the step shows of the reader's choices, which are read at once. */
export function figureRequest(page: LearnPage, subject: Subject): Request {
  const { id } = page.current;
  if (id === 'attention') {
    const { layer, head } = page;
    return async (signal) => {
      const { query, keys, values, size } = await served('explanations/lesson/head', { subject, layer, head }, signal);
      return { head: { layer, head, size, query: floatsOf(query), keys: floatsOf(keys), values: floatsOf(values) } };
    };
  }
  if (OF_PATCH.includes(id)) {
    const { patch, dimension } = page;
    return async (signal) => ({
      patch: await served('explanations/lesson/patch', { subject, patch, dimension }, signal),
    });
  }
  if (id === 'contributions') {
    const { patch } = page;
    return async (signal) => ({ similar: floatsOf((await page.engine.similarity(subject, { patch }, signal)).values) });
  }
  if (id !== 'training' || untrack(() => page.found.training) !== undefined) return async () => ({});
  return async (signal) => ({
    training: (await served('explanations/lesson/training', { subject }, signal)).snapshots,
  });
}

/** The reply of a route. */
export async function served<R extends Route>(route: R, request: Routes[R][0], signal: AbortSignal) {
  const reply = await post(route, request, signal);
  if (isRefusal(reply)) throw new RefusedError(reply.error, reply.busy);
  return reply as Routes[R][1];
}
