/* Lines where a field is zero (marching squares; Lorensen & Cline 1987 in two dimensions). */

export type Line = [x: number, y: number][];

const NONE = -1;

/** The lines of zeros of values (rows * columns), in samples. Closed lines end at their first point. */
export function isolines(values: ArrayLike<number>, rows: number, columns: number): Line[] {
  return chains(connections(values, rows, columns)).map((edges) =>
    edges.map((edge) => crossing(values, edge, columns)),
  );
}

/** The two edges that each crossed edge is connected with, (edges * 2).
    The edge from sample i to its right neighbor has number 2 i, that to the sample below 2 i + 1. */
function connections(values: ArrayLike<number>, rows: number, columns: number): Int32Array {
  const next = new Int32Array(4 * rows * columns).fill(NONE);
  const add = (a: number, b: number) => {
    next[2 * a + Number(next[2 * a] !== NONE)] = b;
  };
  const connect = (a: number, b: number) => {
    add(a, b);
    add(b, a);
  };
  for (let y = 0; y + 1 < rows; y++)
    for (let x = 0; x + 1 < columns; x++) {
      const i = y * columns + x;
      const [a, b, c, d] = [values[i], values[i + 1], values[i + columns + 1], values[i + columns]];
      const [isTop, isRight, isBottom, isLeft] = [a > 0 !== b > 0, b > 0 !== c > 0, c > 0 !== d > 0, d > 0 !== a > 0];
      if (!isTop && !isBottom && !isLeft) continue;
      const [top, right, bottom, left] = [2 * i, 2 * i + 3, 2 * (i + columns), 2 * i + 1];
      if (isTop && isRight && isBottom && isLeft) {
        const connectsAC = a + b + c + d > 0 === a > 0; // a saddle: the mean says which corners belong together
        connect(top, connectsAC ? right : left);
        connect(bottom, connectsAC ? left : right);
      } else {
        const start = isTop ? top : isRight ? right : bottom;
        const end = isLeft ? left : isBottom ? bottom : right;
        connect(start, end);
      }
    }
  return next;
}

/** The edges of each line, in order. Removes the connections. */
function chains(next: Int32Array): number[][] {
  const take = (edge: number) => {
    const slot = 2 * edge + Number(next[2 * edge] === NONE);
    const other = next[slot];
    if (other === NONE) return NONE;
    next[slot] = NONE;
    next[2 * other + Number(next[2 * other] !== edge)] = NONE;
    return other;
  };
  const follow = (start: number) => {
    const chain = [start];
    for (let edge = take(start); edge !== NONE; edge = take(edge)) chain.push(edge);
    return chain;
  };
  const found: number[][] = [];
  const count = next.length / 2;
  for (let edge = 0; edge < count; edge++) {
    const isEnd = next[2 * edge] !== NONE && next[2 * edge + 1] === NONE;
    if (isEnd) found.push(follow(edge));
  }
  for (let edge = 0; edge < count; edge++) if (next[2 * edge] !== NONE) found.push(follow(edge)); // closed lines
  return found;
}

/** Where the field is zero between the two samples of an edge. */
function crossing(values: ArrayLike<number>, edge: number, columns: number): [number, number] {
  const sample = edge >> 1;
  const isDown = edge % 2 === 1;
  const [from, to] = [values[sample], values[sample + (isDown ? columns : 1)]];
  const part = from / (from - to);
  const [x, y] = [sample % columns, Math.floor(sample / columns)];
  return isDown ? [x, y + part] : [x + part, y];
}
