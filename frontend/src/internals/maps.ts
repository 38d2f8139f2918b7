/* The figures that are maps: filters, similarities and divergences. */

import { middlePatch } from '../lib/grid';
import { largest, smallest } from '../lib/numbers';
import type { Probes } from '../lib/routes';
import { capital, counted, patchName, percent, SPACE, written } from '../lib/words';
import { bold, type Figure } from './figure';
import { after, layerMark } from './layers';
import { squareMatrix, squarePlaces } from './square';
import { painter, paintFilter, type TilePlan, tilePlaces } from './tiles';

const gridOf = ({ grid: [rows, columns] }: Probes) => ({ rows, columns });
const patchRatio = ({ filters: [[channel]] }: Probes) => channel.length / channel[0].length;

export function filters({ filters, explained }: Probes): Figure {
  const ends = filters.map((colors) => Math.max(...colors.flat(2).map(Math.abs)) || 1);
  const plan: TilePlan = {
    count: filters.length,
    rows: filters[0][0].length,
    columns: filters[0][0][0].length,
    across: 7,
    gap: 8,
    down: 10,
    ratio: 1,
    whole: true,
    under: (t) => percent(explained[t], 1),
    paint: (tile, t) => paintFilter(tile, filters[t], ends[t]),
  };
  const total = explained.reduce((sum, fraction) => sum + fraction);
  return {
    chart: { kind: 'tiles', plan },
    places: tilePlaces(plan),
    finding: [
      `The first ${explained.length} components explain `,
      bold(percent(total)),
      ' of the variance, the first one ',
      bold(percent(explained[0])),
      '.',
    ],
    read: (index) => [
      `Component ${index + 1} explains `,
      bold(percent(explained[index])),
      ` of the variance. Its largest weight is ${ends[index].toFixed(2)}.`,
    ],
  };
}

export function positions(reply: Probes): Figure {
  const grid = gridOf(reply);
  const count = grid.rows * grid.columns;
  const values = reply.position_similarity.flat(3);
  const plan: TilePlan = {
    count,
    ...grid,
    across: grid.columns,
    gap: grid.columns > 12 ? 1 : 4,
    ratio: patchRatio(reply),
    paint: painter(values, count, 'div', { kind: 'signed', limit: 1 }),
  };
  const places = tilePlaces(plan);
  const middle = middlePatch(grid);
  const row = values.slice(middle * count, (middle + 1) * count);
  row[middle] = -Infinity;
  const best = largest(row);
  return {
    chart: { kind: 'tiles', plan },
    places: {
      ...places,
      start: places.indexOf({ t: middle, row: Math.floor(middle / grid.columns), column: middle % grid.columns }),
    },
    finding: [
      `${capital(patchName(middle, grid))} is most similar to ${patchName(best, grid)}: cosine `,
      bold(written(row[best], 2)),
      '.',
    ],
    read(index) {
      const { t, row, column } = places.partsOf(index);
      const other = row * grid.columns + column;
      const cosine = bold(written(values[t * count + other], 2));
      return [`${capital(patchName(t, grid))} and ${patchName(other, grid)}: cosine `, cosine, '.'];
    },
    bar: { kind: 'div', words: ['−1 opposite', '0 orthogonal', '1 identical'] },
  };
}

