/* Compressed data. */

import { RefusedError } from './refused';

const OLD_BROWSER =
  'This browser cannot unpack compressed data. Open the page in Chrome 80, Firefox 113, Safari 16.4 or a newer version.';

/** Unpack a stream of zlib's format.
    @throws RefusedError if the browser cannot */
export async function inflate(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<ArrayBuffer> {
  if (typeof DecompressionStream === 'undefined') throw new RefusedError(OLD_BROWSER);
  return new Response(stream.pipeThrough(new DecompressionStream('deflate'))).arrayBuffer();
}
