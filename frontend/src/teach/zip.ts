/* The files of a zip. */

import { RefusedError } from '../lib/refused';

const END = 0x06054b50; // signature of the end of the directory
const ENTRY = 0x02014b50; // of an entry in it
const MAX_COMMENT = 65_557; // bytes from the signature of the end to the end of the file
const DEFLATED = 8;

const notRead = (name: string) =>
  new RefusedError(`${name} is not a zip that can be read. Unpack it, and drop the folder.`);

/** The path of each file in a zip, and how it is read.
    @throws RefusedError for what is no zip, or one above 4 GiB */
export async function filesOf(zip: File): Promise<{ path: string; read: () => Promise<Blob> }[]> {
  const tail = new DataView(await zip.slice(-MAX_COMMENT).arrayBuffer());
  let end = tail.byteLength - 22;
  while (end >= 0 && tail.getUint32(end, true) !== END) end--;
  if (end < 0) throw notRead(zip.name);
  const [count, size, start] = [
    tail.getUint16(end + 10, true),
    tail.getUint32(end + 12, true),
    tail.getUint32(end + 16, true),
  ];
  const directory = new DataView(await zip.slice(start, start + size).arrayBuffer());
  const files = [];
  for (let at = 0, k = 0; k < count; k++) {
    if (at + 46 > directory.byteLength || directory.getUint32(at, true) !== ENTRY) throw notRead(zip.name);
    const length = directory.getUint16(at + 28, true);
    const path = new TextDecoder().decode(new Uint8Array(directory.buffer, at + 46, length));
    const entry = {
      method: directory.getUint16(at + 10, true),
      size: directory.getUint32(at + 20, true),
      offset: directory.getUint32(at + 42, true),
    };
    if (!path.endsWith('/')) files.push({ path, read: () => unpack(zip, entry) });
    at += 46 + length + directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true);
  }
  return files;
}

async function unpack(zip: File, { method, size, offset }: { method: number; size: number; offset: number }) {
  const head = new DataView(await zip.slice(offset, offset + 30).arrayBuffer());
  const start = offset + 30 + head.getUint16(26, true) + head.getUint16(28, true);
  const content = zip.slice(start, start + size);
  if (method !== DEFLATED) return content;
  return new Response(content.stream().pipeThrough(new DecompressionStream('deflate-raw'))).blob();
}
