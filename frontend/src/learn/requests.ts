/* What the Learn page requests. Each request throws a RefusedError where there is no reply. */

import { floatsOf } from '../lib/numbers';
import type { Routes } from '../lib/routes';
import { isRefusal, post, type Route } from '../lib/server';
import type { Subject } from '../lib/view';
import { type Engine, RefusedError } from '../session/engine';
import { fetchExplanation } from '../session/explanation.svelte';
import type { Head, Pass } from './state.svelte';

type LessonRoute = Extract<Route, `explanations/lesson${string}`>;

/** Request what a lesson is about. */
export async function fetchPass(engine: Engine, subject: Subject, signal: AbortSignal): Promise<Pass> {
  const [explanation, lesson] = await Promise.all([
    fetchExplanation(engine, subject, signal),
    served('explanations/lesson', { subject }, signal),
  ]);
  return { explanation, lesson };
}

export async function fetchHead(subject: Subject, layer: number, head: number, signal: AbortSignal): Promise<Head> {
  const { query, keys, values, size } = await served('explanations/lesson/head', { subject, layer, head }, signal);
  return { layer, head, size, query: floatsOf(query), keys: floatsOf(keys), values: floatsOf(values) };
}

export async function served<R extends LessonRoute>(
  route: R,
  request: Routes[R][0],
  signal: AbortSignal,
): Promise<Routes[R][1]> {
  const reply = await post(route, request, signal);
  if (isRefusal(reply)) throw new RefusedError(reply.error, reply.busy);
  return reply as Routes[R][1];
}
