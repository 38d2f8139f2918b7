/* Eigenvalues of small matrices. */

/** Eigenvalues, the largest first, and eigenvectors of a small symmetric matrix, by Jacobi's rotations. */
export function jacobi(matrix: Float64Array[]) {
  const n = matrix.length;
  const a = matrix.map((row) => row.slice());
  const v = a.map((_, i) => Float64Array.from({ length: n }, (_, j) => Number(i === j)));
  for (let sweep = 0; sweep < 30; sweep++) {
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        if (Math.abs(a[p][q]) <= 1e-300) continue;
        const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(1, theta));
        const c = 1 / Math.hypot(1, t);
        const turn = (row: Float64Array) => {
          [row[p], row[q]] = [c * (row[p] - t * row[q]), c * (row[q] + t * row[p])];
        };
        a.forEach(turn);
        for (let i = 0; i < n; i++) {
          [a[p][i], a[q][i]] = [c * (a[p][i] - t * a[q][i]), c * (a[q][i] + t * a[p][i])];
        }
        v.forEach(turn);
      }
    }
  }
  const order = [...Array(n).keys()].sort((i, j) => a[j][j] - a[i][i]);
  return { values: order.map((i) => a[i][i]), vectors: order.map((i) => v.map((row) => row[i])) };
}
