/* What computes explanations for a session: a server, the data of a saved file or notebook, or the model in the browser. */

import type * as api from '../lib/routes';
import type { Subject, Upload } from '../lib/view';

/** Prediction, sizes, instant maps and the attention of the default query. */
export type Explained = Omit<api.Explained, 'model'>;

export type Report = (progress: api.Progress) => void;

/** The signal of a request that is never aborted. */
export const NEVER = new AbortController().signal;

export type Route = Extract<keyof api.Routes, `explanations${string}`>;
export type RequestOf<R extends Route = Route> = api.Routes[R][0];

/** Replies that are not as the server sends them. */
interface Decoded {
  explanations: Explained;
  'explanations/attention': Uint16Array; // between all tokens, (L, A, T, T) as multiples of 1 / 65535
  'explanations/rows': Float32Array; // of a query, (L, A, T)
  'explanations/scores': api.Scores | null; // null where they were not computed
}
export type ReplyTo<R extends Route> = R extends keyof Decoded ? Decoded[R] : api.Routes[R][1];

export interface Engine {
  /** False of saved data: one explanation, without other images, models, ablations and classes. */
  readonly isLive: boolean;
  /** Methods that it does not compute. */
  readonly lacks?: readonly string[];
  /** Whether a subject is explained within a frame or two. */
  isFast?(subject: Subject): boolean;
  /** Make pixels an image, where they stay in the browser. */
  openPixels?(pixels: ImageData): Promise<Upload>;
  /** Make a file an image that can be explained.
      @throws RefusedError with the reason why not */
  openImage(file: File, signal: AbortSignal): Promise<Upload>;
  /** Reply to a request, which ends when its signal aborts; of those that take long the progress is reported.
      @throws RefusedError where there is no reply */
  request<R extends Route>(
    route: R,
    request: RequestOf<R>,
    signal: AbortSignal,
    ...report: R extends api.Stream ? [Report] : []
  ): Promise<ReplyTo<R>>;
}

export type FileFormat = api.FileRequest['format'];
