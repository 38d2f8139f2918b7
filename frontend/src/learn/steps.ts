/* The steps of the lesson: their words. Numbers come from the pass. */

import { counted, percent } from '../lib/words';
import type { Pass } from './state.svelte';

export interface Step {
  id: string;
  title: string;
  text: (pass: Pass) => string[];
  tryIt: string;
  question: string;
  answer: (pass: Pass) => string;
}

const patchesOf = ({ shape }: Pass) => shape.rows * shape.columns;
const sideOf = ({ lesson }: Pass) => lesson.model.patchSize;
const tokensOf = (pass: Pass) => patchesOf(pass) + pass.shape.prefix;
const winner = ({ reply }: Pass) => reply.classes[reply.probabilities.indexOf(Math.max(...reply.probabilities))] ?? '';

const WITHOUT_HEAD = [
  'This step needs a classification head, and this model has none. Choose another model to see it.',
];
/** The words of a step that needs a head. */
const withHead = (text: Step['text']) => (pass: Pass) => (pass.reply.classes.length ? text(pass) : WITHOUT_HEAD);

/** Which tokens the classification head reads, if there is one. */
function readByHead({ reply, lesson }: Pass) {
  if (!reply.classes.length) return '';
  return `, and a classification head reads ${lesson.patchPredictions ? 'one of them, the class token' : 'the last ones'}`;
}

