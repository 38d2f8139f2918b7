/* A model file: a checkpoint as vitviz/models/rounding.py writes it, in the safetensors format. */

import { isRefused, RefusedError } from '../lib/refused';
import type { MeanQuery, TunedLens } from '../lib/routes';
import type { Resize } from './resample';
import { completeConfig, type ViTConfig } from './vitConfig';

/** The metadata of a model file. */
export interface ModelMetadata {
  config: ViTConfig;
  labels: string[];
  mean: number[];
  std: number[];
  resize: Resize;
  name: string;
  credit: string;
  record: { train_config?: { init_from?: string | null } | null };
  rounding: string;
  sha256: string; // of the weights before they were rounded
  lens?: null | Omit<TunedLens, 'values'>; // whose weights are in the file
  question?: Pick<MeanQuery, 'image_specific' | 'kept' | 'images'> | null; // whose mean query is in the file
}

export interface Weights {
  data: Float32Array;
  shape: number[];
}

interface Entry {
  dtype: 'F32' | 'F16' | 'BF16' | 'I8';
  shape: number[];
  data_offsets: [number, number];
}

const BYTES = { F32: 4, F16: 2, BF16: 2, I8: 1 };

export class ModelFile {
  readonly metadata: ModelMetadata;
  readonly #entries: Record<string, Entry>;
  readonly #bytes: Uint8Array<ArrayBuffer>; // of the tensors

  /** @throws RefusedError if the file is incomplete or not one of vitviz */
  constructor(file: ArrayBuffer) {
    try {
      const size = Number(new DataView(file).getBigUint64(0, true));
      const { __metadata__, ...entries } = JSON.parse(new TextDecoder().decode(new Uint8Array(file, 8, size)));
      this.#entries = entries;
      this.#bytes = new Uint8Array(file, 8 + size);
      const metadata = JSON.parse(__metadata__.vitviz);
      this.metadata = { name: 'model', credit: '', record: {}, rounding: 'float32', sha256: '', ...metadata };
      this.metadata.config = completeConfig(metadata.config);
    } catch (error) {
      throw isRefused(error) ? error : new RefusedError(DAMAGED);
    }
    for (const { dtype, shape, data_offsets: offsets } of Object.values(this.#entries)) {
      const bytes = BYTES[dtype] * shape.reduce((product, n) => product * n, 1);
      if (offsets[1] - offsets[0] !== bytes || offsets[1] > this.#bytes.length) throw new RefusedError(DAMAGED);
    }
  }

  has(name: string) {
    return name in this.#entries;
  }

  /** Number of weights. */
  get parameters() {
    return Object.values(this.#entries).reduce(
      (sum, { shape }) => sum + shape.reduce((product, n) => product * n, 1),
      0,
    );
  }

  /** A tensor in float32. */
  tensor(name: string): Weights {
    const entry = this.#entries[name];
    if (!entry) throw new RefusedError(DAMAGED);
    const { dtype, shape, data_offsets } = entry;
    const { buffer } = this.#bytes.slice(...data_offsets);
    if (dtype === 'F32') return { data: new Float32Array(buffer), shape };
    if (dtype === 'F16') return { data: fromHalf(new Uint16Array(buffer)), shape };
    if (dtype === 'BF16') {
      const bits = Uint32Array.from(new Uint16Array(buffer), (value) => value << 16);
      return { data: new Float32Array(bits.buffer), shape };
    }
    const scale = this.tensor(`${name}.scale`).data; // (rows,)
    const perRow = buffer.byteLength / scale.length;
    return {
      data: Float32Array.from(new Int8Array(buffer), (value, i) => value * scale[Math.floor(i / perRow)]),
      shape,
    };
  }
}

const DAMAGED = 'A model file must be a complete checkpoint of vitviz: this one is not. Save or load it again.';

/** Float16 to float32. */
function fromHalf(values: Uint16Array): Float32Array {
  const bits = Uint32Array.from(values, (value) => {
    const exponent = (value >> 10) & 31;
    const rest =
      exponent === 31 ? 0x7f800000 | ((value & 1023) << 13) : ((exponent + 112) << 23) | ((value & 1023) << 13);
    return (((value & 0x8000) << 16) | rest) >>> 0;
  });
  const floats = new Float32Array(bits.buffer);
  values.forEach((value, i) => {
    if (!(value & 0x7c00)) floats[i] = (value & 0x8000 ? -1 : 1) * (value & 1023) * 2 ** -24; // subnormal
  });
  return floats;
}
