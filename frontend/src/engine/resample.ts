/* Pillow's reduction, crop and resize of 8-bit RGB images, bit for bit (Resample.c, Reduce.c of Pillow 12), as
   `crop_and_resize` in vitviz/data/preprocessing.py uses them. */

/** RGB pixels, (height, width, 3). */
export interface Rgb {
  data: Uint8Array<ArrayBuffer> | Uint8ClampedArray<ArrayBuffer>;
  width: number;
  height: number;
}

/** `vitviz.data.preprocessing.Resize`. */
export interface Resize {
  interpolation: string;
  crop_pct: number;
  crop_mode: 'center' | 'squash';
}

const BITS = 22; // of the fraction of a weight

interface Filter {
  support: number;
  at: (x: number) => number;
}

const sinc = (x: number) => (x === 0 ? 1 : Math.sin(x * Math.PI) / (x * Math.PI));

export const FILTERS: Record<string, Filter> = {
  box: { support: 0.5, at: (x) => (x > -0.5 && x <= 0.5 ? 1 : 0) },
  bilinear: { support: 1, at: (x) => Math.max(0, 1 - Math.abs(x)) },
  hamming: {
    support: 1,
    at: (x) =>
      x === 0 ? 1 : Math.abs(x) >= 1 ? 0 : sinc(Math.abs(x)) * (0.54 + 0.46 * Math.cos(Math.abs(x) * Math.PI)),
  },
  bicubic: {
    support: 2,
    at(signed) {
      const x = Math.abs(signed);
      if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
      return x < 2 ? (((x - 5) * x + 8) * x - 4) * -0.5 : 0;
    },
  },
  lanczos: { support: 3, at: (x) => (x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0) },
};

/** First input and fixed-point weights of each output of a line. */
function weightsOf(from: number, to: number, { support, at }: Filter) {
  const scale = from / to;
  const stretch = Math.max(1, scale);
  const reach = support * stretch;
  const inverse = 1 / stretch;
  return Array.from({ length: to }, (_, i) => {
    const center = (i + 0.5) * scale;
    const first = Math.max(0, Math.trunc(center - reach + 0.5));
    const end = Math.min(from, Math.trunc(center + reach + 0.5));
    const weights = Float64Array.from({ length: end - first }, (_, j) => at((j + first - center + 0.5) * inverse));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    for (let j = 0; j < weights.length; j++) {
      const scaled = (sum === 0 ? weights[j] : weights[j] / sum) * 2 ** BITS;
      weights[j] = Math.trunc(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
    }
    return { first, weights };
  });
}

/** Resample one axis of an image with `lines` lines; steps are between pixels and between lines. */
function resampleAxis(
  { data, from, to, lines }: { data: Rgb['data']; from: number; to: number; lines: number },
  [step, line]: readonly [number, number],
  [stepOut, lineOut]: readonly [number, number],
  filter: Filter,
) {
  const out = new Uint8ClampedArray(3 * lines * to);
  weightsOf(from, to, filter).forEach(({ first, weights }, i) => {
    for (let k = 0; k < lines; k++) {
      let [r, g, b] = [2 ** (BITS - 1), 2 ** (BITS - 1), 2 ** (BITS - 1)];
      for (let j = 0, at = k * line + first * step; j < weights.length; j++, at += step) {
        r += data[at] * weights[j];
        g += data[at + 1] * weights[j];
        b += data[at + 2] * weights[j];
      }
      const at = k * lineOut + i * stepOut;
      out[at] = Math.floor(r / 2 ** BITS);
      out[at + 1] = Math.floor(g / 2 ** BITS);
      out[at + 2] = Math.floor(b / 2 ** BITS);
    }
  });
  return out;
}

/** Resize by a filter of `FILTERS`, as `Image.resize`. */
export function resize({ data, width, height }: Rgb, toWidth: number, toHeight: number, interpolation: string): Rgb {
  const filter = FILTERS[interpolation];
  let found = data;
  if (width !== toWidth) {
    found = resampleAxis({ data, from: width, to: toWidth, lines: height }, [3, 3 * width], [3, 3 * toWidth], filter);
  }
  if (height !== toHeight) {
    const steps = [3 * toWidth, 3] as const;
    found = resampleAxis({ data: found, from: height, to: toHeight, lines: toWidth }, steps, steps, filter);
  }
  return { data: found, width: toWidth, height: toHeight };
}

/** Cut out a rectangle. */
function cut({ data, width }: Rgb, left: number, top: number, toWidth: number, toHeight: number): Rgb {
  const out = new Uint8ClampedArray(3 * toWidth * toHeight);
  for (let y = 0; y < toHeight; y++) {
    const start = 3 * ((top + y) * width + left);
    out.set(data.subarray(start, start + 3 * toWidth), 3 * y * toWidth);
  }
  return { data: out, width: toWidth, height: toHeight };
}

/** Python's `round`: halves to the even neighbor. */
export function roundEven(x: number) {
  const low = Math.floor(x);
  if (x - low !== 0.5) return Math.round(x);
  return low % 2 === 0 ? low : low + 1;
}

/** Crop to the aspect ratio of a model's input and resize, as `crop_and_resize` in Python.
    @param size height and width of the input
    @param crop position along the longer side, 0 to 1 */
export function cropAndResize(image: Rgb, [H, W]: readonly [number, number], crop: number, how: Resize): Rgb {
  const { width, height } = image;
  let [cropHeight, cropWidth] = [height, width];
  if (how.crop_mode === 'center') {
    cropHeight = Math.min(height, Math.max(1, roundEven((width * H) / W)));
    cropWidth = Math.min(width, Math.max(1, roundEven((height * W) / H)));
  }
  let [top, left] = [Math.trunc((height - cropHeight) * crop), Math.trunc((width - cropWidth) * crop)];
  if (how.crop_pct < 1) {
    const kept = [cropHeight, cropWidth].map((side) => Math.max(1, roundEven(side * how.crop_pct)));
    top += Math.floor((cropHeight - kept[0]) / 2);
    left += Math.floor((cropWidth - kept[1]) / 2);
    [cropHeight, cropWidth] = kept;
  }
  return resize(cut(image, left, top, cropWidth, cropHeight), W, H, how.interpolation);
}

/** Means over squares of `factor` pixels, as `Image.reduce`. */
export function reduce({ data, width, height }: Rgb, factor: number): Rgb {
  const [toWidth, toHeight] = [Math.ceil(width / factor), Math.ceil(height / factor)];
  const out = new Uint8ClampedArray(3 * toWidth * toHeight);
  for (let y = 0; y < toHeight; y++) {
    const bottom = Math.min(height, (y + 1) * factor);
    for (let x = 0; x < toWidth; x++) {
      const right = Math.min(width, (x + 1) * factor);
      const count = (bottom - y * factor) * (right - x * factor);
      const multiplier = Math.trunc(Math.fround(2 ** 24 / count)); // 24 bits of the fraction
      let [r, g, b] = [count >> 1, count >> 1, count >> 1];
      for (let row = y * factor; row < bottom; row++) {
        for (let at = 3 * (row * width + x * factor), end = 3 * (row * width + right); at < end; at += 3) {
          r += data[at];
          g += data[at + 1];
          b += data[at + 2];
        }
      }
      const at = 3 * (y * toWidth + x);
      out[at] = Math.floor((r * multiplier) / 2 ** 24);
      out[at + 1] = Math.floor((g * multiplier) / 2 ** 24);
      out[at + 2] = Math.floor((b * multiplier) / 2 ** 24);
    }
  }
  return { data: out, width: toWidth, height: toHeight };
}
