/* The engine of a running vitviz. */

import { uint16Of } from '../lib/numbers';
import type { Progress, Refusal, Routes, Stream } from '../lib/routes';
import { isRefusal, post, type Route, stream } from '../lib/server';
import type { Subject, View } from '../lib/view';
import { type Engine, RefusedError, type Report } from './engine';

const MAX_WEIGHT = 65535;

export class ServerEngine implements Engine {
  readonly isLive = true;

  explain(subject: Subject, signal: AbortSignal, report: Report = () => {}) {
    return streamReply('explanations', { subject }, signal, report);
  }

  async attention(subject: Subject, signal: AbortSignal) {
    return uint16Of((await requestReply('explanations/attention', { subject }, signal)).weights);
  }

  async rows(subject: Subject, of: Parameters<Engine['rows']>[1], signal: AbortSignal) {
    const { weights } = await requestReply('explanations/rows', { subject, ...of }, signal);
    return Float32Array.from(uint16Of(weights), (weight) => weight / MAX_WEIGHT);
  }

  maps(subject: Subject, of: Parameters<Engine['maps']>[1], signal: AbortSignal, report: Report) {
    return streamReply('explanations/maps', { subject, ...of }, signal, report);
  }

  scores(subject: Subject, of: { target: number[] }, signal: AbortSignal, report: Report) {
    return streamReply('explanations/scores', { subject, ...of }, signal, report);
  }

  map(subject: Subject, of: Parameters<Engine['map']>[1], signal: AbortSignal, report: Report) {
    return streamReply('explanations/map', { subject, ...of }, signal, report);
  }

  pixels(subject: Subject, of: Parameters<Engine['pixels']>[1], signal: AbortSignal) {
    return requestReply('explanations/pixels', { subject, ...of }, signal);
  }

  contributions(subject: Subject, of: { target: number[] }, signal: AbortSignal) {
    return requestReply('explanations/contributions', { subject, ...of }, signal);
  }

  features(subject: Subject, of: { foreground: boolean }, signal: AbortSignal) {
    return requestReply('explanations/features', { subject, ...of }, signal);
  }

  similarity(subject: Subject, of: { patch: number }, signal: AbortSignal) {
    return requestReply('explanations/similarity', { subject, ...of }, signal);
  }

  nearest(subject: Subject, signal: AbortSignal, report: Report) {
    return streamReply('explanations/nearest', { subject }, signal, report);
  }

  patching(subject: Subject, of: Parameters<Engine['patching']>[1], signal: AbortSignal, report: Report) {
    return streamReply('explanations/patching', { subject, ...of }, signal, report);
  }

  file(subject: Subject, view: View, of: Parameters<Engine['file']>[2], signal: AbortSignal) {
    return requestReply('explanations/file', { subject, view, ...of }, signal);
  }

  provenance(subject: Subject, view: View, signal: AbortSignal) {
    return requestReply('explanations/provenance', { subject, view }, signal);
  }

  code(subject: Subject, view: View, signal: AbortSignal) {
    return requestReply('explanations/code', { subject, view }, signal);
  }
}

/** Request a reply. A computation ends at its next batch once its signal aborts. */
export async function requestReply<R extends Route>(route: R, request: Routes[R][0], signal: AbortSignal) {
  return served(await post(route, request, signal));
}

/** Request a reply whose progress is reported; likewise. */
export async function streamReply<R extends Stream>(
  route: R,
  request: Routes[R][0],
  signal: AbortSignal,
  report: (progress: Progress) => void,
) {
  return served(await stream(route, request, report, signal));
}

function served<T>(reply: T | Refusal): T {
  if (isRefusal(reply)) throw new RefusedError(reply.error, reply.busy);
  return reply;
}
