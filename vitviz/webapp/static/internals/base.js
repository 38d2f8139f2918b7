/* What every figure needs: the answer and its numbers. */

let answer = null; // what Python measured

const flat = (rows) => rows.flat(Infinity);

function medianOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/** Index of the smallest value. */
const smallest = (values) => largest(values.map((value) => -value));

/** Short name of what leaves a layer; 0 is what enters the first. */
const layerMark = (place) => (place === 0 ? 'in' : String(place));
const after = (place) => (place === 0 ? 'Before layer 1' : `After layer ${place}`);
