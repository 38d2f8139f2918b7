/* The speed of the engine in a browser, for `python -m benchmarks engine`. */

import { bytesOf } from '../lib/base64';
import { median } from '../lib/numbers';
import type { ExplainedImage } from '../lib/routes';
import type { Subject } from '../lib/view';
import { Heap, type KernelKind } from './heap';
import { ModelEngine } from './modelEngine';
import { Network } from './network';
import { ModelFile } from './safetensors';

const { signal } = new AbortController();
const subjectOf = (name: string, removed: number[] = []): Subject => {
  const ablations: Subject['ablations'] = [{ heads: [], patches: removed, mode: 'zero', patch_mode: 'drop' }];
  return { model: 'model', snapshot: null, image: { kind: 'sample', name }, ablations };
};

const draw = (count: number) => Float32Array.from({ length: count }, () => Math.random() - 0.5);

function engineOf(model: string, workers: number) {
  const file = bytesOf(model).buffer;
  const [H, W] = new ModelFile(file).metadata.config.img_size;
  const pixels = draw(3 * H * W);
  return new ModelEngine({ file, workers, image: async () => ({ pixels, shown: {} as ExplainedImage }) });
}

/** Median duration of a forward pass with all attention (ms); the model is a file in base64. */
export function forward(model: string, kernels: KernelKind, rounds: number): number {
  const network = new Network(new ModelFile(bytesOf(model).buffer), new Heap([kernels]));
  const [H, W] = network.config.img_size;
  const input = { pixels: draw(3 * H * W), keep: null, replaced: null };
  const times = Array.from({ length: rounds + 3 }, () => {
    const start = performance.now();
    network.forward(input);
    return performance.now() - start;
  });
  return median(times.slice(3));
}

/** Duration of all maps of an image, of occlusion alone, and of scores, by two workers (s). */
export async function maps(model: string) {
  const engine = engineOf(model, 2);
  const request = async (image: string, part: 'quick' | 'all') => {
    const start = performance.now();
    await engine.request('explanations/maps', { subject: subjectOf(image), target: [0], part }, signal, () => {});
    return (performance.now() - start) / 1000;
  };
  await request('warm', 'all');
  const all = await request('first', 'all');
  const quick = await request('second', 'quick');
  const start = performance.now();
  await engine.request('explanations/scores', { subject: subjectOf('first'), target: [0] }, signal, () => {});
  const scores = (performance.now() - start) / 1000;
  engine.stop();
  return { quick, occlusion: all - quick, scores };
}

/** Durations of predictions, maps of attention and all attention after a patch is removed (ms). */
export async function live(model: string, rounds: number): Promise<number[]> {
  const engine = engineOf(model, 1);
  const times: number[] = [];
  for (let round = 0; round < rounds + 10; round++) {
    const subject = subjectOf('image', [round % 16]);
    const start = performance.now();
    await engine.request('explanations', { subject }, signal, () => {});
    await engine.request('explanations/attention', { subject }, signal);
    times.push(performance.now() - start);
  }
  engine.stop();
  return times.slice(10);
}

/** Explain images, each with its own predicted class, in the worker of one engine. */
export async function explain(model: string, images: number): Promise<void> {
  running ??= engineOf(model, 1);
  for (let i = 0; i < images; i++) {
    const subject = subjectOf(`image ${explained++}`);
    await running.request('explanations', { subject }, signal, () => {});
    await running.request('explanations/maps', { subject, part: 'quick' }, signal, () => {});
  }
}

let running: ModelEngine | null = null;
let explained = 0;
