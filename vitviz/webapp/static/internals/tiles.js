/* Small maps next to each other, each on its own canvas, one pixel per value.

   A view is the interface of a figure to events.js: {grid, start, holds, at, box, read, finding}. Places are numbered in
   reading order over `grid`, {rows, columns}; `read` and `finding` return lines. */

/** Draw maps in a grid. Returns the part of the view that maps the pointer to places.
    @param plan {count, rows, columns, across, gap, ratio: height of a value by its width, whole: whether a map is a single
    place, label(t): text above, under(t): text below, paint(tile, t)} */
function tileView(stage, width, plan) {
  const { count, rows, columns, across, gap } = plan;
  const room = (width - (across - 1) * gap) / across;
  const whole = Math.floor(room / columns) * columns; // whole pixels for sharp edges, unless that wastes much space
  const side = whole > 0.8 * room ? whole : room;
  const box = make('div', 'tiles');
  box.style.cssText = `grid-template-columns: repeat(${across}, ${side}px); gap: ${plan.down ?? gap}px ${gap}px`;
  const canvases = Array.from({ length: count }, (_, t) => {
    const node = make('div', 'tile');
    const canvas = make('canvas');
    canvas.style.aspectRatio = `${columns} / ${rows * plan.ratio}`;
    if (plan.label) node.append(make('div', '', plan.label(t)));
    node.append(canvas);
    if (plan.under) node.append(make('div', '', plan.under(t)));
    plan.paint(makeTile(canvas, columns, rows), t);
    box.append(node);
    return canvas;
  });
  stage.replaceChildren(box);
  return { canvases, ...placesOf(stage, canvases, plan) };
}

/** The places of all values: all maps together are one grid for the arrow keys. */
function placesOf(stage, canvases, plan) {
  const rows = plan.whole ? 1 : plan.rows;
  const columns = plan.whole ? 1 : plan.columns;
  const grid = { rows: Math.ceil(plan.count / plan.across) * rows, columns: plan.across * columns };

  /** Place -> its map t and the row and column in it. */
  const partsOf = (index) => {
    const down = Math.floor(index / grid.columns);
    const right = index % grid.columns;
    const t = Math.floor(down / rows) * plan.across + Math.floor(right / columns);
    return { t, row: down % rows, column: right % columns };
  };
  const indexOf = (t, row, column) => {
    const down = Math.floor(t / plan.across) * rows + row;
    return down * grid.columns + (t % plan.across) * columns + column;
  };
  return {
    grid,
    partsOf,
    indexOf,
    jump: { rows, columns },
    holds: (index) => partsOf(index).t < plan.count,
    at(event) {
      const t = canvases.findIndex((canvas) => within(canvas.getBoundingClientRect(), event));
      if (t < 0) return -1;
      const area = canvases[t].getBoundingClientRect();
      const cell = (fraction, cells) => Math.min(cells - 1, Math.floor(fraction * cells));
      return indexOf(t, cell((event.clientY - area.top) / area.height, rows), cell((event.clientX - area.left) / area.width, columns));
    },
    box(index) {
      const { t, row, column } = partsOf(index);
      const whole = boxIn(stage, canvases[t]);
      const size = { width: whole.width / columns, height: whole.height / rows };
      return { ...size, left: whole.left + column * size.width, top: whole.top + row * size.height, around: rows * columns > 1 ? whole : null };
    },
  };
}

const within = (area, event) => event.clientX >= area.left && event.clientX < area.right && event.clientY >= area.top && event.clientY < area.bottom;

/** The box of a node, in pixels of the stage. */
function boxIn(stage, node) {
  const outer = stage.getBoundingClientRect();
  const inner = node.getBoundingClientRect();
  return { left: inner.left - outer.left, top: inner.top - outer.top, width: inner.width, height: inner.height };
}

/** Paint map t of values on one scale. */
const painter = (values, size, kind, scale) => (tile, t) => paintTile(tile, values, t * size, table(kind), scale);
