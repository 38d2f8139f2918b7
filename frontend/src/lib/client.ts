/* Requests to Python, and what Gradio gives a component. */

import type { Route } from './address';
import type { ModelList, Refusal, Requests } from './api';

export const WORKING_DELAY = 300; // ms until "Working…" appears
export const ANNOUNCE_DELAY = 600; // ms the pointer rests before a screen reader speaks
export const RETRY_DELAY = 3000; // ms before a request that a busy server refused is repeated
export const NO_ANSWER = 'The server did not answer. Check that vitviz is still running, then try again.';

/** A figure is too large for the browser, or a script of it could not be loaded. */
export const NOT_DRAWN =
  'The figure could not be drawn. Check that vitviz is still running, reload the page, and try again.';

export type RequestName = keyof Requests;
/** Response of a Python function that was served. */
export type Reply<N extends RequestName> = Exclude<Requests[N][1], Refusal>;
export type Request = <N extends RequestName>(name: N, argument: Requests[N][0]) => Promise<Reply<N> | Refusal>;
export type Upload = (file: File) => Promise<{ path: string }>;

/** Where a page runs. */
export interface Host<C> {
  /** Where the page is shown. */
  element: HTMLElement;
  catalog: C;
  /** Call a Python function; an unreachable server gives {error}. */
  request: Request;
  upload: Upload | null;
  route?: Route;
}

/** What Gradio passes to `mount`. */
export interface GradioContext<C> {
  element: HTMLElement;
  props: { catalog: C };
  server: Partial<Record<string, (argument: unknown) => Promise<unknown>>>;
  upload: Upload;
}

/** The host of a page in Gradio. */
export function hostOf<C extends object>({ element, props, server, upload }: GradioContext<C>): Host<C> {
  return { element, catalog: { ...props.catalog }, request: requestTo(server), upload };
}

/** A function that calls those of a server by name. Their result may be null; an unreachable server gives {error}. */
export function requestTo(server: GradioContext<unknown>['server']): Request {
  return async <N extends RequestName>(name: N, argument: Requests[N][0]) => {
    try {
      const reply = await server[name]?.(argument);
      return reply === undefined ? { error: NO_ANSWER } : (reply as Reply<N>);
    } catch {
      return { error: NO_ANSWER };
    }
  };
}

/** Whether a reply is the reason why there is none. */
export function isRefusal(reply: unknown): reply is Refusal {
  return typeof reply === 'object' && reply !== null && 'error' in reply && Boolean(reply.error);
}

/** Whether a response is there and not a refusal. */
export const isServed = <T>(reply: T | Refusal | null): reply is T => reply !== null && !isRefusal(reply);

export const isUnreachable = (reply: unknown) => isRefusal(reply) && reply.error === NO_ANSWER;
export const isBusy = (reply: unknown) => isRefusal(reply) && Boolean(reply.busy);

/** The sentence that reports a failed request. */
export const reasonOf = (reply: unknown) => (isRefusal(reply) ? reply.error : NO_ANSWER);

export const pause = (time: number) => new Promise<void>((resolve) => setTimeout(resolve, time));

/** The current lists of models and datasets, or null if they cannot be loaded. */
export async function refreshModels(request: Request): Promise<ModelList | null> {
  const reply = await request('list_models', {});
  return reply && 'checkpoints' in reply && Array.isArray(reply.checkpoints) ? reply : null;
}