export const STEPS: readonly Step[] = [
  {
    id: 'overview',
    title: 'The whole path',
    text: (pass) => [
      `A Vision Transformer cuts the image into ${patchesOf(pass)} patches and turns each into a token, a vector of ${pass.lesson.model.embedDim} numbers.`,
      `Then ${counted(pass.shape.layers, 'layer', 'layers')} of attention and MLP update the tokens${readByHead(pass)}.`,
      'All numbers in this lesson are those of this model on this image.',
    ],
    tryIt: 'Choose a part of the figure to open its step.',
    question: 'In which part do patches exchange information?',
    answer: () => 'In attention alone. Patch embedding, norms and MLPs treat every token on its own.',
  },
  {
    id: 'patches',
    title: 'Pixels become patches',
    text: (pass) => [
      `Patches of ${sideOf(pass)} × ${sideOf(pass)} pixels give ${patchesOf(pass)} tokens. Attention compares all pairs, so half the side costs sixteen times the products.`,
      `Patches of the ViT paper have 16 × 16 pixels: an image of ${pass.lesson.model.imgSize.join(' × ')} would have ${countAt(pass, 16)}.`,
      'Cutting is a reshape. A tutorial’s wrong one runs without an error: on the right, each patch is a strip of the image.',
    ],
    tryIt: 'Point at a patch on the right. Where are its pixels?',
    question: 'Why can a network still learn with wrong patches?',
    answer: () =>
      'The same place always becomes the same token, and position embeddings can learn where it is. What is lost: a patch has no shape, only a row of colors.',
  },
  {
    id: 'embedding',
    title: 'A patch becomes a token',
    text: (pass) => [
      `Each of the ${pass.lesson.model.embedDim} numbers of a token has a filter as large as a patch. Multiply pixel by pixel, sum the products, and add bias and position: that is one number of the token.`,
      'It is a convolution whose stride equals its kernel.',
    ],
    tryIt: 'Change patch and dimension. Which filters respond to edges, which to color?',
    question: 'How many weights does this layer have?',
    answer: ({ lesson: { model } }) => {
      const inputs = 3 * model.patchSize ** 2;
      return `3 × ${model.patchSize} × ${model.patchSize} inputs times ${model.embedDim} outputs and the biases: ${(inputs * model.embedDim + model.embedDim).toLocaleString('en')}.`;
    },
  },
  {
    id: 'positions',
    title: 'Where was the patch?',
    text: (pass) =>
      pass.lesson.model.positions
        ? [
            'Attention ignores order: shuffled patches would give the same prediction. So each place has a learned vector, the position embedding, that is added to its patch.',
            'The map compares the vector of one place with all others. No rows and columns are built in, yet neighbors are alike.',
          ]
        : [
            'Attention ignores order. This model adds no position embedding: it rotates queries and keys by an angle that depends on the place.',
            'So there is nothing to compare here; open a model with learned positions to see them.',
          ],
    tryIt: 'Point at a corner, then at the center.',
    question: 'What happens to a model without any positions?',
    answer: () =>
      'It sees a bag of patches. In the ViT paper (appendix D.4) that costs about three points of few-shot accuracy.',
  },
  {
    id: 'class-token',
    title: 'The class token',
    text: (pass) =>
      pass.lesson.patchPredictions
        ? [
            'One more token belongs to no patch. It starts as the same learned vector for every image, gathers information by attention, and is the only token that the head reads.',
            `The map applies the head to the patch tokens instead: how probable is ${winner(pass)} there?`,
          ]
        : [
            'Many ViTs add a class token, which gathers information by attention and is the only token that the head reads.',
            pass.reply.classes.length
              ? 'The head of this model reads its tokens in another way, so there is no single token to swap.'
              : 'This model has no classification head, so no token is read.',
          ],
    tryIt: 'Point at patches. Do they predict the same class?',
    question: 'Is a map of these probabilities a segmentation?',
    answer: () => 'No. The head never learned to read patch tokens, and each has attended to the whole image.',
  },
  {
    id: 'attention',
    title: 'Query meets key',
    text: (pass) => [
      `In each head a token has a query q, what it looks for, and a key k, what it offers: ${pass.lesson.model.headDim} numbers each.`,
      `Their dot product, divided by √${pass.lesson.model.scaledWidth}, is a score. Softmax turns the scores of ${tokensOf(pass)} keys into weights that sum to 100 %.`,
      'The output is the sum of all values v times these weights.',
    ],
    tryIt:
      'Point at a patch to choose the key, at a number for its source. Which products give a key less than uniform attention?',
    question: 'Why divide by the square root?',
    answer: () =>
      'Sums of more products are larger. Without the division, softmax would put nearly all weight on one key, and gradients would vanish.',
  },
  {
    id: 'heads',
    title: 'Many heads',
    text: (pass) => [
      `Layer by layer, ${counted(pass.shape.heads, 'head', 'heads')} do this at once, each with its own queries, keys and values of ${pass.lesson.model.headDim} numbers.`,
      'Every tile is the attention of one head to the patches, on one scale. Compare their shapes: some follow parts of the object, some a place.',
    ],
    tryIt: 'Choose another layer, then a head; the step before shows its numbers.',
    question: 'Is a head with a sharp map more important?',
    answer: () =>
      'Not necessarily. Its values may be small, or later layers may ignore them. Ablate it in Explore and see.',
  },
  {
    id: 'layers',
    title: 'Layer by layer',
    text: () => [
      'Attention and MLP do not replace a token, they add to it: the residual stream. So the head can be applied after any layer, the logit lens.',
      'The upper bars show what it would predict there, the lower ones the norm of the token. LayerNorm divides that out again before each attention, MLP and head.',
    ],
    tryIt: 'Find the layer after which the prediction no longer changes.',
    question: 'Did the layers before do nothing?',
    answer: () => 'They prepared it. The lens shows only what the head can already read.',
  },
  {
    id: 'softmax',
    title: 'Logits and softmax',
    text: withHead((pass) => [
      `The head multiplies the token by one vector per class: ${pass.reply.classes.length} logits. Softmax takes e to the power of each and divides by the sum.`,
      'Only differences matter: one logit more multiplies the odds by e, 2.7.',
    ]),
    tryIt: 'Divide all logits by a temperature. Does the order of the classes change?',
    question: 'Is a probability of 99 % a certainty?',
    answer: () => 'No. It is the model’s own estimate, learned on its training images, and often too sure elsewhere.',
  },
  {
    id: 'contributions',
    title: 'What adds up to the prediction?',
    text: withHead((pass) => [
      `Since layers only add, the logit of ${winner(pass)} is a sum: the contributions of each attention and MLP, of the embedding and of biases. Each bar starts where the one above ends.`,
      'The map shows which patches have similar tokens after the last layer.',
    ]),
    tryIt: 'Point at a patch of the object, then at the background.',
    question: 'Do late layers matter more because their bars are longer?',
    answer: () =>
      'Not only: they build on what earlier layers prepared, and direct contributions do not count that help.',
  },
  {
    id: 'removal',
    title: 'Attention is not explanation',
    text: withHead((pass) => [
      'A map ranks patches. If the highest ones carried the prediction, removing them would lower its probability more than random ones.',
      `The bars compare: ${counted(pass.lesson.removals[0]?.patches.length ?? 0, 'patch', 'patches')} painted in the mean color, ranked by attention, by balanced gradients, or drawn at random ${pass.lesson.random.length} times.`,
      'On one image any may win. Over 500 test images with cifar10-ti4, attention beats random, and balanced gradients beat attention.',
    ]),
    tryIt: 'A game: change the prediction by removing as few patches as possible. The link carries your try.',
    question: 'What does attention show, then?',
    answer: () => 'Which tokens are read. What that does to the prediction depends on values, MLPs and later layers.',
  },
  {
    id: 'training',
    title: 'What training changed',
    text: () => [
      'At the start, weights are random and attention is nearly uniform. The maps show the attention of the last layer in the course of training.',
      'All are on one scale. Below each is the probability of the correct class then.',
    ],
    tryIt: 'Which place stands out first? Which stops changing earlier, map or probability?',
    question: 'Is a sharper map a better model?',
    answer: () =>
      'Not necessarily. A map can be sharp and rank patches that do not matter. Test it, as in the step before.',
  },
];

const countAt = ({ lesson: { model } }: Pass, size: number) =>
  Math.floor(model.imgSize[0] / size) * Math.floor(model.imgSize[1] / size);

/** The step with this id, or the first one. */
export const stepOf = (id: string | null) =>
  Math.max(
    0,
    STEPS.findIndex((step) => step.id === id),
  );

/** The words of a step, without or with the answer that can be opened. */
export const wordsOf = (step: Step, pass: Pass, answer = true) =>
  [step.title, ...step.text(pass), step.tryIt, step.question, answer ? step.answer(pass) : '']
    .join(' ')
    .trim()
    .split(/\s+/);

/** The first layer after which the prediction stays the same; 0 is the input.
    @param lens probabilities by layer, the last ones those of the prediction */
export function decidedAt(lens: readonly (readonly number[])[], final: number) {
  return lens.findLastIndex((one) => one.indexOf(Math.max(...one)) !== final) + 1;
}

/** "cat, 83.4 %" */
export const predictionOf = ({ reply }: Pass, probabilities: readonly number[]) => {
  const best = probabilities.indexOf(Math.max(...probabilities));
  return `${reply.classes[best]}, ${percent(probabilities[best], 1)}`;
};
