/* What happens: one sentence a beat, with the numbers of the moment. */

import {
  capital,
  counted,
  type Line,
  patchName,
  percent,
  prefixName,
  signed,
  tokenName,
  written,
} from '../../lib/words';
import { arrivedAt, keyAt, lengthOf, playheadAt, readings, type Story, scannedAt } from './story';
import { BEATS, type BeatId, Moment } from './timeline';

const strong = (value: string | number) => ({ strong: String(value) });

const SENTENCES: Record<BeatId, (s: Story, m: Moment) => Line> = {
  patches: ({ shape, model }) => {
    const [height, width] = model.img_size;
    return [
      'An image of ',
      strong(`${width} × ${height}`),
      ' pixels is cut into ',
      strong(shape.rows * shape.columns),
      ' patches.',
    ];
  },
  embedding: (s) => [
    'A filter is multiplied with the ',
    strong(s.inputs.length),
    ' numbers of a patch, and the products are summed: number 1 is ',
    strong(signed(s.patch.product)),
    '. ',
    strong(s.model.embed_dim),
    ' filters give as many numbers.',
  ],
  position: (s) => {
    const added = [
      ...(s.model.patch_bias ? ['the bias'] : []),
      ...(s.model.positions ? [`the position embedding of ${patchName(s.followed, s.shape)}`] : []),
    ];
    const what = added.length
      ? `${capital(added.join(' and '))} ${added.length > 1 ? 'are' : 'is'} added`
      : 'Nothing is added';
    const later = s.model.positions
      ? ''
      : s.model.rotary
        ? '; positions rotate queries and keys later'
        : s.model.rel_pos_bias
          ? '; positions are a bias of the scores later'
          : '';
    const norm = s.rest ? '' : ', and all is normalized';
    return [`${what}${later}${norm}: number 1 becomes `, strong(signed(s.tokenAt(0, s.row)[0])), '.'];
  },
  tokens: ({ shape, weightCount }) => [
    'All patches become tokens by the same filters. ',
    ...(shape.prefix ? [`With ${prefixName(shape)}, which ${shape.prefix > 1 ? 'have' : 'has'} no pixels, `] : []),
    strong(weightCount),
    ' tokens enter layer 1.',
  ],
  query: (s) => [
    ...place(s),
    `after LayerNorm, one matrix turns ${nameOf(s)} into a query, and another one every token into a key of `,
    strong(s.block.size),
    ' numbers. A row stays that of its patch, but earlier layers have mixed others into it.',
  ],
  scores: (s, m) => {
    const key = keyAt(s, m);
    return [
      ...place(s),
      `the query meets each key: ${tokenName(key, s.shape)} scores `,
      strong(signed(s.block.scores[key])),
      '.',
      ` ${Math.min(scannedAt(s, m) + 1, s.weightCount)} of ${s.weightCount} keys.`,
    ];
  },
  weights: (s) => [
    'Softmax turns ',
    strong(s.weightCount),
    ' scores into weights that sum to ',
    strong(percent(1, 0)),
    `: ${patchName(s.followed, s.shape)} gets `,
    strong(percent(s.block.weights[s.shape.prefix + s.followed])),
    '.',
  ],
  values: (s, m) => {
    const count = arrivedAt(s, m);
    return [
      'Each token has a value, too. The values, times their weights, are added up: ',
      strong(count),
      ` of ${s.weightCount}, which have `,
      strong(percent(Math.min(1, s.sums[count]), 0)),
      ' of the weight.',
    ];
  },
  heads: (s) => [
    ...(s.shape.heads > 1
      ? [strong(s.shape.heads), ' heads do this in parallel, each with its own matrices. ']
      : ['The layer has one head. ']),
    `The output projection turns ${s.shape.heads > 1 ? 'their' : 'its'} ${s.shape.heads * s.block.size} numbers into what attention adds to ${nameOf(s)}.`,
  ],
  mlp: (s, m) => {
    const { input, attention, mlp } = s.block;
    const parts =
      m.after('mlp', 4.5) >= 0 ? [input, attention, mlp] : m.after('mlp', 1.4) >= 0 ? [input, attention] : [input];
    return [
      'Attention is added, then an MLP of ',
      strong(s.model.mlp_dim),
      ` units, which sees this token alone: the length of ${nameOf(s)} is `,
      strong(written(lengthOf(...parts), 1)),
      '.',
    ];
  },
  layers: (s, m) => {
    const layer = Math.floor(playheadAt(s, m) + 1e-6);
    const { lens, norms } = s.pass.lesson;
    const { classes } = s.pass.explanation.reply;
    const where = layer ? ['After layer ', strong(layer)] : ['Before layer 1'];
    if (!classes.length)
      return [
        ...where,
        s.shape.class_token ? ', the length of the class token is ' : ', the mean length of the patch tokens is ',
        strong(written(norms[layer], 1)),
        '.',
      ];
    return [...where, ' the classifier head would read ', strong(readings(lens[layer], classes, 2)), '.'];
  },
  answer: (s) => {
    const { classes, probabilities } = s.pass.explanation.reply;
    if (!classes.length) return ['This model has no classifier head: the tokens of the last layer are its result.'];
    const best = s.classes[0];
    return [
      `After the last norm, the classifier head turns ${s.readsClassToken ? 'the class token' : 'the last tokens'} into `,
      strong(counted(classes.length, 'logit', 'logits')),
      `; ${s.model.has_sigmoid ? 'sigmoids make' : 'softmax makes'} them probabilities: `,
      strong(`${classes[best]}, ${percent(probabilities[best], 1)}`),
      '.',
    ];
  },
  whole: (s) => [
    `The whole path of ${patchName(s.followed, s.shape)}: its row until layer ${s.layer + 1}, where `,
    ...(s.block.token === s.shape.prefix + s.followed
      ? ['it asks as the query']
      : [
          `${nameOf(s)} takes its value with a weight of `,
          strong(percent(s.block.weights[s.shape.prefix + s.followed])),
          ' in this head',
        ]),
    '. Other heads, layers and patches act as well.',
  ],
};

const nameOf = ({ block, shape }: Story) => tokenName(block.token, shape);
const place = ({ layer, head }: Story): Line => ['Layer ', strong(layer + 1), ', head ', strong(head + 1), ': '];

export const sentenceAt = (story: Story, time: number): Line => {
  const moment = new Moment(time);
  return SENTENCES[BEATS[moment.beat].id](story, moment);
};
