/* The steps of the lesson: their words, with the numbers of the pass in the place of {names}. */

import { largest } from '../lib/numbers';
import type { LessonModel, TunedLens } from '../lib/routes';
import { counted, POSITION_START, percent, written } from '../lib/words';
import lesson from '../text/lesson.json';
import type { Pass } from './learnPage.svelte';

/** What a model may lack, so that a step says something else. */
type Part = 'head' | 'class_token' | 'class_token_readout' | 'position_embedding' | 'softmax' | 'inside';

export interface Step {
  id: string;
  title: string;
  text: readonly string[];
  needs_head?: boolean;
  needs_inside?: boolean;
  without?: Partial<Record<Part, readonly string[]>>;
  try_it?: string; // none of these in the exercises
  question?: string;
  answer?: string;
}

/** A task in the app, by the query string that it starts with, and its solution. */
export interface Exercise {
  task: string;
  page: string;
  link: string;
  answer: string;
  solution: string;
}

export const STEPS: readonly Step[] = lesson.steps;
export const EXERCISES: readonly Exercise[] = lesson.exercises;
export const EXERCISE_MODEL = lesson.exercise_model;

const PLACEHOLDER = /\{(\w+)\}/g;

/** The numbers and names of a pass that the words contain. */
function valuesOf({
  explanation: { reply, shape },
  lesson: { model, patch_predictions, removals, random, reshaped },
}: Pass) {
  const { patch_size, embed_dim, patch_bias: hasBias } = model;
  const patches = shape.rows * shape.columns;
  const hasHead = reply.classes.length > 0;
  return {
    patches,
    tokens: patches + shape.prefix,
    embed_dim,
    head_dim: model.head_dim,
    scaled_width: model.scaled_width,
    plus_bias: model.rel_pos_bias ? ', plus a bias for their relative position' : '',
    position_instead: positionInstead(model),
    patch_size,
    answers: reshaped ? ', and what this model answers to each' : '',
    embedding_bias: hasBias ? ' and the biases' : '',
    embedding_weights: (3 * patch_size ** 2 * embed_dim + (hasBias ? embed_dim : 0)).toLocaleString('en'),
    position_start: POSITION_START[model.position_start],
    score_factor: written(Math.sqrt(model.scaled_width), 1),
    layers: counted(shape.layers, 'layer', 'layers'),
    heads: counted(shape.heads, 'head', 'heads'),
    classes: reply.classes.length,
    prediction: reply.classes[largest(reply.probabilities)] ?? '',
    read_by_head: hasHead
      ? `, and a classifier head reads ${patch_predictions ? 'one of them, the class token' : 'the last ones'}`
      : '',
    removed: counted(removals[0]?.patches.length ?? 0, 'patch', 'patches'),
    random_orders: random.length,
  };
}

function positionInstead({ rotary, rel_pos_bias }: LessonModel) {
  if (rotary) return ': it rotates queries and keys by an angle that depends on the place';
  return rel_pos_bias ? ': its scores have a learned bias for the relative position of query and key' : '';
}

/** Replace each {name} by the value of the pass. */
const fill = (text: string, values: Record<string, string | number>) =>
  text.replace(PLACEHOLDER, (_, name: string) => String(values[name]));

function lacks({ explanation: { reply, shape }, lesson: { model, patch_predictions } }: Pass): Part[] {
  const parts: [Part, boolean][] = [
    ['head', reply.classes.length > 0],
    ['class_token', shape.class_token],
    ['class_token_readout', patch_predictions !== null],
    ['position_embedding', model.positions],
    ['softmax', !model.has_sigmoid],
    ['inside', !shape.captured],
  ];
  return parts.filter(([, isThere]) => !isThere).map(([part]) => part);
}

/** Whether a step shows what is not known of a captured model. */
export const isUnknown = (step: Step, { explanation: { shape } }: Pass) => Boolean(step.needs_inside && shape.captured);

const lacking = (step: Step, pass: Pass) => lacks(pass).find((one) => step.without?.[one]);

/** Whether the model lacks what a step is about, so that there is nothing to try or to ask. */
export function isAbsent(step: Step, pass: Pass) {
  const part = lacking(step, pass);
  const hasNoHead = step.needs_head && !pass.explanation.reply.classes.length;
  return (
    !step.try_it ||
    hasNoHead ||
    isUnknown(step, pass) ||
    (part !== undefined && part !== 'softmax' && part !== 'inside')
  );
}

/** The paragraphs of a step. */
export function textOf(step: Step, pass: Pass): string[] {
  if (isUnknown(step, pass)) return [lesson.without_inside];
  if (step.needs_head && !pass.explanation.reply.classes.length) return [lesson.without_head];
  const part = lacking(step, pass);
  const values = valuesOf(pass);
  return (part ? step.without?.[part] : step.text)?.map((text) => fill(text, values)) ?? [];
}

export const answerOf = (step: Step, pass: Pass) => fill(step.answer ?? '', valuesOf(pass));

/** The step with this id, or the first one. */
export const stepOf = (id: string | null) =>
  Math.max(
    0,
    STEPS.findIndex((step) => step.id === id),
  );

/** The words of a step, without or with the answer that can be opened. */
export const wordsOf = (step: Step, pass: Pass, answer = true) =>
  [
    step.title,
    ...textOf(step, pass),
    ...(isAbsent(step, pass) ? [] : [step.try_it, step.question, answer ? answerOf(step, pass) : '']),
  ]
    .join(' ')
    .trim()
    .split(/\s+/);

/** The first layer from which on the prediction leads also in the printed digits; 0 is the input.
    @param lens probabilities by layer */
export function decidedAt(lens: readonly (readonly number[])[], final: number) {
  const printed = (value: number) => Math.round(1000 * value);
  return lens.findLastIndex((one) => one.some((p, k) => k !== final && printed(p) >= printed(one[final]))) + 1;
}

/** Since when the prediction leads, and by how much then. */
export function leadLine(lens: readonly (readonly number[])[], classes: readonly string[], final: number) {
  const layer = decidedAt(lens, final);
  const then = lens[layer];
  if (!then || classes.length < 2) return '';
  const second = largest(then.with(final, -1));
  const [own, other] = [then[final], then[second]].map((value) => percent(value, 1));
  return `From ${layer ? `layer ${layer}` : 'the input'} on ${classes[final]} leads: there with ${own}, before ${classes[second]} with ${other}.`;
}

/** What the numbers of a tuned lens say about accuracy and localization. */
export function lensSentence({ accuracy, localization }: Pick<TunedLens, 'accuracy' | 'localization'>) {
  const [last, best] = [accuracy.length - 1, largest(accuracy)];
  const nameOf = (layer: number) => (layer === 0 ? 'the input' : layer === last ? 'the last layer' : `layer ${layer}`);
  const accurate = `The lens is most accurate after ${nameOf(best)}: ${percent(accuracy[best], 0)}.`;
  if (!localization) return accurate;
  const where = largest(localization);
  const [at, found] = [localization[best], localization[where]].map((value) => value.toFixed(2));
  if (where === best) return `${accurate} The AUROC of its map is the highest, too: ${found}.`;
  const less =
    best === last && at < localization[0].toFixed(2)
      ? ', below that of the input, as by then every patch has attended to the whole image'
      : '';
  return `${accurate} But the AUROC of its map is ${at}${less}; after ${nameOf(where)} it is ${found}.`;
}

/** "cat, 83.4 %" */
export const predictionOf = ({ explanation: { reply } }: Pass, probabilities: readonly number[]) => {
  const best = largest(probabilities);
  return `${reply.classes[best]}, ${percent(probabilities[best], 1)}`;
};
