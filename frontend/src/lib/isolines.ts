/* Lines where a field is zero (marching squares; Lorensen & Cline 1987 in two dimensions). */

export type Line = [x: number, y: number][];

/** The lines of zeros of values (rows * columns), in samples. Closed lines end at their first point. */
export function isolines(values: ArrayLike<number>, rows: number, columns: number): Line[] {
  const next = new Map<number, number[]>(); // crossed edge -> the crossed edges of the squares next to it
  const connect = (a: number, b: number) => {
    next.set(a, [...(next.get(a) ?? []), b]);
    next.set(b, [...(next.get(b) ?? []), a]);
  };
  // The edge from a sample to its right neighbor has number 2 i, that to the sample below 2 i + 1.
  for (let y = 0; y + 1 < rows; y++)
    for (let x = 0; x + 1 < columns; x++) {
      const i = y * columns + x;
      const [a, b, c, d] = [i, i + 1, i + columns + 1, i + columns].map((sample) => values[sample] > 0);
      const [top, right, bottom, left] = [2 * i, 2 * (i + 1) + 1, 2 * (i + columns), 2 * i + 1];
      const sides: [number, boolean][] = [
        [top, a !== b],
        [right, b !== c],
        [bottom, c !== d],
        [left, d !== a],
      ];
      const crossed = sides.filter(([, isCrossed]) => isCrossed).map(([edge]) => edge);
      if (crossed.length === 2) connect(crossed[0], crossed[1]);
      if (crossed.length < 4) continue;
      // A saddle: the mean of the corners says which ones are connected.
      const isHigh = values[i] + values[i + 1] + values[i + columns + 1] + values[i + columns] > 0;
      if (isHigh === a) {
        connect(top, right);
        connect(bottom, left);
      } else {
        connect(top, left);
        connect(bottom, right);
      }
    }
  return chains(next).map((edges) => edges.map((edge) => crossing(values, edge, columns)));
}

/** Follow the connections, from the ends of open lines first. */
function chains(next: Map<number, number[]>): number[][] {
  const left = new Map([...next].map(([edge, others]) => [edge, new Set(others)]));
  const follow = (start: number) => {
    const chain = [start];
    for (let edge = start; ; ) {
      const [other] = left.get(edge) ?? [];
      if (other === undefined) return chain;
      left.get(edge)?.delete(other);
      left.get(other)?.delete(edge);
      chain.push(other);
      edge = other;
    }
  };
  const ends = [...next].filter(([, others]) => others.length === 1).map(([edge]) => edge);
  return [...ends, ...next.keys()].map(follow).filter((chain) => chain.length > 1);
}

function crossing(values: ArrayLike<number>, edge: number, columns: number): [number, number] {
  const sample = edge >> 1;
  const isDown = edge % 2 === 1;
  const [from, to] = [values[sample], values[sample + (isDown ? columns : 1)]];
  const part = from / (from - to);
  const [x, y] = [sample % columns, Math.floor(sample / columns)];
  return isDown ? [x, y + part] : [x + part, y];
}
