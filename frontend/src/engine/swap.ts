/* When does the class token decide? After a layer it is replaced by that of another image, as `swap_contexts` in
   vitviz/attribution/class_token.py. */

import { largest } from '../lib/numbers';
import { RefusedError } from '../lib/refused';
import type { Swap } from '../lib/routes';
import { type Context, probabilitiesOf } from './context';
import { hasSigmoid } from './vitConfig';

const READ: Record<string, string> = {
  avg: 'the mean of the patches',
  map: 'attention pooling',
  token_avg: 'the mean of the patches, too',
};

/** The output for the patches of A and the class token of B after each layer.
    @throws RefusedError if the head reads other tokens */
export function swapClassToken(a: Context, b: Context): Swap {
  const { network, input, output } = a;
  const { config, file } = network;
  const { name, labels } = file.metadata;
  if (config.global_pool !== 'token')
    throw new RefusedError(
      `Swapping the class token needs a head that reads it alone: that of ${name} reads ${READ[config.global_pool]}.`,
    );
  const { L, D } = network.sizes;
  const size = D * (1 + Number(config.distilled)); // the class token, and the distillation token
  const outputOf = ({ input, output }: Context) => network.outputFrom(input, output.tokens[L], L);
  const [own, other] = [outputOf(a), outputOf(b)];
  const outputs = [own];
  for (let l = 0; l < L; l++) {
    const tokens = output.tokens[l + 1].slice();
    tokens.set(b.output.tokens[l + 1].subarray(0, size));
    outputs.push(network.outputFrom(input, tokens, l + 1));
  }
  if (labels.length) {
    const [k, j] = [own, other].map((logits) => largest(logits));
    const probabilities = outputs.map((logits) => probabilitiesOf(logits, hasSigmoid(config)));
    return {
      labels: [labels[k], labels[j]],
      patches: probabilities.map((one) => one[k]),
      class_token: probabilities.map((one) => one[j]),
    };
  }
  const way = own.map((value, i) => value - other[i]);
  const along = (from: Float32Array) => from.reduce((sum, value, i) => sum + (value - other[i]) * way[i], 0);
  const length = Math.max(along(own), 1.2e-38);
  const share = outputs.map((one) => along(one) / length);
  return { labels: null, patches: share, class_token: share.map((value) => 1 - value) };
}
