/* PNG files to RGB as the library decodes them: browsers reduce 16 bits in their own way, apply the file's color profile
   and round transparent colors. */

import { inflate } from '../lib/inflate';
import { isRefused, RefusedError } from '../lib/refused';
import { type Rgb, roundEven } from './resample';

const SIGNATURE = '137,80,78,71,13,10,26,10';
const DAMAGED =
  'The file must be a complete PNG image: it cannot be decoded. Open it in an image editor and save it again.';
const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }; // by color type
const GRAY = 0;
const PALETTE = 3;
/** First column and row, and steps, of the passes of an interlaced image. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];
const BIT_DEPTHS = [8, 10, 12, 14, 16]; // of cameras and scanners, in 16 bits

interface Header {
  width: number;
  height: number;
  bits: number;
  color: number;
  interlaced: boolean;
}

export const isPng = (bytes: Uint8Array) => String(bytes.subarray(0, 8)) === SIGNATURE;

/** The chunks of a PNG file by name; those of one name joined. */
function chunksOf(bytes: Uint8Array<ArrayBuffer>): Map<string, Blob> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = new Map<string, Blob>();
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at);
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    found.set(name, new Blob([found.get(name) ?? '', bytes.subarray(at + 8, at + 8 + length)]));
    at += 12 + length;
  }
  return found;
}

const contentOf = async (chunk: Blob | undefined) => new Uint8Array((await chunk?.arrayBuffer()) ?? new ArrayBuffer(0));

/** Decode a PNG file; null if it says how it is to be turned, which the browser's decoder does.
    @throws RefusedError if it is damaged, or `check` refuses its size */
export async function decodePng(
  bytes: Uint8Array<ArrayBuffer>,
  check: (width: number, height: number) => void,
): Promise<Rgb | null> {
  const chunks = chunksOf(bytes);
  const start = await contentOf(chunks.get('IHDR'));
  const data = chunks.get('IDAT');
  if (start.length < 13 || !data) throw new RefusedError(DAMAGED);
  const view = new DataView(start.buffer);
  const [width, height] = [view.getUint32(0), view.getUint32(4)];
  check(width, height);
  if (chunks.has('eXIf')) return null;
  const header: Header = { width, height, bits: start[8], color: start[9], interlaced: start[12] === 1 };
  let raw: Uint8Array;
  try {
    raw = new Uint8Array(await inflate(data.stream()));
  } catch (error) {
    throw isRefused(error) ? error : new RefusedError(DAMAGED);
  }
  const samples = samplesOf(raw, header);
  return toRgb(samples, header, await contentOf(chunks.get('PLTE')), await contentOf(chunks.get('tRNS')));
}

/** Undo the filters of the rows of a pass, in place. */
function unfilter(raw: Uint8Array, at: number, rows: number, rowBytes: number, pixelBytes: number) {
  for (let y = 0; y < rows; y++) {
    const row = at + y * (rowBytes + 1) + 1;
    const filter = raw[row - 1];
    for (let i = row; i < row + rowBytes; i++) {
      const left = i - pixelBytes >= row ? raw[i - pixelBytes] : 0;
      const up = y ? raw[i - rowBytes - 1] : 0;
      if (filter === 1) raw[i] += left;
      else if (filter === 2) raw[i] += up;
      else if (filter === 3) raw[i] += (left + up) >> 1;
      else if (filter === 4)
        raw[i] += paeth(left, up, y && i - pixelBytes >= row ? raw[i - rowBytes - 1 - pixelBytes] : 0);
    }
  }
}

function paeth(left: number, up: number, corner: number) {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** The samples of an image, (height, width, channels). */
function samplesOf(raw: Uint8Array, { width, height, bits, color, interlaced }: Header): Uint16Array {
  const channels = CHANNELS[color];
  const samples = new Uint16Array(width * height * channels);
  let at = 0;
  for (const [left, top, across, down] of interlaced ? PASSES : [[0, 0, 1, 1]]) {
    const [columns, rows] = [Math.ceil((width - left) / across), Math.ceil((height - top) / down)];
    if (columns <= 0 || rows <= 0) continue;
    const rowBytes = Math.ceil((columns * channels * bits) / 8);
    if (raw.length < at + rows * (rowBytes + 1)) throw new RefusedError(DAMAGED);
    unfilter(raw, at, rows, rowBytes, Math.max(1, (channels * bits) >> 3));
    for (let y = 0; y < rows; y++, at += rowBytes + 1) {
      const to = ((top + y * down) * width + left) * channels;
      for (let i = 0; i < columns * channels; i++) {
        const place = to + Math.floor(i / channels) * across * channels + (i % channels);
        samples[place] = sampleAt(raw, at + 1, i, bits);
      }
    }
  }
  return samples;
}

function sampleAt(raw: Uint8Array, row: number, i: number, bits: number) {
  if (bits === 8) return raw[row + i];
  if (bits === 16) return (raw[row + 2 * i] << 8) | raw[row + 2 * i + 1];
  const bit = i * bits;
  return (raw[row + (bit >> 3)] >> (8 - bits - (bit & 7))) & (2 ** bits - 1);
}

function toRgb(
  samples: Uint16Array,
  { width, height, bits, color }: Header,
  palette: Uint8Array,
  transparent: Uint8Array,
): Rgb {
  const channels = CHANNELS[color];
  const data = new Uint8ClampedArray(3 * width * height);
  const level = levelOf(samples, bits, color);
  const key = [...Array(transparent.length >> 1).keys()].map((k) => (transparent[2 * k] << 8) | transparent[2 * k + 1]);
  const last = channels === 2 || channels === 4;
  for (let i = 0; i < width * height; i++) {
    const at = i * channels;
    let alpha = last ? level(samples[at + channels - 1]) : 255;
    if (color === PALETTE) alpha = transparent[samples[at]] ?? 255;
    else if (!last && key.length && bits <= 8 && key.every((value, k) => value === samples[at + k])) alpha = 0;
    for (let k = 0; k < 3; k++) {
      const value = color === PALETTE ? palette[3 * samples[at] + k] : level(samples[at + (channels > 2 ? k : 0)]);
      data[3 * i + k] = alpha === 255 ? value : onWhite(value, alpha);
    }
  }
  return { data, width, height };
}

/** How samples become 8 bits: as `to_uint8` in Python for gray of 16 bits, whose depth their largest tells. */
function levelOf(samples: Uint16Array, bits: number, color: number): (value: number) => number {
  if (bits < 8) return color === PALETTE ? (value) => value : (value) => (value * 255) / (2 ** bits - 1);
  if (bits === 8) return (value) => value;
  if (color !== GRAY) return (value) => value >> 8;
  const high = samples.reduce((most, value) => Math.max(most, value), 0);
  const depth = BIT_DEPTHS.find((found) => high < 2 ** found) ?? 16;
  return (value) => roundEven(value * (255 / (2 ** depth - 1)));
}

/** A channel on white, as `Image.alpha_composite`. */
export function onWhite(value: number, alpha: number) {
  if (alpha === 0) return 255;
  const sum = value * alpha * 128 + 255 * (255 - alpha) * 128 + 2 ** 14;
  return ((sum >> 8) + sum) >> 15;
}
