/* Activation patching between two images: words and numbers. Pure functions. */

import { largest, type Shape, tokenCount } from '../../lib/numbers';
import type { Patched as Reply } from '../../lib/routes';
import { capital, type Line, patchName, percent, signed, tokenName } from '../../lib/words';
import { colorRange, logitName } from './contributions';

export interface Patched {
  /** Of each layer: its heads, then its MLP. */
  rows: number[][];
  /** Of the color scales of heads and of MLPs, which replace all tokens at once and so have larger effects. */
  limits: { heads: number; mlp: number };
  logit: number;
  corruptedLogit: number;
  /** Names of the class and its contrast, if any. */
  classes: string[];
}

export function patchedOf({ heads, mlp, logit, corrupted_logit, target }: Reply, classes: readonly string[]) {
  const rows = heads.map((row, layer) => [...row, mlp[layer]]);
  const limitOf = (values: number[]) => Math.max(...values.map(Math.abs)) || 1;
  return {
    rows,
    limits: { heads: limitOf(heads.flat()), mlp: limitOf(mlp) },
    logit,
    corruptedLogit: corrupted_logit,
    classes: target.map((k) => classes[k]),
  } satisfies Patched;
}

const MAX_COST = 1e11; // multiply-accumulates that are started without a request of the user: about a second

/** Whether all heads and MLPs of a model take about a second: each takes a forward pass, of its parameters per token. */
export const isCheap = (shape: Shape, parameters: number) =>
  parameters * tokenCount(shape) * shape.layers * (shape.heads + 1) < MAX_COST;

/** "Layer 5, head 2", "Layer 5, MLP" */
export const partName = (layer: number, column: number, { heads }: Pick<Shape, 'heads'>) =>
  `Layer ${layer + 1}, ${column < heads ? `head ${column + 1}` : 'MLP'}`;

/** The head of the largest effect. */
export function strongest({ rows }: Patched): [layer: number, head: number] {
  const heads = rows.map((row) => row.slice(0, -1));
  const index = largest(heads.flat(), 0);
  return [Math.floor(index / heads[0].length), index % heads[0].length];
}

/** What is patched into what. */
export const explanation = (names: readonly [string, string]) =>
  `Each cell: B (${names[1]}) runs through the model with this one activation replaced by that of A (${names[0]}), the image on screen.`;

/** What 0 and 1 mean, with the numbers that they stand for. */
export const meaning = ({ logit, corruptedLogit, classes, limits }: Patched) =>
  `0: ${logitName(classes)} stays at ${signed(corruptedLogit)}, as in B. 1: this activation alone raises it to ${signed(logit)}, as in A. Below 0 it moves away from A. Heads have ${colorRange(limits.heads)}, MLPs ${colorRange(limits.mlp)}.`.replace(
    'raises',
    logit < corruptedLogit ? 'lowers' : 'raises',
  );

/** "Layer 5, head 2 recovers 31 % of the difference between A and B" */
export const cellLine = (patched: Patched, layer: number, column: number, shape: Shape): Line => [
  `${partName(layer, column, shape)} recovers `,
  { strong: percent(patched.rows[layer][column], 0) },
  ' of the difference between A and B.',
];

/** "Patched, it changes the logit of cat from -1.20 in B to +0.40; A has +3.10." */
function logitsLine({ logit, corruptedLogit, classes }: Patched, recovered: number): Line {
  const changed = corruptedLogit + recovered * (logit - corruptedLogit);
  return [
    `Patched, it changes ${logitName(classes)} from ${signed(corruptedLogit)} in B to `,
    { strong: signed(changed) },
    `; A has ${signed(logit)}.`,
  ];
}

/** What patching a head or an MLP recovers; that of the strongest head is in the headline. */
export function readLine(patched: Patched, layer: number, column: number, shape: Shape) {
  const [first, second] = strongest(patched);
  const isStrongest = layer === first && column === second;
  return isStrongest ? logitsLine(patched, patched.rows[layer][column]) : cellLine(patched, layer, column, shape);
}

export function headline(patched: Patched, shape: Shape) {
  const [layer, column] = strongest(patched);
  return `${partName(layer, column, shape)} alone recovers ${percent(patched.rows[layer][column], 0)} of the difference between A and B in ${logitName(patched.classes)}`;
}

/** "Layer 5: the token at row 2, column 3 recovers 20 % of the difference between A and B" */
export function tokensHeadline(layer: number, values: ArrayLike<number>, shape: Shape) {
  const token = largest(values, 0);
  const name =
    token < shape.prefix ? tokenName(token, shape) : `the token at ${patchName(token - shape.prefix, shape)}`;
  return `After layer ${layer + 1}, ${name} recovers ${percent(values[token], 0)} of the difference between A and B`;
}

/** The value of a patch, or of the strongest one; if that is in the headline, what it makes of the logits. */
export function tokensLine(values: ArrayLike<number>, read: number, shape: Shape, patched: Patched | null): Line {
  const patch = read >= 0 ? read : largest(values, shape.prefix) - shape.prefix;
  const value = values[shape.prefix + patch];
  if (read < 0 && Math.abs(value) < 0.005) return ['No patch token recovers anything after this layer on its own.'];
  if (read < 0 && patched && largest(values, 0) >= shape.prefix) return logitsLine(patched, value);
  return [
    `${capital(patchName(patch, shape))}: its token after this layer, taken from A, recovers `,
    { strong: percent(value, 0) },
    ' of the difference.',
  ];
}

/** The tokens outside of the map. */
export const tokensNote = (values: ArrayLike<number>, shape: Shape) =>
  Array.from({ length: shape.prefix }, (_, token) => `${signed(values[token])} by ${tokenName(token, shape)}`).join(
    ', ',
  );
