/* The text around each figure. */

import type { Probes } from '../lib/routes';
import { POSITION_START } from '../lib/words';
import captions from '../text/internals.json';

export type Probe =
  | 'filters'
  | 'positions'
  | 'distance'
  | 'effective'
  | 'divergence'
  | 'norms'
  | 'lens'
  | 'cosine'
  | 'cka'
  | 'sinks'
  | 'heads'
  | 'decision';

export interface Caption {
  probe: Probe;
  title: string;
  question: string;
  caption: string;
  source: string;
  /** The lines of a chart, [class, name]. */
  key?: [string, string][];
}

export const CAPTIONS = captions as Caption[];

const OF_CLASS_TOKEN: readonly Probe[] = ['effective', 'divergence', 'cosine'];
const OF_STATISTICS: readonly Probe[] = ['heads', 'decision'];
const OF_ATTENTION: readonly Probe[] = ['distance', 'effective', 'divergence'];

/** The figures that a model has, and a sentence about those that it lacks; all before the first reply. */
export function captionsFor(
  model:
    | Pick<
        Probes,
        | 'class_token'
        | 'captured'
        | 'classes'
        | 'position_start'
        | 'position_similarity'
        | 'final_agreement'
        | 'head_images'
        | 'pairs'
      >
    | undefined,
): [Caption[], string] {
  if (!model) return [CAPTIONS, ''];
  const { class_token, captured, classes, head_images, pairs } = model;
  const isRotary = !captured && !model.position_similarity[0][0][0][0]; // an embedding has a cosine of 1 with itself
  const isClassifier = captured || model.final_agreement.length > 0;
  const isAbsent = ({ probe }: Caption) =>
    (captured && !OF_ATTENTION.includes(probe)) ||
    (!class_token && OF_CLASS_TOKEN.includes(probe)) ||
    (isRotary && probe === 'positions') ||
    (!isClassifier && probe === 'lens') ||
    (!head_images && probe === 'heads') ||
    (!pairs && probe === 'decision');
  const needsMany = ({ probe }: Caption) => !captured && !head_images && OF_STATISTICS.includes(probe);
  const titles = (captions: Caption[]) => captions.map(({ title }) => title);
  const absent = titles(CAPTIONS.filter((caption) => isAbsent(caption) && !needsMany(caption)));
  const few = titles(CAPTIONS.filter(needsMany));
  const lacks = [!class_token && 'class token', !classes && !captured && 'classification head']
    .filter(Boolean)
    .join(' and no ');
  const reasons = [
    captured && 'runs as it is, so that only its attention and outputs are known',
    lacks && `has no ${lacks}`,
    isRotary && 'has rotary positions and no position embedding',
    classes > 0 && !isClassifier && 'was trained without labels',
    head_images > 0 && !pairs && isClassifier && 'does not predict from the class token alone',
  ].filter(Boolean);
  const sentences = [
    absent.length ? `Not shown, as this model ${reasons.join(', and ')}: ${absent.join(', ')}.` : '',
    few.length ? `Shown once they were measured over at least 128 images, as the test images: ${few.join(', ')}.` : '',
  ];
  const shown = CAPTIONS.filter((caption) => !isAbsent(caption)).map((caption) => {
    if (caption.probe === 'positions')
      return { ...caption, caption: `${caption.caption} ${POSITION_START[model.position_start]}` };
    return class_token || caption.probe !== 'norms' ? caption : { ...caption, key: caption.key?.slice(1) };
  });
  return [shown, sentences.join(' ').trim()];
}
