/* Direct contributions by layer as bars that continue one another. */

import type { LayerContributions } from '../lib/routes';
import { signed } from '../lib/words';

const SUM = 0.005; // smaller contributions print as zero

export function barsOf({ embedding, attention, mlp, bias, logit }: LayerContributions) {
  const parts: [string, number][] = [['embedding', embedding]];
  for (const layer of attention.keys()) {
    parts.push([`attention ${layer + 1}`, attention[layer]], [`MLP ${layer + 1}`, mlp[layer]]);
  }
  parts.push(['biases', bias]);
  let end = 0;
  const bars = parts.map(([name, value]) => {
    const start = end;
    end += value;
    return { name, value, start, text: signed(value) };
  });
  const ends = [0, ...bars.map(({ start, value }) => start + value)];
  const last = { name: 'logit', value: logit, start: 0, text: signed(logit), isOn: true };
  return { bars: [...bars, last], low: Math.min(...ends), high: Math.max(...ends, SUM) };
}
