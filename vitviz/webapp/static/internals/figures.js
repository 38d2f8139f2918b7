/* The nine figures. Each function draws into a stage of given width and returns the view. */

const bold = (text) => ({ strong: text });
const gridShape = () => ({ rows: answer.grid[0], columns: answer.grid[1] });
const patchRatio = () => answer.filters[0][0].length / answer.filters[0][0][0].length;

function showFilters(stage, width) {
  const patterns = answer.filters.map((colors) => ({ colors, end: Math.max(...flat(colors).map(Math.abs)) || 1 }));
  const rows = patterns[0].colors[0].length;
  const columns = patterns[0].colors[0][0].length;
  const paint = (tile, t) => {
    const { colors, end } = patterns[t];
    tile.image.data.forEach((_, i) => {
      const [row, column] = [Math.floor(i / 4 / columns), Math.floor(i / 4) % columns];
      tile.image.data[i] = i % 4 === 3 ? 255 : Math.round(255 * (0.5 + colors[i % 4][row][column] / (2 * end)));
    });
    tile.context.putImageData(tile.image, 0, 0);
  };
  const explained = answer.explained;
  const plan = { count: patterns.length, rows, columns, across: 7, gap: 8, down: 10, ratio: 1, whole: true, under: (t) => percent(explained[t], 1), paint };
  return {
    ...tileView(stage, width, plan),
    start: 0,
    finding: () => [`The first ${explained.length} components explain `, bold(percent(explained.reduce((a, b) => a + b))), ' of the variance, the first one ', bold(percent(explained[0])), '.'],
    read: (index) => [`Component ${index + 1} explains `, bold(percent(explained[index])), ` of the variance. Its largest weight is ${patterns[index].end.toFixed(2)}.`],
  };
}

function showPositions(stage, width) {
  const grid = gridShape();
  const count = grid.rows * grid.columns;
  const values = flat(answer.position_similarity);
  const plan = { count, ...grid, across: grid.columns, gap: grid.columns > 12 ? 1 : 4, ratio: patchRatio(), paint: painter(values, count, 'div', { kind: 'signed', limit: 1 }) };
  const view = tileView(stage, width, plan);
  const middle = middlePatch(grid);
  return {
    ...view,
    start: view.indexOf(middle, Math.floor(middle / grid.columns), middle % grid.columns),
    finding() {
      const row = values.slice(middle * count, (middle + 1) * count);
      row[middle] = -Infinity;
      const best = largest(row);
      return [`${capital(patchName(middle, grid))} is most similar to ${patchName(best, grid)}: cosine `, bold(written(row[best], 2)), '.'];
    },
    read(index) {
      const { t, row, column } = view.partsOf(index);
      const other = row * grid.columns + column;
      return [`${capital(patchName(t, grid))} and ${patchName(other, grid)}: cosine `, bold(written(values[t * count + other], 2)), '.'];
    },
  };
}

/** A chart of heads: `print` formats a value, `uniform` is the value of uniform attention. */
function showHeads(stage, width, values, uniform, unit, print, comparison) {
  const view = dotView(stage, width, { values, uniform, unit, uniformLabel: `uniform ${print(uniform)}` });
  const all = flat(values);
  const nameOf = (k) => `layer ${Math.floor(k / values[0].length) + 1}, head ${(k % values[0].length) + 1}`;
  const [low, high] = [smallest(all), largest(all)];
  return {
    ...view,
    finding: () => ['From ', bold(print(all[low])), ` (${nameOf(low)}) to `, bold(print(all[high])), ` (${nameOf(high)}); ${comparison}.`],
    read(index) {
      const { layer, head } = view.partsOf(index);
      const times = (values[layer][head] / uniform).toFixed(2);
      return [`Layer ${layer + 1}, head ${head + 1}: `, bold(print(values[layer][head])), `, ${times} times uniform. Mean of the layer's heads: ${print(meanOf(values[layer]))}.`];
    },
  };
}

function showDistance(stage, width) {
  const print = (value) => `${value.toFixed(1)}${SPACE}px`;
  const uniform = answer.uniform_distance;
  const [height, across] = answer.size;
  return showHeads(stage, width, answer.distance, uniform, 'pixels', print, `uniform attention gives ${print(uniform)} in an image of ${keepSizes(`${height} × ${across}`)}`);
}

