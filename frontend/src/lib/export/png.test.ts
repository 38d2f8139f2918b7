import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { pngOf, withChunks } from './png';

/** Types and contents of the chunks of a file, whose checksums are verified. */
function chunksOf(file: Uint8Array) {
  const bytes = Buffer.from(file);
  const found: Record<string, Buffer> = {};
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const body = bytes.subarray(at + 4, at + 8 + length);
    expect(bytes.readUInt32BE(at + 8 + length)).toBe(crc32(body));
    found[body.subarray(0, 4).toString()] = body.subarray(4);
    at += length + 12;
  }
  return found;
}

test('a file states its resolution and carries its metadata', async () => {
  const plain = await pngOf({ width: 1, height: 1, data: new Uint8ClampedArray([1, 2, 3, 255]) });
  const chunks = chunksOf(withChunks(plain, 300, '{"name":"猫"}'));
  expect(Object.keys(chunks)).toEqual(['IHDR', 'pHYs', 'iTXt', 'IDAT', 'IEND']);
  expect(chunks.pHYs.readUInt32BE(0)).toBe(11811); // per meter
  expect(chunks.iTXt.toString()).toBe('vitviz\0\0\0\0\0{"name":"猫"}');
});
