/* Axes and curves of charts, in pixels of the stage. */

const DATA_COLOR = 150; // entry of the color map for data in charts, as in saved figures

function drawing(stage, width, height) {
  stage.replaceChildren();
  return addShape(stage, 'svg', { width, height, 'aria-hidden': 'true' });
}

/** About `count` round tick values from 0 to `end`. */
function ticks(end, count) {
  const power = 10 ** Math.floor(Math.log10(end / count));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => end / size <= 1.1 * count);
  return Array.from({ length: Math.floor(end / step + 1e-9) + 1 }, (_, i) => i * step);
}

/** Draw horizontal grid lines with their values, and the unit above. Returns value -> y. */
function valueAxis(svg, frame, end, unit, print = String) {
  const y = (value) => frame.bottom - (value / end) * (frame.bottom - frame.top);
  const room = Math.min(5, Math.max(2, (frame.bottom - frame.top) / 32));
  for (const tick of ticks(end, room)) {
    addShape(svg, 'line', { class: 'grid', x1: frame.left, x2: frame.right, y1: y(tick), y2: y(tick) });
    addShape(svg, 'text', { x: frame.left - 8, y: y(tick) + 4, 'text-anchor': 'end' }, print(Number(tick.toPrecision(6))));
  }
  addShape(svg, 'text', { x: frame.left, y: frame.top - 8 }, unit);
  return y;
}

/** Draw a line through points, [x, y] in pixels. */
function polyline(svg, className, points, style = '') {
  return addShape(svg, 'polyline', { class: `curve ${className}`, style, points: points.map((point) => point.join(',')).join(' ') });
}
