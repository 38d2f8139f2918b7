/* The engine of a model file, loaded when it is first needed. */

import type { Image, Subject } from '../lib/view';
import type { Engine } from '../session/engine';
import { Inputs, type OpenedFiles } from './inputs';
import { ModelEngine } from './modelEngine';
import { ModelFile } from './safetensors';

/** Open a model file, whose images are files that were opened or what Python has preprocessed.
    @throws RefusedError if the file is damaged */
export function openModel(
  file: ArrayBuffer,
  files: OpenedFiles | null,
  python: Pick<Engine, 'request'>,
  name?: string,
): Engine {
  const { metadata } = new ModelFile(file);
  const whole = (image: Image): Subject => ({ model: name ?? metadata.name, snapshot: null, image, ablations: [] });
  const find = async (image: Image, signal: AbortSignal) =>
    (await python.request('explanations', { subject: whole(image) }, signal, () => {})).image;
  const inputs = new Inputs(files, metadata, find);
  return new ModelEngine({ file, image: (image, signal) => inputs.input(image, signal) });
}
