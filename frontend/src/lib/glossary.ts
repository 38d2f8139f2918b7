/* What the words of the field mean, for the help where they appear. */

import type { Scale } from './numbers';

export const GLOSSARY = {
  'attention weight':
    'In each head every token, the query, spreads a weight of 100 % over all tokens: the softmax of the products of its query with their keys. It says how much is read from where, not yet how much that matters for the prediction.',
  uniform:
    'Uniform attention gives every token the same weight, 1 divided by the number of tokens. A patch far above it is singled out; one near it is not.',
  'deletion score':
    'Patches are masked one after another, those ranked highest by the map first. The score is the mean drop of the probability of the class on the way, relative to its start. The higher, the better the map finds what the model uses. Scores of a single image are noisy.',
  'random baseline':
    'The same measured with 20 random orders: the mark is their mean, SD their standard deviation. A map within 2 SD of the mean may be luck; one below it is worse than guessing. The map called Random is one such order, so its score differs from the mark by chance alone.',
  logit:
    'The output of the model for a class before the softmax turns all of them into probabilities. One more in a logit multiplies the odds of the class by 2.7.',
  contribution:
    'The logit is a sum: of what every head wrote for every token it read, of every MLP, the embedding and the biases. The numbers are its summands, in logits. Above 0 speaks for the class, below 0 against it.',
  'recovered difference':
    'Activation patching replaces one activation in the forward pass of image B by that of image A. 0: nothing changes. 1: this activation alone gives B the logit of A. The effects of several activations do not add up.',
  'cosine similarity':
    'The cosine of the angle between the features of two tokens: 1 for the same direction, 0 for unrelated ones. It compares what the tokens contain; attention says which token reads from which.',
  'relative value':
    'Methods other than attention have units of their own. Their maps are divided by their maximum, so that they can be compared by shape, not by size.',
} as const;

export type Term = keyof typeof GLOSSARY;

/** The term that explains the unit of a scale. */
export function termOf(scale: Scale): Term {
  if (scale.kind === 'signed') return 'logit';
  if (scale.kind === 'uniform') return 'uniform';
  return scale.isWeight ? 'attention weight' : 'relative value';
}
