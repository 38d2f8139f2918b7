/* The encoder of MP4 movies, in a separate module: it is large and rarely needed. */

import { BufferTarget, EncodedPacket, EncodedVideoPacketSource, Mp4OutputFormat, Output } from 'mediabunny';
import type { Frame } from './export/animation';
import { videoConfig } from './video';

const KEY_FRAME_INTERVAL = 30; // frames, so that a player can seek
const MAX_QUEUE = 8; // frames in memory that wait for the encoder
const MICROSECONDS = 1e6;

/** Encode canvases of one size, whose sides are even.
    @throws Error if the browser refuses the size */
export async function encode(frames: AsyncIterable<Frame<HTMLCanvasElement>>): Promise<Blob> {
  const iterator = frames[Symbol.asyncIterator]();
  let next = await iterator.next();
  if (next.done) throw new Error('no frames');
  const { width, height } = next.value.image;
  const config = await videoConfig(width, height);
  if (!config) throw new Error(`no encoder for ${width} x ${height} px`);
  return mux(config, async (encoder) => {
    let timestamp = 0;
    for (let index = 0; !next.done; index++) {
      const { image, seconds } = next.value;
      const duration = Math.round(MICROSECONDS * seconds);
      const frame = new VideoFrame(image, { timestamp, duration, alpha: 'discard' });
      encoder.encode(frame, { keyFrame: index % KEY_FRAME_INTERVAL === 0 });
      frame.close();
      timestamp += duration;
      if (encoder.encodeQueueSize > MAX_QUEUE) await encoder.flush();
      next = await iterator.next();
    }
  });
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
