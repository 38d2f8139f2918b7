/* The encoder of MP4 movies, in a module of its own: it is large and rarely needed. */

import { BufferTarget, EncodedPacket, EncodedVideoPacketSource, Mp4OutputFormat, Output } from 'mediabunny';
import type { videoConfig } from './video';

const KEY_FRAME_INTERVAL = 30; // frames, so that a player can seek
const MAX_QUEUE = 8; // frames in memory that wait for the encoder

/** Encode the frames of an animated WebP image, with their durations; an odd last row or column is cut off. */
export async function encode(webp: ArrayBuffer, configFor: typeof videoConfig): Promise<Blob> {
  const decoder = new ImageDecoder({ data: webp, type: 'image/webp' });
  try {
    await decoder.tracks.ready;
    const first = (await decoder.decode()).image;
    const [width, height] = [first.displayWidth & ~1, first.displayHeight & ~1];
    first.close();
    const config = await configFor(width, height);
    if (!config) throw new Error(`no encoder for ${width} x ${height} px`);
    const count = decoder.tracks.selectedTrack?.frameCount ?? 1;
    return await mux(config, async (encoder) => {
      for (let index = 0; index < count; index++) {
        const { image } = await decoder.decode({ frameIndex: index });
        const { timestamp, duration } = image;
        const visibleRect = { x: 0, y: 0, width, height };
        const frame = new VideoFrame(image, { visibleRect, timestamp, duration: duration ?? 0, alpha: 'discard' });
        image.close();
        encoder.encode(frame, { keyFrame: index % KEY_FRAME_INTERVAL === 0 });
        frame.close();
        if (encoder.encodeQueueSize > MAX_QUEUE) await encoder.flush();
      }
    });
  } finally {
    decoder.close();
  }
}

/** Write the video that `fill` encodes into a file. */
async function mux(config: VideoEncoderConfig, fill: (encoder: VideoEncoder) => Promise<void>): Promise<Blob> {
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat(), target });
  const track = new EncodedVideoPacketSource(config.codec.startsWith('avc') ? 'avc' : 'vp9');
  output.addVideoTrack(track);
  await output.start();
  let written = Promise.resolve();
  let failure: unknown;
  const encoder = new VideoEncoder({
    output: (chunk, meta) => {
      written = written.then(() => track.add(EncodedPacket.fromEncodedChunk(chunk), meta));
    },
    error: (reason) => {
      failure = reason;
    },
  });
  encoder.configure(config);
  await fill(encoder);
  await encoder.flush();
  await written;
  encoder.close();
  if (failure) throw failure;
  await output.finalize();
  if (!target.buffer) throw new Error('the file is empty');
  return new Blob([target.buffer], { type: 'video/mp4' });
}
