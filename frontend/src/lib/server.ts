/* Requests to the server by route, relative to the page. They throw a RefusedError where there is no reply, and the reason
   of their signal once it aborts. */

import { RefusedError } from './refused';
import type { Progress, Refusal, Routes, Stream, Uploaded } from './routes';

export type Route = Exclude<keyof Routes, Stream>;

/** Request a reply. A computation ends at its next batch once its signal aborts. */
export const post = async <R extends Route>(route: R, request: Routes[R][0], signal?: AbortSignal) =>
  replyOf<Routes[R][1]>(await sendJson(route, request, signal), signal);

/** Request a reply that takes long; its progress is reported. Aborting ends the computation likewise. */
export async function stream<R extends Stream>(
  route: R,
  request: Routes[R][0],
  report: (progress: Progress) => void,
  signal?: AbortSignal,
): Promise<Routes[R][1]> {
  const response = await sendJson(route, request, signal);
  if (!response.ok || !response.body) return replyOf(response, signal);
  try {
    for await (const line of linesOf(response.body)) {
      if ('reply' in line) return line.reply as Routes[R][1];
      if ('error' in line) throw new RefusedError(line.error, line);
      report(line);
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof RefusedError) throw error;
  }
  throw new RefusedError();
}

/** Upload a file, by default an image, whose reply is its id. */
export async function upload<T = Uploaded>(file: File, route = 'data/uploads', signal?: AbortSignal) {
  const body = new FormData();
  body.append('file', file);
  return replyOf<T>(await send(route, { body }, signal), signal);
}

/** Answers a request of a page without a server; its errors are RefusedErrors. */
type Answer = (route: string, request: object, signal?: AbortSignal) => Promise<Response>;

let answer: Answer | null = null;

export function answerBy(files: Answer) {
  answer = files;
}

const sendJson: Answer = (route, request, signal) =>
  answer?.(route, request, signal) ??
  send(route, { body: JSON.stringify(request), headers: { 'Content-Type': 'application/json' } }, signal);

async function send(route: string, content: RequestInit, signal?: AbortSignal): Promise<Response> {
  try {
    return await fetch(new URL(`vitviz/api/${route}`, document.baseURI), { method: 'POST', ...content, signal });
  } catch {
    signal?.throwIfAborted();
    throw new RefusedError();
  }
}

/** The JSON of a response; a page that a proxy sends is not a response. */
async function replyOf<T>(response: Response, signal?: AbortSignal): Promise<T> {
  const reply: unknown = await response.json().catch(() => {
    signal?.throwIfAborted();
  });
  if (isRefusal(reply)) throw new RefusedError(reply.error, reply);
  if (!response.ok || reply === undefined) throw new RefusedError();
  return reply as T;
}

const isRefusal = (reply: unknown): reply is Refusal =>
  typeof reply === 'object' && reply !== null && 'error' in reply && Boolean(reply.error);

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Progress | Refusal | { reply: unknown }> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + decoder.decode(part.value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
}
