/* Charts by layer: dots for heads, curves for layers. */

const chartHeight = (width) => Math.round(Math.min(360, Math.max(280, 0.8 * width)));

/** Draw the layer axis. Returns layer -> x. `first` is 0 if the input of the first layer is included. */
function layerAxis(svg, frame, count, first) {
  const band = (frame.right - frame.left) / count;
  const x = (i) => frame.left + (i + 0.5) * band;
  const every = Math.ceil(count / Math.floor((frame.right - frame.left) / 44));
  for (let i = 0; i < count; i += every) {
    const text = first + i === 1 ? 'layer 1' : layerMark(first + i);
    addShape(svg, 'text', { x: x(i), y: frame.bottom + 18, 'text-anchor': 'middle' }, text);
  }
  return x;
}

/** Draw a dashed line at the value of uniform attention or chance, labeled above `top` at its start or end. */
function uniformLine(svg, frame, y, label, anchor = 'start', top = y) {
  addShape(svg, 'line', { class: 'uniform', x1: frame.left, x2: frame.right, y1: y, y2: y });
  const x = anchor === 'start' ? frame.left + 4 : frame.right - 4;
  addShape(svg, 'text', { class: 'halo', x, y: top - 7, 'text-anchor': anchor }, label);
}

function curve(svg, className, x, y, values) {
  polyline(svg, className, values.map((value, i) => [x(i), y(value)]));
}

/** Draw a dot per head above its layer, and the mean of heads; values (layers, heads). */
function dotView(stage, width, { values, uniform, unit, uniformLabel }) {
  const height = chartHeight(width);
  const svg = drawing(stage, width, height);
  const frame = { left: 32, right: width, top: 22, bottom: height - 24 };
  const heads = values[0].length;
  const most = Math.max(...flat(values));
  const radius = heads > 8 ? 4 : 5;
  const y = valueAxis(svg, frame, 1.12 * Math.max(uniform, most), unit);
  const x = layerAxis(svg, frame, values.length, 1);
  const reach = (0.36 * (frame.right - frame.left)) / values.length;
  const step = Math.min(6, (2 * reach) / heads);
  const place = (layer, head) => ({ x: x(layer) + (head - (heads - 1) / 2) * step, y: y(values[layer][head]) });
  values.forEach((row, layer) => {
    const mean = y(meanOf(row));
    addShape(svg, 'line', { class: 'mean', x1: x(layer) - reach, x2: x(layer) + reach, y1: mean, y2: mean });
    row.forEach((_, head) => {
      const { x: cx, y: cy } = place(layer, head);
      addShape(svg, 'circle', { class: 'dot', cx, cy, r: radius, 'data-layer': layer, 'data-head': head });
    });
  });
  uniformLine(svg, frame, y(uniform), uniformLabel, 'start', Math.min(y(uniform), y(most) - radius)); // the label is above all dots
  const grid = { rows: heads, columns: values.length };
  const partsOf = (index) => ({ layer: index % grid.columns, head: Math.floor(index / grid.columns) });
  return {
    grid,
    partsOf,
    start: 0,
    holds: () => true,
    at(event) {
      const area = stage.getBoundingClientRect();
      const far = Array.from({ length: grid.rows * grid.columns }, (_, index) => {
        const { layer, head } = partsOf(index);
        const dot = place(layer, head);
        return Math.hypot(dot.x - event.clientX + area.left, dot.y - event.clientY + area.top);
      });
      return smallest(far);
    },
    box(index) {
      const { layer, head } = partsOf(index);
      const dot = place(layer, head);
      return { left: dot.x - 6, top: dot.y - 6, width: 12, height: 12, style: 'round' };
    },
  };
}

/** The part of a view that maps the pointer to layers, one column of the frame per layer. */
function columnsOf(stage, frame, count) {
  const band = (frame.right - frame.left) / count;
  return {
    grid: { rows: 1, columns: count },
    start: 0,
    holds: () => true,
    at(event) {
      const i = Math.floor((event.clientX - stage.getBoundingClientRect().left - frame.left) / band);
      return i >= 0 && i < count ? i : -1;
    },
    box: (i) => ({ left: frame.left + i * band, top: frame.top, width: band, height: frame.bottom - frame.top, style: 'column' }),
  };
}

/** Draw a matrix of layers against layers, from the lower left; values in 0..1. */
function squareView(stage, width, values) {
  const count = values.length;
  const cell = Math.floor((Math.min(width, 392) - 32) / count);
  const side = cell * count;
  const svg = drawing(stage, side + 32, side + 24);
  const frame = { left: 32, right: side + 32, top: 0, bottom: side };
  layerAxis(svg, frame, count, 0);
  const every = Math.ceil(count / Math.floor(side / 24));
  const top = (row) => (count - 1 - row) * cell;
  values.forEach((line, row) => {
    if (row % every === 0) addShape(svg, 'text', { x: 24, y: top(row) + cell / 2 + 4, 'text-anchor': 'end' }, layerMark(row));
    line.forEach((value, column) => {
      const fill = cssColor(table('seq')[colorIndex({ kind: 'linear', limit: 1 }, value)]);
      addShape(svg, 'rect', { x: 32 + column * cell, y: top(row), width: cell, height: cell, fill, 'shape-rendering': 'crispEdges' });
    });
  });
  const partsOf = (index) => ({ row: count - 1 - Math.floor(index / count), column: index % count });
  return {
    grid: { rows: count, columns: count },
    partsOf,
    start: (count - 1) * count,
    holds: () => true,
    at(event) {
      const area = stage.getBoundingClientRect();
      const column = Math.floor((event.clientX - area.left - 32) / cell);
      const down = Math.floor((event.clientY - area.top) / cell);
      return column >= 0 && down >= 0 && column < count && down < count ? down * count + column : -1;
    },
    box(index) {
      const { row, column } = partsOf(index);
      return { left: 32 + column * cell, top: top(row), width: cell, height: cell };
    },
  };
}
