/* What computes explanations for a session: a server, the data of a saved file or notebook, or the model in the browser. */

import type { Direction } from '../lib/numbers';
import type * as api from '../lib/routes';
import type { Image, Subject, Upload, View } from '../lib/view';

/** Prediction, sizes, instant maps and the attention of the default query. */
export type Explained = Omit<api.Explained, 'model'>;

export type Report = (progress: api.Progress) => void;

/** The signal of a request that is never aborted. */
export const NEVER = new AbortController().signal;

/** All requests name the subject; they end when their signal aborts, and throw a RefusedError where there is no reply. */
export interface Engine {
  /** False of saved data: one explanation, without other images, models, ablations and classes. */
  readonly isLive: boolean;
  /** Whether a subject is explained within a frame or two. */
  isFast?(subject: Subject): boolean;
  /** Make pixels an image, where they stay in the browser. */
  openPixels?(pixels: ImageData): Promise<Upload>;
  /** Make a file an image that can be explained.
      @throws RefusedError with the reason why not */
  openImage(file: File, signal: AbortSignal): Promise<Upload>;
  explain(subject: Subject, signal: AbortSignal, report?: Report): Promise<Explained>;
  /** Attention between all tokens, (L, A, T, T) as multiples of 1 / 65535. */
  attention(subject: Subject, signal: AbortSignal): Promise<Uint16Array>;
  /** Attention of a query, (L, A, T). */
  rows(subject: Subject, query: { query: number[]; direction: Direction }, signal: AbortSignal): Promise<Float32Array>;
  maps(
    subject: Subject,
    of: Pick<api.MapsRequest, 'target' | 'part'>,
    signal: AbortSignal,
    report: Report,
  ): Promise<api.Maps>;
  /** Null where they were not computed. */
  scores(subject: Subject, of: { target: number[] }, signal: AbortSignal, report: Report): Promise<api.Scores | null>;
  /** A map that takes seconds to minutes. */
  map(subject: Subject, of: OfMethod, signal: AbortSignal, report: Report): Promise<api.ScoredMap>;
  pixels(subject: Subject, of: OfMethod, signal: AbortSignal): Promise<api.PixelMap>;
  contributions(subject: Subject, of: { target: number[] }, signal: AbortSignal): Promise<api.Contributions>;
  features(subject: Subject, of: { foreground: boolean }, signal: AbortSignal): Promise<api.Features>;
  similarity(subject: Subject, of: { patch: number }, signal: AbortSignal): Promise<api.Similarity>;
  nearest(
    subject: Subject,
    of: Pick<api.NearestRequest, 'among'>,
    signal: AbortSignal,
    report: Report,
  ): Promise<api.Nearest>;
  /** Activation patching from the subject's image into another one: of heads and MLPs, or of the tokens of a layer. */
  patching(subject: Subject, of: OfPatching, signal: AbortSignal, report: Report): Promise<api.Patched>;
  /** Arrays, a table or the explorer. */
  file(subject: Subject, view: View, of: OfFile, signal: AbortSignal): Promise<api.SavedFile>;
  /** Where a file of what is shown comes from. */
  provenance(subject: Subject, view: View, signal: AbortSignal): Promise<api.Provenance>;
  /** Code that computes what is shown. */
  code(subject: Subject, view: View, signal: AbortSignal): Promise<api.Code>;
}

export type FileFormat = api.FileRequest['format'];

interface OfFile {
  format: FileFormat;
  methods: boolean; // arrays or a table of all methods instead of the view's
}

interface OfMethod {
  target: number[];
  method: string;
}

interface OfPatching {
  target: number[];
  other: Image;
  part: 'heads' | 'tokens';
  layer: number;
}
