/* Requests to the server by route, relative to the page. What it refuses is a reply, too; an aborted request throws. */

import type { Progress, Refusal, Routes, Stream, Uploaded } from './routes';

export const NO_RESPONSE = 'The server did not respond. Check that vitviz is still running, then try again.';

export type Route = Exclude<keyof Routes, Stream>;

/** Request a reply. */
export async function post<R extends Route>(
  route: R,
  request: Routes[R][0],
  signal?: AbortSignal,
): Promise<Routes[R][1] | Refusal> {
  const response = await send(route, jsonOf(request), signal);
  return response instanceof Response ? read(response, signal) : response;
}

/** Request a reply that takes long; its progress is reported. Aborting ends the computation. */
export async function stream<R extends Stream>(
  route: R,
  request: Routes[R][0],
  report: (progress: Progress) => void,
  signal?: AbortSignal,
): Promise<Routes[R][1] | Refusal> {
  const response = await send(route, jsonOf(request), signal);
  if (!(response instanceof Response)) return response;
  if (!response.ok || !response.body) return read(response, signal);
  try {
    for await (const line of linesOf(response.body)) {
      if ('reply' in line) return line.reply as Routes[R][1];
      if ('error' in line) return line;
      report(line);
    }
  } catch {
    signal?.throwIfAborted();
  }
  return noResponse();
}

/** Upload a file, by default an image, whose reply is its id. */
export async function upload<T = Uploaded>(
  file: File,
  route = 'data/uploads',
  signal?: AbortSignal,
): Promise<T | Refusal> {
  const body = new FormData();
  body.append('file', file);
  const response = await send(route, { body }, signal);
  return response instanceof Response ? read(response, signal) : response;
}

/** Whether a reply is the reason why there is none. */
export function isRefusal(reply: unknown): reply is Refusal {
  return typeof reply === 'object' && reply !== null && 'error' in reply && Boolean(reply.error);
}

const jsonOf = (request: object) => ({
  body: JSON.stringify(request),
  headers: { 'Content-Type': 'application/json' },
});

const noResponse = (): Refusal => ({ field: '', problem: NO_RESPONSE, hint: '', error: NO_RESPONSE, busy: false });

async function send(route: string, content: RequestInit, signal?: AbortSignal): Promise<Response | Refusal> {
  try {
    return await fetch(new URL(`vitviz/api/${route}`, document.baseURI), { method: 'POST', ...content, signal });
  } catch {
    signal?.throwIfAborted();
    return noResponse();
  }
}

/** The JSON of a response; a proxy's own page is no response. */
async function read<T>(response: Response, signal?: AbortSignal): Promise<T | Refusal> {
  try {
    const reply: unknown = await response.json();
    return response.ok || isRefusal(reply) ? (reply as T | Refusal) : noResponse();
  } catch {
    signal?.throwIfAborted();
    return noResponse();
  }
}

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