export function divergence({ head_divergence }: Probes): Figure {
  const layers = head_divergence.length;
  const heads = Math.max(...head_divergence.map(({ length }) => length));
  const size = heads * heads;
  const indices = [...Array(heads).keys()];
  // NaN for heads that a layer lacks
  const all = head_divergence.flatMap((one) => indices.flatMap((i) => indices.map((j) => one[i]?.[j] ?? NaN)));
  const plan: TilePlan = {
    count: layers,
    rows: heads,
    columns: heads,
    across: Math.min(layers, layers > 6 ? 4 : 3),
    gap: 12,
    down: 10,
    ratio: 1,
    label: (t) => (t ? String(t + 1) : 'layer 1'),
    paint: painter(all, size, 'seq', { kind: 'linear', limit: Math.LN2 }),
  };
  const places = tilePlaces(plan);
  const nats = (value: number) => `${value.toFixed(2)}${SPACE}nats`;
  const pair = (k: number) => `heads ${Math.floor((k % size) / heads) + 1} and ${(k % heads) + 1}`;
  const most = largest(all.map((value) => value || 0));
  const layer = Math.floor(most / size) + 1;
  return {
    chart: { kind: 'tiles', plan },
    places: { ...places, start: places.indexOf({ t: 0, row: 0, column: Math.min(1, heads - 1) }) },
    finding:
      heads === 1
        ? ['Each layer has a single head: nothing to compare.']
        : [
            `Most different in layer ${layer}: ${pair(most)}, `,
            bold(nats(all[most])),
            ` of at most ${Math.LN2.toFixed(2)}.`,
          ],
    read(index) {
      const { t, row, column } = places.partsOf(index);
      const k = t * size + row * heads + column;
      const names = row === column ? `head ${row + 1} with itself` : pair(k);
      if (Number.isNaN(all[k])) return [`Layer ${t + 1} has ${counted(head_divergence[t].length, 'head', 'heads')}.`];
      return [`Layer ${t + 1}, ${names}: `, bold(nats(all[k])), '.'];
    },
    bar: { kind: 'seq', words: ['0 identical', '0.69 disjoint'] },
  };
}

export function cosine(reply: Probes): Figure {
  const grid = gridOf(reply);
  const size = grid.rows * grid.columns;
  const values = reply.class_token_cosine.flat(2);
  const end = Math.max(...values.map(Math.abs)) || 1;
  const count = reply.class_token_cosine.length;
  const plan: TilePlan = {
    count,
    ...grid,
    across: count > 9 ? 5 : 4,
    gap: 12,
    down: 8,
    ratio: patchRatio(reply),
    label: (t) => (t === 1 ? 'layer 1' : layerMark(t)),
    paint: painter(values, size, 'div', { kind: 'signed', limit: end }),
  };
  const places = tilePlaces(plan);
  const placeOf = (k: number) => `${after(Math.floor(k / size))}, ${patchName(k % size, grid)}: cosine `;
  const cosineOf = (k: number) => bold(written(values[k], 2));
  const strongest = largest(values.map(Math.abs));
  return {
    chart: { kind: 'tiles', plan },
    places,
    finding: [`Strongest ${placeOf(strongest)}`, cosineOf(strongest), '.'],
    read(index) {
      const { t, row, column } = places.partsOf(index);
      const k = t * size + row * grid.columns + column;
      return [capital(placeOf(k)), cosineOf(k), '.'];
    },
    bar: { kind: 'div', words: [written(-end, 2), '0 orthogonal', written(end, 2)] },
  };
}

export function cka({ cka: values }: Probes, width: number): Figure {
  const square = squareMatrix(values, width);
  const places = squarePlaces(square);
  const nameOf = (place: number) => (place ? `layer ${place}` : 'the input of layer 1');
  const namesOf = (row: number, column: number) =>
    row === column
      ? `${nameOf(row)} with itself: `
      : `${nameOf(Math.min(row, column))} and ${nameOf(Math.max(row, column))}: `;
  const similarity = (row: number, column: number) => bold(written(values[row][column], 2));
  const least = smallest(values.flat());
  const [row, column] = [Math.floor(least / values.length), least % values.length];
  return {
    chart: { kind: 'square', square },
    places,
    finding:
      row === column
        ? ['All layers are equally similar.']
        : [`Least similar: ${namesOf(row, column)}`, similarity(row, column), '.'],
    read(index) {
      const { row, column } = places.partsOf(index);
      return [capital(namesOf(row, column)), similarity(row, column), '.'];
    },
    bar: { kind: 'seq', words: ['0 unrelated', '1 identical'] },
  };
}
