/* Data and helpers of all figures. */

let answer = null; // the probes that Python computed

const flat = (rows) => rows.flat(Infinity);

function medianOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/** Index of the smallest value. */
const smallest = (values) => largest(values.map((value) => -value));

/** Short name of the output of a layer; 0 is the input of the first. */
const layerMark = (place) => (place === 0 ? 'in' : String(place));
const after = (place) => (place === 0 ? 'before layer 1' : `after layer ${place}`);
