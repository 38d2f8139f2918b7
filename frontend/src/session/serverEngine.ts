/* The engine of a running vitviz. */

import { uint16Of } from '../lib/base64';
import type { Attention, Stream } from '../lib/routes';
import { post, stream } from '../lib/server';
import type { Engine, ReplyTo, Report, RequestOf, Route } from './engine';

const MAX_WEIGHT = 65535;

const DECODE: { [R in Route]?: (reply: Attention) => ReplyTo<R> } = {
  'explanations/attention': ({ weights }) => uint16Of(weights),
  'explanations/rows': ({ weights }) => Float32Array.from(uint16Of(weights), (weight) => weight / MAX_WEIGHT),
};

export class ServerEngine implements Engine {
  readonly isLive = true;
  readonly #maxBytes: number; // of an upload

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  async openImage(file: File, signal: AbortSignal) {
    const { uploadImage } = await import('../lib/imageFiles');
    return uploadImage(file, this.#maxBytes, signal);
  }

  async request<R extends Route>(route: R, request: RequestOf<R>, signal: AbortSignal, ...[report]: [Report?]) {
    const reply = await (report
      ? stream(route as Stream, request as never, report, signal)
      : post(route as 'explanations/attention', request as never, signal));
    return (DECODE[route]?.(reply as Attention) ?? reply) as ReplyTo<R>;
  }
}
