/* The comparison in the address: A by the parameters of Explore, B's own values by the same ones with the prefix "b.". */

import { oneOf, parseIndices, unavailable } from '../lib/address';
import { imageName } from '../lib/images';
import { DEFAULT_VIEW, type Subject, type Upload, type View } from '../lib/view';
import type { Linked } from '../session/session.svelte';
import { addressOf, type Lists, parseAddress } from '../session/viewAddress';
import { ATTENTION, fieldsOf, type Kind, kindsFor, mapOf, type Own, ownOf } from './kinds';

const B = 'b.';
const OF_A = ['model', 'image', 'content', 'layer', 'head', 'query', 'direction', 'method', 'target', 'snapshot'];
/** The parameters of B's own values. */
const OF_B: Record<Kind, readonly string[]> = {
  image: ['image'],
  model: ['model'],
  snapshot: ['snapshot'],
  method: ['method'],
  class: ['target'],
  head: ['layer', 'head'],
  ablation: ['ablations'],
};

/** What a link requests. */
export interface LinkedComparison {
  kind: Kind;
  subject: Subject;
  linked: Linked;
  own: Own;
}

/** The parameters of the address, in order; null for a default. */
export function addressOfComparison(kind: Kind, subject: Subject, view: View, own: Own): Record<string, string | null> {
  const textOf = (one: Subject, shown: View): Record<string, string | null> => ({
    ...addressOf(one, shown),
    snapshot: one.snapshot === null ? null : String(one.snapshot),
  });
  const a = textOf(subject, view);
  const b = textOf({ ...subject, ...own }, { ...view, ...own });
  b.method ??= ATTENTION; // otherwise B would have its default
  return {
    compare: kind === 'image' ? null : kind,
    ...Object.fromEntries(OF_A.map((name) => [name, a[name]])),
    ablations: null,
    ...Object.fromEntries(
      Object.entries(OF_B).flatMap(([one, names]) => names.map((name) => [B + name, one === kind ? b[name] : null])),
    ),
  };
}

/** Read a link; what is not available is left out and named.
    @param uploads the uploaded images of the entry of the history, with name and crop */
export function parseComparison(
  params: URLSearchParams,
  lists: Lists & { static?: boolean },
  uploads: readonly [Upload | null, Upload | null] = [null, null],
): LinkedComparison {
  const requested = params.get('compare');
  const kinds = kindsFor(lists).map(([kind]) => kind);
  const kind = oneOf(requested, lists.samples.length > 1 ? kinds : ['ablation', ...kinds]);
  const a = parseAddress(params, lists, uploads[0]);
  const others = new URLSearchParams();
  for (const name of OF_B[kind]) others.set(name, params.get(B + name) ?? '');
  const isAttention = others.get('method') === ATTENTION;
  if (isAttention) others.delete('method');
  const b = parseAddress(others, lists, uploads[1]);
  const own: Own = { layer: b.view.layer, head: b.view.head };
  const { image, model } = b.subject;
  const missing: string[] = [];
  /** Whether B has a value; one that is not available is named. */
  const has = (name: 'image' | 'model' | 'method', text: string | null | undefined) => {
    const given = others.get(name);
    if (given && given !== text) missing.push(unavailable(`${name} B`, given));
    return given === text;
  };
  if (has('image', imageName(image))) own.image = image;
  if (has('model', model)) own.model = model;
  if (has('method', b.view.method) || isAttention) Object.assign(own, fieldsOf(b.view.method ?? ATTENTION));
  if (b.view.target?.length) own.target = b.view.target;
  if (b.subject.ablations.length) own.ablations = b.subject.ablations;
  own.snapshot = parseIndices(others.get('snapshot'))[0];
  const snapshot = kind === 'snapshot' ? (parseIndices(params.get('snapshot'))[0] ?? 0) : null;
  const other = requested && requested !== kind ? [unavailable('comparison', requested, kind)] : [];
  return {
    kind,
    subject: { ...a.subject, ablations: [], snapshot },
    linked: {
      view: { ...a.view, ...fieldsOf(mapOf({ ...DEFAULT_VIEW, ...a.view })) },
      missing: [...other, ...a.missing, ...missing],
    },
    own: ownOf(kind, own),
  };
}
