/* What the Learn page requests. Each request throws a RefusedError where there is no reply. */

import { untrack } from 'svelte';
import { floatsOf } from '../lib/base64';
import { canvasOf } from '../lib/paint';
import { post } from '../lib/server';
import type { Subject } from '../lib/view';
import type { Engine } from '../session/engine';
import { Explanation } from '../session/explanation.svelte';
import type { Found, LearnPage, Pass } from './learnPage.svelte';
import { isUnknown } from './steps';

type Request = (signal: AbortSignal) => Promise<Found>;

const OF_PATCH = ['overview', 'embedding', 'positions']; // steps

/** Request what a lesson is about. */
export async function fetchPass(engine: Engine, subject: Subject, signal: AbortSignal): Promise<Pass> {
  const [reply, lesson] = await Promise.all([
    engine.request('explanations', { subject }, signal, () => {}),
    post('explanations/lesson', { subject }, signal),
  ]);
  const image = canvasOf(reply.image);
  return { explanation: new Explanation(subject, reply, image), lesson, src: image.toDataURL() };
}

/** A request for what the figure of the step shows of the reader's choices, which are read at once. */
export function figureRequest(page: LearnPage, subject: Subject): Request {
  const { id } = page.current;
  if (page.pass && isUnknown(page.current, page.pass)) return async () => ({});
  if (id === 'attention') {
    const { layer, head } = page;
    return async (signal) => {
      const { query, keys, values, size } = await post('explanations/lesson/head', { subject, layer, head }, signal);
      return { head: { layer, head, size, query: floatsOf(query), keys: floatsOf(keys), values: floatsOf(values) } };
    };
  }
  if (OF_PATCH.includes(id)) {
    const { patch, dimension } = page;
    return async (signal) => ({
      patch: await post('explanations/lesson/patch', { subject, patch, dimension }, signal),
    });
  }
  if (id === 'contributions') {
    const { patch } = page;
    return async (signal) => ({
      similar: floatsOf((await page.engine.request('explanations/similarity', { subject, patch }, signal)).values),
    });
  }
  if (id !== 'training' || untrack(() => page.found.training) !== undefined) return async () => ({});
  return async (signal) => ({
    training: (await post('explanations/lesson/training', { subject }, signal)).snapshots,
  });
}
