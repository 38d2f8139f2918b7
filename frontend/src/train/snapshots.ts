/* Snapshots of a training for one probe image: attention of the class token and class probabilities. Pure functions. */

import { uint16Of } from '../lib/base64';
import { fillRows, makeRows, meanOf, type Shape, sharedLimit, tokenCount } from '../lib/numbers';
import type { TimelineReply } from '../lib/routes';
import type { Point } from './curves';
import { effectiveTokens } from './sentences';

export interface Snapshot {
  epoch: number;
  seconds: number;
  defaultRows: Float32Array; // attention of the class token, layers x heads x tokens
  probabilities: number[];
  entropy: number[][] | null; // layers x heads
  distance: number[][] | null; // layers x heads
  limit: number; // of the color scale of heads
  meanLimit: number; // of that of means
  probeLoss: number | null; // on all probe images, as the next
  probeAccuracy: number | null;
  reconstruction: string | null; // of a masked autoencoder, as data URL
  effective: number[]; // effective number of tokens of each head
}

export interface Past {
  shape: Shape;
  classes: string[];
  images: { name: string; src: string }[];
  masked: number[] | null; // patches of the probe image, of a masked autoencoder
  snapshots: Snapshot[];
}

const BARS = 6; // number of classes shown

/** The timeline after a response: its snapshots follow the first ones, of which there are `first`. Null if these are missing. */
export function addSnapshots(past: Past | null, reply: TimelineReply): Past | null {
  const { shape, classes, images, masked } = reply;
  const known = !reply.first && shape && classes && images ? { shape, classes, images, masked, snapshots: [] } : past;
  return (
    known && { ...known, snapshots: [...known.snapshots.slice(0, reply.first), ...snapshotsOf(known.shape, reply)] }
  );
}

function snapshotsOf(shape: Shape, reply: TimelineReply): Snapshot[] {
  const weights = uint16Of(reply.rows);
  const tokens = tokenCount(shape);
  const heads = shape.layers * shape.heads;
  const size = heads * tokens;
  const rows = makeRows(shape);
  const means = rows.cells.filter((_, k) => k % rows.across === shape.heads || k >= shape.layers * rows.across);
  return reply.epoch.map((epoch, i) => {
    const defaultRows = Float32Array.from(weights.subarray(i * size, (i + 1) * size), (weight) => weight / 65535);
    const rowOfHead = (_: unknown, k: number) => defaultRows.subarray(k * tokens, (k + 1) * tokens);
    fillRows(rows, shape, { defaultRows, full: null }, [], 'from', () => false);
    return {
      epoch,
      seconds: reply.seconds[i],
      defaultRows,
      probabilities: reply.probabilities[i],
      entropy: reply.entropy?.[i] ?? null,
      distance: reply.distance?.[i] ?? null,
      limit: sharedLimit(shape, defaultRows),
      meanLimit: sharedLimit(shape, joined(means)),
      probeLoss: reply.probe_loss?.[i] ?? null,
      probeAccuracy: reply.probe_accuracy?.[i] ?? null,
      reconstruction: reply.reconstructions?.[i] ?? null,
      effective: Array.from({ length: heads }, rowOfHead).map(effectiveTokens),
    };
  });
}

function joined(rows: Float32Array[]): Float32Array {
  const all = new Float32Array(rows.length * rows[0].length);
  rows.forEach((row, k) => {
    all.set(row, k * row.length);
  });
  return all;
}

/** The curve of a value at each snapshot; empty if it is not known. */
export function snapshotPoints(past: Past | null, key: 'probeLoss' | 'probeAccuracy'): Point[] {
  return (past?.snapshots ?? []).flatMap((now): Point[] => {
    const value = now[key];
    return value === null ? [] : [[now.epoch, value]];
  });
}

/** The classes of the bars, in the order of the last snapshot, so that their order stays fixed; the true class is one
    of them. */
export function rankedClasses({ classes, snapshots }: Past, truth: number): number[] {
  const last = snapshots[snapshots.length - 1].probabilities;
  const ranking = last
    .map((_, k) => k)
    .sort((a, b) => last[b] - last[a])
    .slice(0, Math.min(BARS, classes.length));
  if (truth >= 0 && !ranking.includes(truth)) ranking[ranking.length - 1] = truth;
  return ranking;
}

/** The layers with a line in a chart, about six. */
export function shownLayers(layers: number): number[] {
  const all = [...Array(layers).keys()];
  if (layers <= 6) return all;
  return all.filter((layer) => layer % Math.ceil(layers / 6) === 0 || layer === layers - 1);
}

/** The mean over the heads of a layer at each snapshot. */
export function layerPoints({ shape, snapshots }: Past, layer: number, valuesOf: (now: Snapshot) => number[]): Point[] {
  const { heads } = shape;
  return snapshots.map((now) => [now.epoch, meanOf(valuesOf(now).slice(layer * heads, (layer + 1) * heads))]);
}
