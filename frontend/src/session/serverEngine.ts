/* The engine of a running vitviz. */

import { uint16Of } from '../lib/base64';
import { post, stream } from '../lib/server';
import type { Subject, View } from '../lib/view';
import type { Engine, Report } from './engine';

const MAX_WEIGHT = 65535;

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

  explain(subject: Subject, signal: AbortSignal, report: Report = () => {}) {
    return stream('explanations', { subject }, report, signal);
  }

  async attention(subject: Subject, signal: AbortSignal) {
    return uint16Of((await post('explanations/attention', { subject }, signal)).weights);
  }

  async rows(subject: Subject, of: Parameters<Engine['rows']>[1], signal: AbortSignal) {
    const { weights } = await post('explanations/rows', { subject, ...of }, signal);
    return Float32Array.from(uint16Of(weights), (weight) => weight / MAX_WEIGHT);
  }

  maps(subject: Subject, of: Parameters<Engine['maps']>[1], signal: AbortSignal, report: Report) {
    return stream('explanations/maps', { subject, ...of }, report, signal);
  }

  scores(subject: Subject, of: { target: number[] }, signal: AbortSignal, report: Report) {
    return stream('explanations/scores', { subject, ...of }, report, signal);
  }

  map(subject: Subject, of: Parameters<Engine['map']>[1], signal: AbortSignal, report: Report) {
    return stream('explanations/map', { subject, ...of }, report, signal);
  }

  pixels(subject: Subject, of: Parameters<Engine['pixels']>[1], signal: AbortSignal) {
    return post('explanations/pixels', { subject, ...of }, signal);
  }

  contributions(subject: Subject, of: { target: number[] }, signal: AbortSignal) {
    return post('explanations/contributions', { subject, ...of }, signal);
  }

  features(subject: Subject, of: { foreground: boolean }, signal: AbortSignal) {
    return post('explanations/features', { subject, ...of }, signal);
  }

  similarity(subject: Subject, of: { patch: number }, signal: AbortSignal) {
    return post('explanations/similarity', { subject, ...of }, signal);
  }

  nearest(subject: Subject, of: Parameters<Engine['nearest']>[1], signal: AbortSignal, report: Report) {
    return stream('explanations/nearest', { subject, ...of }, report, signal);
  }

  patching(subject: Subject, of: Parameters<Engine['patching']>[1], signal: AbortSignal, report: Report) {
    return stream('explanations/patching', { subject, ...of }, report, signal);
  }

  file(subject: Subject, view: View, of: Parameters<Engine['file']>[2], signal: AbortSignal) {
    return post('explanations/file', { subject, view, ...of }, signal);
  }

  provenance(subject: Subject, view: View, signal: AbortSignal) {
    return post('explanations/provenance', { subject, view }, signal);
  }

  code(subject: Subject, view: View, signal: AbortSignal) {
    return post('explanations/code', { subject, view }, signal);
  }
}
