/* The figures that are charts: heads and tokens by layer. */

import { largest, meanOf, smallest } from '../lib/numbers';
import type { Probes } from '../lib/routes';
import { capital, keepSizes, percent, SPACE } from '../lib/words';
import { dotChart, dotPlaces, scatterChart } from './dots';
import { bold, type Figure, type Head } from './figure';
import { type LayerNorms, layerNorms, lensCurves, normCurves, percentCurves } from './layerCurves';
import { after, columnPlaces } from './layers';
import { stacks } from './stacks';

const headName = ({ layer, head }: Head) => `layer ${layer + 1}, head ${head + 1}`;

/** A chart of heads: `uniform` is the value of uniform attention, `print` formats a value. */
function dots(
  values: number[][],
  uniform: number,
  unit: string,
  print: (value: number) => string,
  comparison: string,
  width: number,
): Figure {
  const chart = dotChart(values, uniform, unit, `uniform ${print(uniform)}`, width);
  const places = dotPlaces(chart);
  const all = values.flat();
  const nameOf = (k: number) => headName(chart.dots[k]);
  const [low, high] = [smallest(all), largest(all)];
  return {
    chart: { kind: 'dots', dots: chart },
    places,
    headOf: places.partsOf,
    finding: [
      'From ',
      bold(print(all[low])),
      ` (${nameOf(low)}) to `,
      bold(print(all[high])),
      ` (${nameOf(high)}); ${comparison}.`,
    ],
    read(index) {
      const { layer, head } = places.partsOf(index);
      const times = (values[layer][head] / uniform).toFixed(2);
      return [
        `Layer ${layer + 1}, head ${head + 1}: `,
        bold(print(values[layer][head])),
        `, ${times} times uniform. Mean of the layer's heads: ${print(meanOf(values[layer]))}.`,
      ];
    },
  };
}

export function distance({ distance, uniform_distance, size: [height, across] }: Probes, width: number): Figure {
  const print = (value: number) => `${value.toFixed(1)}${SPACE}px`;
  const size = keepSizes(`${height} × ${across}`);
  const comparison = `uniform attention gives ${print(uniform_distance)} in an image of ${size}`;
  return dots(distance, uniform_distance, 'pixels', print, comparison, width);
}

export function effective({ effective_tokens, prefix, grid: [rows, columns] }: Probes, width: number): Figure {
  const tokens = prefix + rows * columns;
  const print = (value: number) => `${Number.isInteger(value) ? value : value.toFixed(1)}${SPACE}tokens`;
  return dots(effective_tokens, tokens, 'tokens', print, `uniform attention gives all ${tokens} tokens`, width);
}

/** Heads by the value norm and the attention of the token that receives most. */
export function sinks({ sink_share, sink_norm, norms }: Probes, width: number): Figure {
  const uniform = 1 / norms[0].length;
  const dots = scatterChart(sink_norm, sink_share, uniform, `uniform ${percent(uniform)}`, width);
  const places = dotPlaces(dots);
  const { layer, head } = dots.dots[largest(sink_share.flat())];
  const norm = (layer: number, head: number) => `${sink_norm[layer][head].toFixed(2)} times the mean value norm`;
  return {
    chart: { kind: 'dots', dots },
    places,
    headOf: places.partsOf,
    finding: [
      'At most ',
      bold(percent(sink_share[layer][head])),
      ` of the attention is on one token (layer ${layer + 1}, head ${head + 1}), which has ${norm(layer, head)}.`,
    ],
    read(index) {
      const { layer, head } = places.partsOf(index);
      return [
        `Layer ${layer + 1}, head ${head + 1}: `,
        bold(percent(sink_share[layer][head])),
        ` of the attention on one token, which has ${norm(layer, head)}.`,
      ];
    },
  };
}

