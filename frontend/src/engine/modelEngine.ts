/* The engine of a model file: the model itself in the page. */

import type { ExplainedImage } from '../lib/routes';
import type { Image } from '../lib/view';

/** An image for the engine. */
export interface EngineImage {
  pixels: Float32Array; // normalized, (3, H, W)
  shown: ExplainedImage;
}

/** What `new ModelEngine(options)` takes. */
export interface ModelEngineOptions {
  file: ArrayBuffer; // see ModelFile in safetensors.ts, whose metadata say how images are normalized
  image: (image: Image, signal: AbortSignal) => Promise<EngineImage>;
  workers?: number; // by default as many as the machine has cores, at most 4
}
