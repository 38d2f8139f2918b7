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

export const STEPS: readonly Step[] = [
  {
    id: 'overview',
    title: 'The whole path',
    text: (pass) => [
      `A Vision Transformer cuts the image into ${patchesOf(pass)} patches and turns each into a token, a vector of ${pass.lesson.model.embedDim} numbers.`,
      `${counted(pass.shape.layers, 'layer', 'layers')} of attention and MLP rewrite the tokens. A classification head reads the last ones.`,
      'All numbers in this lesson are those of this model on this image.',
    ],
    tryIt: 'Choose a part of the picture to open its step.',
    question: 'In which part do patches exchange information?',
    answer: () => 'In attention alone. Patch embedding, norms and MLPs treat every token on its own.',
  },
  {
    id: 'patches',
    title: 'Pixels become patches',
    text: (pass) => [
      `Patches of ${sideOf(pass)} × ${sideOf(pass)} pixels give ${patchesOf(pass)} tokens. Attention compares all pairs, so half the side means sixteen times the pairs.`,
      `The ViT paper cuts 16 × 16. An image of ${pass.lesson.model.imgSize.join(' × ')} would have ${countAt(pass, 16)} of those.`,
      'Cutting is a reshape, and the wrong one runs without an error: on the right, each patch is a strip of one pixel row.',
    ],
    tryIt: 'Point at a patch. Where do its pixels come from in the wrong image?',
    question: 'Why can a network with the wrong patches still learn something?',
    answer: () =>
      'The same strip always becomes the same token, so position embeddings can learn where it was. What is lost is the square neighborhood.',
  },
  {
    id: 'embedding',
    title: 'A patch becomes a token',
    text: (pass) => [
      `Each of the ${pass.lesson.model.embedDim} numbers of a token has a filter as large as a patch. Multiply pixel by pixel, add everything up, and add a bias: that is one number.`,
      'It is a convolution whose stride equals its kernel.',
    ],
    tryIt: 'Change the patch and the dimension. Which filter answers to edges, which to color?',
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
            'Attention ignores order: shuffled patches would give the same answer. So a learned vector is added to each patch, the position embedding.',
            'The map compares the vector of one patch with all others. Nobody told the model about rows and columns, yet neighbors are alike.',
          ]
        : [
            'Attention ignores order. This model adds no position embedding: it rotates queries and keys by an angle that depends on the place.',
            'So there is nothing to compare here; open a model with learned positions to see them.',
          ],
    tryIt: 'Point at a corner, then at the center.',
    question: 'What happens to a model without any positions?',
    answer: () =>
      'It sees a bag of patches. In the ViT paper (appendix D.4) that costs three points of few-shot accuracy.',
  },
  {
    id: 'class-token',
    title: 'The class token',
    text: (pass) =>
      pass.lesson.patchPredictions
        ? [
            'One more token belongs to no patch. It starts as the same learned vector for every image, collects what it needs by attention, and is the only one that the head reads.',
            `The map applies the head to the patch tokens instead: how probable is ${winner(pass)} there?`,
          ]
        : [
            'Many ViTs add a class token, which collects what it needs by attention and is the only one that the head reads.',
            'The head of this model reads its tokens in another way, so there is no single token to swap.',
          ],
    tryIt: 'Point at patches. Do they name the same class?',
    question: 'Is a map of these probabilities a segmentation?',
    answer: () => 'No. The head never learned to read patch tokens, and each has attended to the whole image.',
  },
  {
    id: 'attention',
    title: 'Query meets key',
    text: (pass) => [
      `In each head a token has a query q, what it looks for, and a key k, what it offers: ${pass.lesson.model.headDim} numbers each.`,
      `Their dot product, divided by √${pass.lesson.model.headDim}, is a score. Softmax turns the scores of ${tokensOf(pass)} keys into weights that sum to 100 %.`,
      'The output is the sum of all values v times these weights.',
    ],
    tryIt:
      'Point at patches to choose the key. Find one that gets less than uniform attention. Which products pull it down?',
    question: 'Why divide by the square root?',
    answer: () =>
      'Sums of more products are larger. Without the division, softmax would put nearly all weight on one key, and gradients would vanish.',
  },
  {
    id: 'heads',
    title: 'Many heads',
    text: (pass) => [
      `Layer by layer, ${counted(pass.shape.heads, 'head', 'heads')} do this at once, each with its own queries, keys and values of ${pass.lesson.model.headDim} numbers.`,
      'Every tile is the attention of one head to the patches, on one scale. Some heads follow the object, some a place, some attend to everything.',
    ],
    tryIt: 'Choose a head: the step before shows its numbers.',
    question: 'Is a head with a sharp map more important?',
    answer: () =>
      'Not necessarily. Its values may be small, or later layers may ignore them. Ablate it in Explore and see.',
  },
  {
    id: 'layers',
    title: 'Layer by layer',
    text: () => [
      'Attention and MLP do not replace a token, they add to it: the residual stream. So the head can read it after any layer, the logit lens.',
      'The bars show what it would answer there, the line the length of the token, which grows with every addition.',
    ],
    tryIt: 'Find the layer after which the answer no longer changes.',
    question: 'Had earlier layers done nothing?',
    answer: () => 'They had prepared it. The lens sees only what is already written in the language of the head.',
  },
  {
    id: 'softmax',
    title: 'Logits and softmax',
    text: withHead((pass) => [
      `The head multiplies the token by one vector per class: ${pass.reply.classes.length} logits. Softmax raises e to each and divides by the sum.`,
      'Only differences count. One logit more multiplies the odds by 2.7.',
    ]),
    tryIt: 'Divide all logits by a temperature. Does the order of the classes change?',
    question: 'Is a probability of 99 % a certainty?',
    answer: () => 'No. It is the model’s own estimate, learned on its training images, and often too sure elsewhere.',
  },
  {
    id: 'contributions',
    title: 'Who wrote the answer?',
    text: withHead((pass) => [
      `Since layers only add, the logit of ${winner(pass)} is a sum: what each attention and each MLP wrote, plus embedding and biases. The bars add up to it exactly.`,
      'The map beside shows which patches have similar tokens at the end.',
    ]),
    tryIt: 'Point at a patch of the object, then at the background.',
    question: 'Do late layers matter more because their bars are longer?',
    answer: () =>
      'They write the answer, but from what earlier layers prepared. Direct contributions do not count that help.',
  },
  {
    id: 'removal',
    title: 'Attention is not explanation',
    text: withHead((pass) => [
      `A map names patches. If they carried the answer, removing them would hurt more than removing as many at random.`,
      `The bars paint ${counted(pass.lesson.removals[0]?.patches.length ?? 0, 'patch', 'patches')} in the mean color: those that attention names, those of balanced gradients, and ${pass.lesson.random.length} random sets.`,
      'On one image any of them may win. Over hundreds, balanced gradients name them better.',
    ]),
    tryIt: 'A game: remove patches until the answer changes. How few do you need? The address carries your try.',
    question: 'What does attention show, then?',
    answer: () => 'Where the model reads. What it does with it depends on values, MLPs and later layers.',
  },
  {
    id: 'training',
    title: 'What training changed',
    text: () => [
      'At the start, weights are random and attention is nearly uniform. The maps show the last layer while the model learned.',
      'All share one scale. Below each is the probability of the right class at that time.',
    ],
    tryIt: 'Which place stands out first? When does the map stop changing, and when the probability?',
    question: 'Is a sharper map a better model?',
    answer: () =>
      'No: a network trained longer may have sharp maps that name fewer of the patches it uses. Measure them, as the last step did.',
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

export const wordsOf = (step: Step, pass: Pass) =>
  [step.title, ...step.text(pass), step.tryIt, step.question, step.answer(pass)].join(' ').split(/\s+/);

/** "cat, 83.4 %" */
export const answerOf = ({ reply }: Pass, probabilities: readonly number[]) => {
  const best = probabilities.indexOf(Math.max(...probabilities));
  return `${reply.classes[best]}, ${percent(probabilities[best], 1)}`;
};