export function norms(reply: Probes, width: number): Figure {
  const layers = layerNorms(reply);
  const curves = normCurves(layers, width, reply.class_token);
  const ofToken = ({ token }: LayerNorms) =>
    reply.class_token ? ['class token ', bold(norm(token)), ', patches '] : ['patches '];
  const norm = (value: number) => value.toFixed(1);
  const first = reply.class_token ? 'token' : 'median';
  const worst = largest(layers.map(({ outliers }) => outliers));
  const { outliers } = layers[worst];
  const most = outliers
    ? `Most outliers ${after(worst)}: ${percent(outliers)} of the patches.`
    : 'No patch is an outlier.';
  return {
    chart: { kind: 'curves', curves },
    places: columnPlaces(curves.frame, layers.length),
    finding: [
      `The ${reply.class_token ? 'norm of the class token' : 'median norm of the patches'} goes from `,
      bold(norm(layers[0][first])),
      ' to ',
      bold(norm(layers[layers.length - 1][first])),
      `. ${most}`,
    ],
    read(i) {
      const { median, low, high, largest, outliers } = layers[i];
      return [
        `${capital(after(i))}: `,
        ...ofToken(layers[i]),
        bold(norm(median)),
        ` (positions ${norm(low)} to ${norm(high)}), largest ${norm(largest)}; outliers ${percent(outliers)}.`,
      ];
    },
  };
}

export function lens(reply: Probes, width: number): Figure {
  const curves = lensCurves(reply, width);
  const { final_agreement: fractions, final_probability: probabilities } = reply;
  let first = fractions.length - 1;
  while (first > 0 && fractions[first - 1] >= 0.5) first--;
  return {
    chart: { kind: 'curves', curves },
    places: columnPlaces(curves.frame, fractions.length),
    finding: [
      `From ${first ? `layer ${first}` : 'the start'} on, at least half of the images have their final prediction: `,
      bold(percent(fractions[first], 0)),
      ` ${after(first)}.`,
    ],
    read: (i) => [
      `${capital(after(i))}: `,
      bold(percent(fractions[i], 0)),
      ' of the images have their final prediction, whose mean probability is ',
      bold(percent(probabilities[i])),
      '.',
    ],
  };
}

/** What the heads look for. */
export function heads({ head_shares, image_specific, head_images }: Probes, width: number): Figure {
  const { places, ...chart } = stacks(head_shares, image_specific, width);
  const all = head_shares.flat();
  const most = (part: number) => {
    const index = largest(all.map((shares) => shares[part]));
    return [bold(percent(all[index][part], 0)), ` (${headName(places.partsOf(index))})`];
  };
  const own = image_specific.length ? `; image-specific query ${percent(meanOf(image_specific.flat()), 0)}` : '';
  return {
    chart: { kind: 'stacks', stacks: chart },
    places,
    headOf: places.partsOf,
    finding: ['Position at most ', ...most(0), ', content ', ...most(1), `${own}. Over ${head_images} images.`],
    read(index) {
      const { layer, head } = places.partsOf(index);
      const [position, content, same, rest] = head_shares[layer][head].map((value) => percent(value, 0));
      const question = image_specific[layer]?.[head];
      const tail = question === undefined ? '' : `; image-specific query ${percent(question, 0)}`;
      return [
        `${capital(headName({ layer, head }))}: position `,
        bold(position),
        ', content ',
        bold(content),
        `, same for all ${same}, rest ${rest}${tail}.`,
      ];
    },
  };
}

/** Which image the prediction follows after the class token was swapped. */
export function decision({ follows_patches, follows_class_token, pairs }: Probes, width: number): Figure {
  const curves = percentCurves(
    [
      { name: 'data', values: follows_patches },
      { name: 'ink', values: follows_class_token },
    ],
    width,
  );
  const last = follows_patches.findLastIndex((value) => value > 0.5);
  const share = (values: number[], i: number) => bold(percent(values[i], 0));
  return {
    chart: { kind: 'curves', curves },
    places: columnPlaces(curves.frame, follows_patches.length),
    finding: [
      `Swapped ${after(last)}, `,
      share(follows_patches, last),
      ` of ${pairs} pairs follow the patches; ${after(last + 1)}, `,
      share(follows_patches, last + 1),
      '.',
    ],
    read: (i) => [
      `Swapped ${after(i)}, the prediction follows the patches in `,
      share(follows_patches, i),
      ', the class token in ',
      share(follows_class_token, i),
      '.',
    ],
  };
}
