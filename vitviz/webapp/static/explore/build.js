/* Build the matrix, the attribution methods and the predictions. */

const imageStage = find('.stage.image');
const mapStage = find('.stage.map');
const jump = find('.jump');
let mapIsInView = true;
const matrix = find('.matrix');
let tiles = []; // {layer, head, button, values: tile}
let labels = []; // {layer or head, node}

const mapTile = () => makeTile(find('.values'), shape.columns, shape.rows);
const barTile = makeTile(find('.bar canvas'), 256, 1);
const classTile = makeTile(find('.class-cell'), 1, 1);
let largeTile = null;
const methodTiles = []; // {key, button, canvas, track, fill, random, value, baseline, values}

function build() {
  sizeMatrix(shape);
  for (const node of findAll('.default-query')) setText(node, shape.classToken ? 'Class token' : 'All patches');
  setText(find('.class-token i'), shape.classToken ? 'cls' : 'all');
  largeTile = mapTile();
  rows = makeRows(shape);
  for (const entry of methodTiles) entry.values = makeTile(entry.canvas, shape.columns, shape.rows);
  ({ tiles, labels } = makeMatrix(matrix, shape, chooseHead));
  buildLayerSelect();
}

const layerSelect = find('.layer-select select');

function buildLayerSelect() {
  const options = [...Array(shape.layers).keys(), MEAN].map((layer) => new Option(layer === MEAN ? 'mean' : layer + 1, layer));
  layerSelect.replaceChildren(...options);
}

const GROUPS = [
  ['Class-agnostic', (method) => !method.forClass && method.key !== 'random'],
  ['', (method) => method.forClass],
  ['Baseline', (method) => method.key === 'random'],
];

function buildMethods() {
  const groups = GROUPS.map(([title, belongs]) => {
    const group = make('div', 'method-group');
    const row = make('div', 'method-tiles');
    row.append(...catalog.methods.filter(belongs).map(methodTile));
    group.append(make('p', 'group-name', title), row);
    return group;
  });
  find('.method-groups').replaceChildren(...groups);
}

function methodTile(method) {
  const button = make('button', 'method');
  const canvas = make('canvas');
  const parts = { track: make('span', 'track'), fill: make('span', 'fill'), random: make('span', 'random'), value: make('span'), baseline: make('span', 'baseline-score') };
  const numbers = make('span', 'method-score');
  parts.track.append(parts.fill, parts.random);
  numbers.append(parts.value, parts.baseline);
  button.type = 'button';
  button.append(canvas, make('span', 'method-name', method.name), parts.track, numbers);
  button.addEventListener('click', () => act(() => { state.method = state.method === method.key ? null : method.key; }));
  methodTiles.push({ key: method.key, button, canvas, ...parts, values: null });
  return button;
}

function buildContrast() {
  const options = answer.classes.map((name, k) => new Option(name, k));
  find('.contrast select').replaceChildren(new Option('none', ''), ...options);
}

/** Five rows, filled for each image. */
const predictions = Array.from({ length: 5 }, () => {
  const item = make('li', 'prediction');
  const button = make('button', 'explain-class');
  const parts = { item, button, name: make('span', 'class-name'), tag: make('span', 'tag', 'true'), value: make('span', 'value'), fill: make('span', 'fill'), before: make('span', 'before') };
  const track = make('span', 'track');
  track.append(parts.fill, parts.before);
  parts.tag.hidden = true;
  button.type = 'button';
  button.append(parts.name, parts.tag, parts.value, track);
  button.addEventListener('click', () => chooseClass(Number(button.dataset.class)));
  item.append(button);
  return parts;
});
find('.predictions').append(...predictions.map((entry) => entry.item));
