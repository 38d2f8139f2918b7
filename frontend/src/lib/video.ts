/* Whether the browser encodes MP4 movies. */

// H.264 of levels 4.0 and 5.1, and VP9 for browsers without an encoder for it.
const CODECS = ['avc1.640028', 'avc1.640033', 'vp09.00.51.08'];
const BITRATE = 8_000_000; // enough for sharp text; flat areas take less

/** What a browser without an encoder is told. */
export const NO_ENCODER = 'MP4 needs a browser that encodes video (WebCodecs), over HTTPS or on this computer.';

export const ENCODING_FAILED = 'The browser could not encode the movie. Save it as GIF instead.';

/** The first configuration that the browser encodes for frames of a size (px, even), or null. */
export async function videoConfig(width: number, height: number): Promise<VideoEncoderConfig | null> {
  if (!hasVideoEncoder()) return null; // old, or not a secure context
  for (const codec of CODECS) {
    const config: VideoEncoderConfig = { codec, width, height, bitrate: BITRATE, latencyMode: 'quality' };
    const { supported } = await VideoEncoder.isConfigSupported(config).catch(() => ({ supported: false }));
    if (supported) return config;
  }
  return null;
}

/** Whether the browser has WebCodecs. What it encodes is queried only for a movie: a WebKit without its codecs crashes. */
export const hasVideoEncoder = () => 'VideoEncoder' in globalThis;