function showEffective(stage, width) {
  const tokens = answer.norms[0].length;
  const print = (value) => `${Number.isInteger(value) ? value : value.toFixed(1)}${SPACE}tokens`;
  return showHeads(stage, width, answer.effective_tokens, tokens, 'tokens', print, `uniform attention gives all ${tokens} tokens`);
}

function showDivergence(stage, width) {
  const values = answer.head_divergence;
  const [layers, heads] = [values.length, values[0].length];
  const all = flat(values);
  const plan = {
    count: layers, rows: heads, columns: heads, across: Math.min(layers, layers > 6 ? 4 : 3), gap: 12, down: 10, ratio: 1,
    label: (t) => (t ? t + 1 : 'layer 1'), paint: painter(all, heads * heads, 'seq', { kind: 'linear', limit: Math.LN2 }),
  };
  const view = tileView(stage, width, plan);
  const nats = (value) => `${value.toFixed(2)}${SPACE}nats`;
  const pair = (k) => `heads ${Math.floor((k % (heads * heads)) / heads) + 1} and ${(k % heads) + 1}`;
  return {
    ...view,
    start: view.indexOf(0, 0, Math.min(1, heads - 1)),
    finding() {
      if (heads === 1) return ['Each layer has a single head: nothing to compare.'];
      const most = largest(all);
      return [`Most different in layer ${Math.floor(most / heads / heads) + 1}: ${pair(most)}, `, bold(nats(all[most])), ` of at most ${Math.LN2.toFixed(2)}.`];
    },
    read(index) {
      const { t, row, column } = view.partsOf(index);
      const k = (t * heads + row) * heads + column;
      if (row === column) return [`Layer ${t + 1}, head ${row + 1} with itself: `, bold(nats(all[k])), '.'];
      return [`Layer ${t + 1}, ${pair(k)}: `, bold(nats(all[k])), '.'];
    },
  };
}

function showNorms(stage, width) {
  const height = chartHeight(width);
  const svg = drawing(stage, width, height);
  const above = { left: 32, right: width, top: 22, bottom: height - 116 };
  const below = { ...above, top: height - 70, bottom: height - 24 };
  const ofLayer = answer.norms.map((row, l) => {
    const patches = row.slice(answer.prefix);
    const outliers = meanOf(answer.outliers[l].slice(answer.prefix));
    return { token: row[0], median: medianOf(patches), low: Math.min(...patches), high: Math.max(...patches), largest: answer.longest[l], outliers };
  });
  const of = (name) => ofLayer.map((layer) => layer[name]);
  const y = valueAxis(svg, above, 1.06 * Math.max(...of('token'), ...of('largest'), ...of('high')), 'L2 norm');
  const x = layerAxis(svg, below, ofLayer.length, 0);
  const edge = (names) => names.map((value, i) => `${x(i)},${y(value)}`);
  addShape(svg, 'polygon', { class: 'band', points: [...edge(of('high')), ...edge(of('low')).reverse()].join(' ') });
  curve(svg, 'data dotted', x, y, of('largest'));
  curve(svg, 'data', x, y, of('median'));
  curve(svg, 'ink', x, y, of('token'));
  const fraction = valueAxis(svg, below, 1.2 * Math.max(0.02, ...of('outliers')), 'outliers among the patches', (tick) => `${Number((100 * tick).toPrecision(3))}${SPACE}%`);
  const band = (below.right - below.left) / ofLayer.length;
  ofLayer.forEach((layer, i) => addShape(svg, 'rect', { class: 'column', x: x(i) - 0.3 * band, width: 0.6 * band, y: fraction(layer.outliers), height: below.bottom - fraction(layer.outliers) }));
  const norm = (value) => value.toFixed(1);
  return {
    ...columnsOf(stage, { ...above, bottom: below.bottom }, ofLayer.length),
    finding() {
      const worst = largest(of('outliers'));
      const most = ofLayer[worst].outliers ? `Most outliers ${after(worst)}: ${percent(ofLayer[worst].outliers)} of the patches.` : 'No patch is an outlier.';
      return ['The norm of the class token goes from ', bold(norm(ofLayer[0].token)), ' to ', bold(norm(ofLayer.at(-1).token)), `. ${most}`];
    },
    read(i) {
      const layer = ofLayer[i];
      return [`${capital(after(i))}: class token `, bold(norm(layer.token)), ', patches ', bold(norm(layer.median)), ` (positions ${norm(layer.low)} to ${norm(layer.high)}), largest ${norm(layer.largest)}; outliers ${percent(layer.outliers)}.`];
    },
  };
}

