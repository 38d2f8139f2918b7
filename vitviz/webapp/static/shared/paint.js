/* Paint: small canvases, one pixel per patch, enlarged by the style sheet.
   Each map owns its canvas, so that no head can bleed into its neighbour. */

/** A canvas of its own with pixels that are reused at every repaint. */
function makeTile(canvas, columns, rows) {
  canvas.width = columns;
  canvas.height = rows;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const image = context.createImageData(columns, rows);
  return { canvas, context, image, pixels: new Uint32Array(image.data.buffer) };
}

/** Paint values from `first` on, one per pixel. */
function paintTile(tile, values, first, table, scale) {
  const { pixels } = tile;
  for (let i = 0; i < pixels.length; i++) pixels[i] = table[colourIndex(scale, values[first + i])];
  tile.context.putImageData(tile.image, 0, 0);
}

/** Lay a colour table (256 pixels) out as a bar. */
function paintBar(tile, table) {
  tile.pixels.set(table);
  tile.context.putImageData(tile.image, 0, 0);
}

/** Thin contours of the image. Flat areas stay free, so that their colours match the bar exactly.
    @param {number} ink grey of the lines, 0..255 */
function paintOutlines(canvas, image, width, height, ink) {
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, width, height);
  const image = context.getImageData(0, 0, width, height);
  const grey = greyOf(image.data, width * height);
  for (let pass = 0; pass < 3; pass++) {
    blurLines(grey, width, height, 1, width);
    blurLines(grey, height, width, width, 1);
  }
  inkContours(image.data, grey, width, height, ink);
  context.putImageData(image, 0, 0);
}

function greyOf(colours, count) {
  const grey = new Float32Array(count);
  for (let k = 0; k < count; k++) grey[k] = 0.3 * colours[4 * k] + 0.55 * colours[4 * k + 1] + 0.15 * colours[4 * k + 2];
  return grey;
}

/** Box blur of 9 pixels along every line: `count` pixels `step` apart, `lines` lines `skip` apart. */
function blurLines(grey, count, lines, step, skip) {
  const reach = 4;
  const blurred = new Float32Array(count);
  for (let line = 0; line < lines; line++) {
    const start = line * skip;
    const at = (i) => grey[start + Math.min(count - 1, Math.max(0, i)) * step];
    let sum = 0;
    for (let i = -reach; i <= reach; i++) sum += at(i);
    for (let i = 0; i < count; i++) {
      blurred[i] = sum / (2 * reach + 1);
      sum += at(i + reach + 1) - at(i - reach);
    }
    for (let i = 0; i < count; i++) grey[start + i * step] = blurred[i];
  }
}

/** Where the image changes most along its own slope, draw; elsewhere leave nothing. */
function inkContours(colours, grey, width, height, ink) {
  const slope = new Float32Array(width * height);
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const k = y * width + x;
      slope[k] = Math.hypot(grey[k + 1] - grey[k - 1], grey[k + width] - grey[k - width]);
    }
  }
  const steep = Float32Array.from(slope).sort()[Math.floor(slope.length * 0.97)] || Infinity;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const k = y * width + x;
      const inside = x > 2 && y > 2 && x < width - 3 && y < height - 3;
      const strength = inside && slope[k] > steep * 0.26 ? crest(slope, grey, k, width) * Math.min(1, 0.3 + slope[k] / steep) : 0;
      colours.fill(ink, 4 * k, 4 * k + 3);
      colours[4 * k + 3] = 255 * strength;
    }
  }
}

/** 1 on the crest of a slope, a little beside it, 0 elsewhere. */
function crest(slope, grey, k, width) {
  const right = Math.round((grey[k + 1] - grey[k - 1]) / slope[k]);
  const down = Math.round((grey[k + width] - grey[k - width]) / slope[k]);
  const ahead = down * width + right;
  if (slope[k] >= slope[k + ahead] && slope[k] >= slope[k - ahead]) return 1;
  return slope[k] >= slope[k + 2 * ahead] && slope[k] >= slope[k - 2 * ahead] ? 0.45 : 0;
}
