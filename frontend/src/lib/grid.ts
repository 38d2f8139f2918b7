/* Walking through a grid by keys. */

/** Rows and columns, of patches or of anything that arrow keys walk through. */
export interface Grid {
  rows: number;
  columns: number;
}

/** Steps down and right; an infinite step leads to the last row or column. */
const STEPS: Record<string, [down: number, right: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  Home: [0, -Infinity],
  End: [0, Infinity],
  PageUp: [-Infinity, 0],
  PageDown: [Infinity, 0],
};

/** The patch that a key moves to. Arrows wrap around; Home, End, Page Up and Page Down lead to the edges. */
export function neighbour(patch: number, key: string, shape: Grid) {
  const [down, right] = STEPS[key] ?? [0, 0];
  const move = (value: number, step: number, count: number) =>
    Number.isFinite(step) ? (value + step + count) % count : step < 0 ? 0 : count - 1;
  const row = move(Math.floor(patch / shape.columns), down, shape.rows);
  return row * shape.columns + move(patch % shape.columns, right, shape.columns);
}

export const middlePatch = (shape: Grid) =>
  Math.floor((shape.rows - 1) / 2) * shape.columns + Math.floor((shape.columns - 1) / 2);

/** Whether a grid has a patch. */
export const inGrid = (patch: number, { rows, columns }: Grid) => patch < rows * columns;
