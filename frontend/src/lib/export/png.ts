/* PNG files: small images of exact pixels, and chunks added to a file that the browser wrote. */

import type { Pixels } from './drawing';

const SIGNATURE = [137, 80, 78, 71, 13, 10, 26, 10];
const AFTER_HEADER = 33; // bytes of the signature and of the first chunk
const METER = 1 / 0.0254; // inches

/** Compress bytes in the zlib format. */
export async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A PNG file of RGBA pixels. */
export async function pngOf({ width, height, data }: Pixels): Promise<Uint8Array<ArrayBuffer>> {
  const lines = new Uint8Array(height * (1 + 4 * width)); // each with its filter, none
  for (let row = 0; row < height; row++) {
    lines.set(data.subarray(4 * width * row, 4 * width * (row + 1)), row * (1 + 4 * width) + 1);
  }
  const header = new Uint8Array([...uint32(width), ...uint32(height), 8, 6, 0, 0, 0]);
  return joined([new Uint8Array(SIGNATURE), chunk('IHDR', header), chunk('IDAT', await deflate(lines)), chunk('IEND')]);
}

/** A PNG file with its resolution, and a text under the keyword `vitviz` (UTF-8) unless it is empty. */
export function withChunks(file: Uint8Array<ArrayBuffer>, dpi: number, metadata: string): Uint8Array<ArrayBuffer> {
  const perMeter = uint32(Math.round(dpi * METER));
  const keyword = [...new TextEncoder().encode('vitviz'), 0, 0, 0, 0, 0]; // not compressed, no language
  const text = joined([new Uint8Array(keyword), new TextEncoder().encode(metadata)]);
  const added = [chunk('pHYs', new Uint8Array([...perMeter, ...perMeter, 1]))];
  if (metadata) added.push(chunk('iTXt', text));
  return joined([file.subarray(0, AFTER_HEADER), ...added, file.subarray(AFTER_HEADER)]);
}

function chunk(type: string, content = new Uint8Array(0)): Uint8Array<ArrayBuffer> {
  const body = joined([new TextEncoder().encode(type), content]);
  return joined([new Uint8Array(uint32(content.length)), body, new Uint8Array(uint32(crc32(body)))]);
}

const uint32 = (value: number) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];

/** Concatenate bytes. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (value >>> 8) ^ CRC_TABLE[(value ^ byte) & 255];
  return ~value >>> 0;
}
