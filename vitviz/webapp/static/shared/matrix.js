/* The matrix of maps: one row per layer, one column per head, then the means; each map is a button with its own canvas. */

/** Build the matrix in `node`; a click calls `choose(layer, head)`.
    Returns {tiles: [{layer, head, button, values}], labels: [{kind, index, node}]}. */
function makeMatrix(node, shape, choose) {
  const tiles = [];
  const labels = [];
  const across = [...Array(shape.heads).keys(), MEAN];
  const down = [...Array(shape.layers).keys(), MEAN];

  function label(role, kind, index) {
    const named = index === 0 && (kind === 'layer' || shape.heads <= 6); // above narrow tiles only the corner has the word "head"
    const text = index === MEAN ? 'mean' : named ? `${kind} 1` : index + 1;
    const span = make('span', `label${index === MEAN ? ' mean' : ''}`, text);
    span.setAttribute('role', role);
    labels.push({ kind, index, node: span });
    return span;
  }

  function cell(layer, head) {
    const button = make('button', `cell${head === MEAN ? ' mean' : ''}`);
    const canvas = make('canvas');
    button.type = 'button';
    button.dataset.head = numberName(head);
    button.setAttribute('role', 'gridcell');
    button.setAttribute('aria-label', mapName(layer, head));
    button.append(canvas);
    button.addEventListener('click', () => choose(layer, head));
    tiles.push({ layer, head, button, values: makeTile(canvas, shape.columns, shape.rows) });
    return button;
  }

  function row(className, ...cells) {
    const box = make('div', `matrix-row ${className}`);
    box.setAttribute('role', 'row');
    box.append(...cells);
    return box;
  }

  const corner = make('span', 'label corner', shape.heads > 6 ? 'head' : '');
  const rows = down.map((layer) => {
    const line = row(layer === MEAN ? 'mean-row' : '', label('rowheader', 'layer', layer), ...across.map((head) => cell(layer, head)));
    line.dataset.layer = layer;
    return line;
  });
  node.replaceChildren(row('head-row', corner, ...across.map((head) => label('columnheader', 'head', head))), ...rows);
  return { tiles, labels };
}

/** Set the sizes that the style sheet needs for the layout of the matrix. */
function sizeMatrix(shape) {
  root.style.setProperty('--rows', shape.rows);
  root.style.setProperty('--columns', shape.columns);
  root.style.setProperty('--aspect', shape.aspect);
  root.style.setProperty('--heads', shape.heads);
  root.classList.toggle('many-heads', shape.heads > 8);
}

/** Mark the tile of a layer and head, if it is the map on screen; only this tile is in the Tab order. */
function markTile({ tiles, labels }, layer, head, frame, isShown = true) {
  for (const tile of tiles) {
    const chosen = tile.layer === layer && tile.head === head;
    tile.button.setAttribute('aria-selected', chosen && isShown);
    tile.button.tabIndex = chosen ? 0 : -1;
    if (chosen) scrollInto(frame, tile.button);
  }
  const at = { layer, head };
  for (const { kind, index, node } of labels) node.classList.toggle('on', isShown && at[kind] === index);
}

/** Scroll a cell into its frame horizontally, without scrolling the page. */
function scrollInto(frame, cell) {
  const margin = 12;
  const named = frame.querySelector('[role=rowheader]')?.offsetWidth ?? 0; // the row headers cover the cells
  const [left, right] = [cell.offsetLeft - named - margin, cell.offsetLeft + cell.offsetWidth + margin];
  if (left < frame.scrollLeft) frame.scrollLeft = left;
  else if (right > frame.scrollLeft + frame.clientWidth) frame.scrollLeft = right - frame.clientWidth;
}

/** The tile that an arrow key moves to from a layer and head. */
function nextTile(tiles, shape, layer, head, key) {
  const grid = { rows: shape.layers + 1, columns: shape.heads + 1 };
  const index = (value, count) => (value === MEAN ? count : value);
  const at = index(layer, shape.layers) * grid.columns + index(head, shape.heads);
  return tiles[neighbour(at, key, grid)];
}
