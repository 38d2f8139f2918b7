import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { encode } from './mp4';
import { hasVideoEncoder, videoConfig } from './video';

const FRAMES = [0.1, 0.1, 2.5]; // durations, s
const IMAGE = { width: 766, height: 476 } as HTMLCanvasElement;

async function* frames() {
  for (const seconds of FRAMES) yield { image: IMAGE, seconds };
}

let codecs: string[]; // that the browser encodes
let encoded: { width: number; height: number; timestamp: number; duration: number; key: boolean }[];
let failure: Error | null;
let queueSize: number;

class Frame {
  close = vi.fn();
  constructor(
    readonly image: HTMLCanvasElement,
    readonly options: { timestamp: number; duration: number },
  ) {}
}

class Chunk {
  byteLength = 8;
  constructor(
    readonly type: string,
    readonly timestamp: number,
    readonly duration: number,
  ) {}
  copyTo(data: Uint8Array) {
    data.set([0, 0, 0, 4, 9, 9, 9, 9]);
  }
}

class Encoder {
  static isConfigSupported = async ({ codec }: { codec: string }) => {
    if (codec.startsWith('vp09') && failure) throw failure;
    return { supported: codecs.includes(codec) };
  };
  encodeQueueSize = 0;
  flush = vi.fn(async () => {});
  configure = vi.fn();
  close = vi.fn();
  constructor(
    readonly init: { output: (chunk: Chunk, meta: EncodedVideoChunkMetadata) => void; error: (reason: Error) => void },
  ) {}
  encode(frame: Frame, { keyFrame }: { keyFrame: boolean }) {
    const { timestamp, duration } = frame.options;
    const { width, height } = frame.image;
    encoded.push({ width, height, timestamp, duration, key: keyFrame });
    this.encodeQueueSize = queueSize;
    if (failure) return this.init.error(failure);
    const description = new Uint8Array([1, 100, 0, 40, 255, 225, 0, 0, 1, 0, 0]);
    const decoderConfig = {
      codec: codecs[0],
      codedWidth: width,
      codedHeight: height,
      description,
    };
    this.init.output(new Chunk(keyFrame ? 'key' : 'delta', timestamp, duration), { decoderConfig });
  }
}

beforeEach(() => {
  [codecs, encoded, failure, queueSize] = [['avc1.640028'], [], null, 0];
  vi.stubGlobal('VideoEncoder', Encoder);
  vi.stubGlobal('VideoFrame', Frame);
  vi.stubGlobal('EncodedVideoChunk', Chunk);
});

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('a browser', () => {
  test('encodes H.264 if it can, else VP9', async () => {
    expect((await videoConfig(640, 480))?.codec).toBe('avc1.640028');
    codecs = ['vp09.00.51.08'];
    expect((await videoConfig(640, 480))?.codec).toBe('vp09.00.51.08');
    expect(hasVideoEncoder()).toBe(true);
  });

  test('without these codecs, or without WebCodecs, makes no MP4', async () => {
    codecs = [];
    expect(await videoConfig(640, 480)).toBeNull();
    failure = new TypeError('unknown codec');
    expect(await videoConfig(640, 480)).toBeNull();
    vi.unstubAllGlobals();
    expect(await videoConfig(640, 480)).toBeNull();
    expect(hasVideoEncoder()).toBe(false);
  });
});

describe('a movie', () => {
  test('has all frames with their durations', async () => {
    const file = await encode(frames());
    expect(file.type).toBe('video/mp4');
    expect(String.fromCharCode(...new Uint8Array(await file.arrayBuffer()).slice(4, 8))).toBe('ftyp');
    expect(encoded.map(({ duration }) => duration / 1e6)).toEqual(FRAMES);
    expect(encoded.map(({ timestamp }) => timestamp / 1e6)).toEqual([0, 0.1, 0.2]);
    expect(encoded.map(({ key }) => key)).toEqual([true, false, false]);
    expect(encoded[0]).toMatchObject({ width: 766, height: 476 });
  });

  test('waits for a slow encoder', async () => {
    queueSize = 100;
    expect((await encode(frames())).size).toBeGreaterThan(100);
  });

  test('of a size that no codec takes is refused', async () => {
    codecs = [];
    await expect(encode(frames())).rejects.toThrow('no encoder for 766 x 476 px');
  });

  test('that the encoder fails on is refused', async () => {
    failure = new Error('out of memory');
    await expect(encode(frames())).rejects.toThrow('out of memory');
  });
});
