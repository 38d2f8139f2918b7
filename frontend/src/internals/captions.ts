/* The text around each figure. */

import type { ProbesReply } from '../lib/api';

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
  | 'sinks';

export interface Caption {
  probe: Probe;
  title: string;
  question: string;
  caption: string;
  source: string;
  /** The lines of a chart, [class, name]. */
  key?: [string, string][];
}

export const CAPTIONS: Caption[] = [
  {
    probe: 'filters',
    title: 'Patch embedding filters',
    question: 'Which patterns does the first layer detect?',
    caption:
      'Each square is a principal component of the filters of the patch embedding, with its fraction of their variance. Gray is zero; each square has its own scale.',
    source: 'Dosovitskiy et al. 2021, figure 7 left',
  },
  {
    probe: 'positions',
    title: 'Position embedding similarity',
    question: 'Does the model know where patches are?',
    caption:
      'Each small square belongs to one position and shows the cosine similarity of its position embedding to those of all positions. In the paper the embeddings start from random values. Models trained here start from 2-D sine and cosine embeddings, so part of this structure was there from the start.',
    source: 'Dosovitskiy et al. 2021, figure 7 center',
  },
  {
    probe: 'distance',
    title: 'Attention distance',
    question: 'How far away are the patches that a head attends to?',
    caption:
      'A dot is a head, a short line the mean of heads: the distance between a query patch and the patches it attends to, weighted by attention. Low dots attend locally, high dots across the image; uniform attention gives the dashed line. Click a dot, or press Enter, to open the head in Explore.',
    source: 'Dosovitskiy et al. 2021, figure 7 right',
  },
  {
    probe: 'effective',
    title: 'Effective number of tokens (attention entropy)',
    question: 'How many tokens does the class token attend to?',
    caption:
      "A dot is a head, a short line the mean of heads: the exponential of the entropy of the class token's attention. One is a single token; uniform attention gives the dashed line, all tokens. Click a dot, or press Enter, to open the head in Explore.",
    source: 'Clark et al. 2019, section 3.3',
  },
  {
    probe: 'divergence',
    title: 'Head similarity (Jensen–Shannon divergence)',
    question: 'How different are the heads of a layer?',
    caption:
      "One square per layer, head against head: the Jensen–Shannon divergence of the class token's attention, in nats. Zero, as on the diagonal, is identical attention; ln 2 = 0.69 is attention to disjoint tokens.",
    source: 'Clark et al. 2019, section 6',
  },
  {
    probe: 'norms',
    title: 'Token norms',
    question: 'Are there outlier tokens?',
    key: [
      ['ink', 'class token'],
      ['data', 'patches, median'],
      ['data dotted', 'largest patch norm'],
      ['band', 'range over positions'],
    ],
    caption:
      'L2 norm of the output tokens of each layer, mean over the images. Outliers are patches whose norm is far above that of the others of their image (median + 5.2 median absolute deviations); about one in a hundred is common, and in large models some norms are ten times as large.',
    source: 'Darcet et al. 2024, section 2',
  },
  {
    probe: 'lens',
    title: 'Logit lens',
    question: 'At which layer does the prediction appear?',
    key: [
      ['ink', 'images with the final prediction'],
      ['data', 'its mean probability'],
    ],
    caption:
      'The classifier is applied to the output of each layer as if it were the last, and the result is compared with the final prediction. It was trained on the last layer only, so a low start does not mean that the early layers contain no information.',
    source: 'nostalgebraist 2020; Vilas et al. 2023',
  },
  {
    probe: 'cosine',
    title: 'Class-token similarity',
    question: 'Which patches resemble the class token?',
    caption:
      'One map per layer: cosine similarity of the class token and the patch at each position, mean over the images. Zero is orthogonal, one the same direction; all maps share one scale.',
    source: 'A plain cosine similarity, not from a paper',
  },
  {
    probe: 'cka',
    title: 'Layer similarity (CKA)',
    question: 'Which layers represent the images alike?',
    caption:
      'Layer against layer: linear CKA of their patch tokens. One means equal up to rotation and scale, zero unrelated.',
    source: 'Kornblith et al. 2019; Raghu et al. 2021, figure 1',
  },
  {
    probe: 'sinks',
    title: 'Attention sinks',
    question: 'Do heads park their attention on one token?',
    caption:
      'A dot is a head. Its height is the attention on the token that receives most, mean over all queries; its place from left to right is the norm of the value of that token, relative to the mean of all tokens. Upper left: much attention on a token that adds almost nothing, a no-op. Upper right: the head broadcasts what that token has gathered. The dashed line is uniform attention. Click a dot, or press Enter, to open the head in Explore.',
    source: 'arXiv 2606.08105',
  },
];

const OF_CLASS_TOKEN: readonly Probe[] = ['effective', 'divergence', 'cosine'];

/** The figures that a model has, and a sentence about those that it lacks; all before the first reply. */
export function captionsFor(
  model: Pick<ProbesReply, 'classToken' | 'classes' | 'position_similarity' | 'final_agreement'> | undefined,
): [Caption[], string] {
  if (!model) return [CAPTIONS, ''];
  const { classToken, classes } = model;
  const isRotary = !model.position_similarity[0][0][0][0]; // an embedding has a cosine of 1 with itself
  const isClassifier = model.final_agreement.length > 0;
  const isAbsent = ({ probe }: Caption) =>
    (!classToken && OF_CLASS_TOKEN.includes(probe)) ||
    (isRotary && probe === 'positions') ||
    (!isClassifier && probe === 'lens');
  const absent = CAPTIONS.filter(isAbsent).map(({ title }) => title);
  const lacks = [!classToken && 'class token', !classes && 'classification head'].filter(Boolean).join(' and no ');
  const reasons = [
    lacks && `has no ${lacks}`,
    isRotary && 'has rotary positions and no position embedding',
    classes > 0 && !isClassifier && 'was trained without labels',
  ].filter(Boolean);
  const sentence = absent.length ? `Not shown, as this model ${reasons.join(', and ')}: ${absent.join(', ')}.` : '';
  const shown = CAPTIONS.filter((caption) => !isAbsent(caption)).map((caption) =>
    classToken || caption.probe !== 'norms' ? caption : { ...caption, key: caption.key?.slice(1) },
  );
  return [shown, sentence];
}
