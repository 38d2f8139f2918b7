/* The sides of a comparison: a map and a prediction, from an explanation and a view; as `side` in
   vitviz/attribution/comparison.py. */

import { isOfRun, runName } from '../lib/address';
import { floatsOf } from '../lib/base64';
import { type Direction, fillRows, makeRows, POOL, patchCount, rowOf, tokenCount } from '../lib/numbers';
import type { ComparisonRequest, MethodInfo } from '../lib/routes';
import type { View } from '../lib/view';
import { changesLine, mapName, methodTitle, patchName } from '../lib/words';
import { ablationOf, LACKING, whyEmpty } from '../session/ablation';
import type { Engine } from '../session/engine';
import type { Explanation } from '../session/explanation.svelte';
import { ATTENTION_WEIGHT, type Compared, compareSides, type Side } from './compared';
import { FEATURES, mapOf, SIMILARITY } from './kinds';

type Map = Pick<Side, 'title' | 'quantity' | 'unit' | 'values'> & Partial<Pick<Side, 'scores' | 'whyEmpty'>>;

/** What is compared. */
interface Pair {
  a: Explanation;
  b: Explanation;
  request: ComparisonRequest;
}

/** Compare two sides whose maps an engine computes.
    @param snapshots names of those of the model */
export async function compare(
  engine: Engine,
  { a, b, request }: Pair,
  methods: readonly MethodInfo[],
  snapshots: readonly string[],
  signal: AbortSignal,
): Promise<Compared> {
  const [first, second] = await Promise.all([
    fetchMap(engine, a, request.a.view as View, a, methods, signal),
    fetchMap(engine, b, request.b.view as View, a, methods, signal),
  ]);
  return compareSides(sideOf(a, first, snapshots), sideOf(b, second, snapshots));
}

function sideOf({ subject, shape, reply }: Explanation, map: Map, snapshots: readonly string[]): Side {
  const { rows, columns, aspect, layers } = shape;
  const removed = ablationOf(subject, 'drop').patches;
  const hasValues = !map.whyEmpty && !map.scores;
  return {
    ...{ rows, columns, aspect, layers, scores: null, whyEmpty: '', ...map },
    kept: Array.from({ length: patchCount(shape) }, (_, patch) => hasValues && !removed.includes(patch)),
    tokens: tokenCount(shape),
    labels: reply.classes,
    probabilities: reply.classes.length ? reply.probabilities : null,
    names: {
      model: isOfRun(subject.model) ? runName(subject.model) : subject.model,
      image: reply.image.name,
      snapshot: snapshots[subject.snapshot ?? -1] ?? '',
      changes: changesLine(ablationOf(subject)),
    },
  };
}

/** @param a the image of the patch of a similarity */
async function fetchMap(
  engine: Engine,
  explanation: Explanation,
  view: View,
  a: Explanation,
  methods: readonly MethodInfo[],
  signal: AbortSignal,
): Promise<Map> {
  const { subject, shape, reply } = explanation;
  const count = patchCount(shape);
  const layer = typeof view.layer === 'number' ? view.layer : shape.layers - 1;
  const map = mapOf(view);
  if (map === FEATURES) {
    const { scores } = await engine.request('explanations/features', { subject }, signal);
    const ofLayer = floatsOf(scores).slice(3 * layer * count, 3 * (layer + 1) * count);
    const title = `Layer ${layer + 1}, features`;
    return { title, quantity: 'features', unit: 'colors', values: new Float32Array(count), scores: ofLayer };
  }
  if (map === SIMILARITY) {
    const [patch] = view.query;
    const request = { subject: a.subject, patch, other: explanation === a ? null : subject };
    const { values } = await engine.request('explanations/similarity', request, signal);
    const title = `Layer ${layer + 1}, similarity to ${patchName(patch, a.shape)} of A`;
    const ofLayer = floatsOf(values).slice(layer * count, (layer + 1) * count);
    return { title, quantity: 'similarity', unit: 'cosine', values: ofLayer };
  }
  const method = methods.find(({ key }) => key === map);
  if (!method) return attentionOf(engine, explanation, view, signal);
  const { target } = view;
  const request = { subject, method: method.key, target };
  const found = await engine.request('explanations/map', request, signal, () => {});
  const classes = [target[0] ?? explanation.predictedClass, ...target.slice(1)].map((k) => reply.classes[k]);
  return {
    title: methodTitle(method, classes),
    quantity: method.unit === 'weights' ? ATTENTION_WEIGHT : method.key,
    unit: method.unit,
    values: Float32Array.from(found.map),
  };
}

/** The attention of a head or a mean. */
async function attentionOf(engine: Engine, explanation: Explanation, view: View, signal: AbortSignal): Promise<Map> {
  const { subject, shape, defaultRows, pool } = explanation;
  const { layer, head } = view;
  const direction: Direction = view.direction === 'to' ? 'to' : 'from';
  const query = [...view.query];
  const isDefault = !query.length && direction === 'from';
  const given = isDefault
    ? defaultRows
    : await engine.request('explanations/rows', { subject, query, direction }, signal);
  const ablation = ablationOf(subject);
  const isEmpty = (l: number, h: number) => Boolean(whyEmpty(ablation, shape, l, h));
  const rows = makeRows(shape);
  fillRows(rows, shape, { defaultRows: given, full: null, pool }, [], 'from', isEmpty);
  const why = layer === POOL ? '' : whyEmpty(ablation, shape, layer, head);
  return {
    title: mapName(layer, head),
    quantity: ATTENTION_WEIGHT,
    unit: 'weights',
    values: rowOf(rows, shape, layer, head).slice(shape.prefix),
    whyEmpty: why === LACKING ? 'absent' : why,
  };
}