function showLens(stage, width) {
  const height = chartHeight(width);
  const svg = drawing(stage, width, height);
  const frame = { left: 40, right: width, top: 8, bottom: height - 24 };
  const { final_agreement: fractions, final_probability: probabilities } = answer;
  const chance = 1 / answer.classes;
  const y = valueAxis(svg, frame, 1.04, '', (tick) => percent(tick, 0));
  const x = layerAxis(svg, frame, fractions.length, 0);
  uniformLine(svg, frame, y(chance), `chance ${percent(chance, chance < 0.01 ? undefined : 0)}`, 'end');
  curve(svg, 'data', x, y, probabilities);
  curve(svg, 'ink', x, y, fractions);
  return {
    ...columnsOf(stage, frame, fractions.length),
    finding() {
      let first = fractions.length - 1;
      while (first > 0 && fractions[first - 1] >= 0.5) first--;
      return [`From ${first ? `layer ${first}` : 'the start'} on, at least half of the images have their final prediction: `, bold(percent(fractions[first])), ` ${after(first)}.`];
    },
    read: (i) => [`${capital(after(i))}: `, bold(percent(fractions[i])), ' of the images have their final prediction, whose mean probability is ', bold(percent(probabilities[i])), '.'],
  };
}

function showCosine(stage, width) {
  const grid = gridShape();
  const size = grid.rows * grid.columns;
  const values = flat(answer.class_token_cosine);
  const end = Math.max(...values.map(Math.abs)) || 1;
  const count = answer.class_token_cosine.length;
  const plan = {
    count, ...grid, across: count > 9 ? 5 : 4, gap: 12, down: 8, ratio: patchRatio(),
    label: (t) => (t === 1 ? 'layer 1' : layerMark(t)), paint: painter(values, size, 'div', { kind: 'signed', limit: end }),
  };
  const view = tileView(stage, width, plan);
  const wordsAt = (k) => [`${capital(after(Math.floor(k / size)))}, ${patchName(k % size, grid)}: cosine `, bold(written(values[k], 2)), '.'];
  return {
    ...view,
    start: 0,
    bar: ['div', [written(-end, 2), '0 orthogonal', written(end, 2)]],
    finding: () => ['Strongest ', ...wordsAt(largest(values.map(Math.abs))).map((part, i) => (i ? part : part.charAt(0).toLowerCase() + part.slice(1)))],
    read(index) {
      const { t, row, column } = view.partsOf(index);
      return wordsAt(t * size + row * grid.columns + column);
    },
  };
}

function showCka(stage, width) {
  const values = answer.cka;
  const count = values.length;
  const view = squareView(stage, width, values);
  const nameOf = (place) => (place ? `layer ${place}` : 'the input of layer 1');
  const wordsAt = (row, column) => [`${capital(nameOf(Math.min(row, column)))} and ${nameOf(Math.max(row, column))}: `, bold(written(values[row][column], 2)), '.'];
  return {
    ...view,
    finding() {
      const least = smallest(flat(values));
      if (least % (count + 1) === 0) return ['All layers are equally similar.'];
      const [first, ...rest] = wordsAt(Math.floor(least / count), least % count);
      return [`Least similar: ${first.charAt(0).toLowerCase()}${first.slice(1)}`, ...rest];
    },
    read(index) {
      const { row, column } = view.partsOf(index);
      return row === column ? [`${capital(nameOf(row))} with itself: `, bold(written(values[row][row], 2)), '.'] : wordsAt(row, column);
    },
  };
}

const FIGURES = {
  filters: showFilters,
  positions: showPositions,
  distance: showDistance,
  effective: showEffective,
  divergence: showDivergence,
  norms: showNorms,
  lens: showLens,
  cosine: showCosine,
  cka: showCka,
};
const BARS = {
  positions: ['div', ['−1 opposite', '0 orthogonal', '1 identical']],
  divergence: ['seq', ['0 identical', '0.69 disjoint']],
  cka: ['seq', ['0 unrelated', '1 identical']],
};
