/* What the Learn page requests. Each request throws a RefusedError where there is no reply. */

import { untrack } from 'svelte';
import { floatsOf } from '../lib/base64';
import { canvasOf } from '../lib/paint';
import { scramble } from '../lib/scramble';
import type { Subject } from '../lib/view';
import type { Engine } from '../session/engine';
import { Explanation } from '../session/explanation.svelte';
import type { Decoded, Found, LearnPage, Pass } from './learnPage.svelte';
import { isUnknown } from './steps';

type Request = (signal: AbortSignal) => Promise<Found>;

const OF_PATCH = ['embedding', 'positions']; // steps

/** Request what a lesson is about. */
export async function fetchPass(engine: Engine, subject: Subject, signal: AbortSignal): Promise<Pass> {
  const [reply, lesson] = await Promise.all([
    engine.request('explanations', { subject }, signal, () => {}),
    engine.request('explanations/lesson', { subject }, signal),
  ]);
  const image = canvasOf(reply.image);
  const scrambled = canvasOf(scramble(reply.image, lesson.model.patch_size)).toDataURL();
  return { explanation: new Explanation(subject, reply, image), lesson, src: image.toDataURL(), scrambled };
}

/** A request for what the figure of the step shows of the reader's choices, which are read at once. */
export function figureRequest(page: LearnPage, subject: Subject): Request {
  const { engine } = page;
  const { id } = page.current;
  if (page.pass && isUnknown(page.current, page.pass)) return async () => ({});
  if (id === 'attention') {
    const { layer, head } = page;
    return async (signal) => ({ head: await fetchHead(engine, subject, layer, head, 0, signal) });
  }
  if (id === 'overview') {
    const { layer, head, patch } = page;
    const { shape } = page.pass?.explanation ?? {};
    const token = !shape || shape.class_token ? 0 : shape.prefix + patch;
    return async (signal) => {
      const found = [
        fetchHead(engine, subject, layer, head, token, signal),
        fetchPatch(engine, subject, patch, 0, signal),
      ] as const;
      const [vectors, embedding] = await Promise.all(found);
      return { motion: { head: vectors, patch: embedding, followed: patch } };
    };
  }
  if (OF_PATCH.includes(id)) {
    const { patch, dimension } = page;
    return async (signal) => ({ patch: await fetchPatch(engine, subject, patch, dimension, signal) });
  }
  if (id === 'question' && page.pass?.explanation.shape.class_token) {
    return async (signal) => ({
      fixed: await engine.request('explanations/lesson/mean-query', { subject }, signal),
    });
  }
  if (id === 'decision' && page.pass?.lesson.patch_predictions) {
    const other = { ...subject, image: page.other };
    return async (signal) => {
      const [curves, { image }] = await Promise.all([
        engine.request('explanations/class-token-swap', { subject, other }, signal),
        engine.request('explanations', { subject: other }, signal, () => {}),
      ]);
      return { swap: { curves, src: canvasOf(image).toDataURL() } };
    };
  }
  if (id === 'known') {
    if (untrack(() => page.found.lens) || !page.pass?.explanation.reply.classes.length) return async () => ({});
    return async (signal) => page.engine.request('explanations/lens', { subject }, signal, () => {});
  }
  return async () => ({});
}

async function fetchHead(
  engine: Engine,
  subject: Subject,
  layer: number,
  head: number,
  token: number,
  signal: AbortSignal,
) {
  const request = { subject, layer, head, ...(token && { token }) };
  return { ...decoded(await engine.request('explanations/lesson/head', request, signal)), layer, head, token };
}

const fetchPatch = async (engine: Engine, subject: Subject, patch: number, dimension: number, signal: AbortSignal) =>
  decoded(await engine.request('explanations/lesson/patch', { subject, patch, dimension }, signal));

/** A reply whose base64 texts are read as numbers. */
const decoded = <Reply extends object>(reply: Reply) =>
  Object.fromEntries(
    Object.entries(reply).map(([name, value]) => [name, typeof value === 'string' ? floatsOf(value) : value]),
  ) as Decoded<Reply>;
