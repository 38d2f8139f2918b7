/* The engine of a saved file or a notebook: one explanation, whose data is next to it. */

import { bytesOf, floatsOf, uint16Of } from '../lib/base64';
import { afterPaint } from '../lib/dom';
import { inflate } from '../lib/inflate';
import { queryKey } from '../lib/numbers';
import { RefusedError } from '../lib/refused';
import type { ExplorerData, FullAttention, Provenance } from '../lib/routes';
import { type Image, isSame, type Subject, type View } from '../lib/view';
import type { Engine } from './engine';
import { NO_SERVER, requestTo } from './replies';

/** What a saved file or notebook holds. */
export interface SavedFile {
  subject: Subject;
  view: View;
  provenance: Provenance;
  data: ExplorerData['data'];
}

const MAX_WEIGHT = 65535;

export class SavedEngine implements Engine {
  readonly isLive = false;
  readonly #data: ExplorerData['data'];
  readonly #provenance: Provenance;
  readonly #image: Image | undefined;

  constructor({ data, provenance, subject }: Pick<SavedFile, 'data' | 'provenance' | 'subject'>) {
    this.#image = subject?.image;
    this.#data = data;
    this.#provenance = provenance;
  }

  request = requestTo({
    explanations: ({ subject }) => {
      if (!isSame(subject.image, this.#image)) throw new RefusedError(NO_SERVER); // that of another image
      return this.#data.explained;
    },
    'explanations/attention': () => this.#attention(),
    'explanations/rows': ({ query = [], direction = 'from' }) => this.#rows(queryKey(query, direction)),
    'explanations/maps': () => ({ ...this.#data.explained, skipped: null }),
    'explanations/scores': () => this.#data.scores,
    'explanations/provenance': ({ view }) => this.#provenanceOf(view as View),
  });

  openImage = async (): Promise<never> => {
    throw new RefusedError(NO_SERVER);
  };

  /** After the first maps are painted: it takes a moment to decompress. */
  async #attention() {
    await new Promise<void>(afterPaint);
    const { attention } = this.#data;
    if (!attention) throw new RefusedError(NOT_STORED);
    return weightsOf(attention);
  }

  #rows(key: string) {
    const text = this.#data.rows[key];
    if (text === undefined) throw new RefusedError(NOT_STORED);
    return Float32Array.from(uint16Of(text), (weight) => weight / MAX_WEIGHT);
  }

  /** That of the file, with the view on screen; the code is that of the stored view. */
  #provenanceOf(view: View) {
    const stored = this.#provenance;
    const isStored = CODED.every((field) => String(view[field]) === String(stored.view[field]));
    return { ...stored, view, code: isStored ? stored.code : null };
  }
}

/** What the code of a view depends on. */
const CODED = ['content', 'method', 'layer', 'head', 'query', 'direction', 'target', 'pixels'] as const;

const NOT_STORED =
  'This model is large: the file stores the maps of the class token and of the patches that were pinned, not of this one.';

/** Attention weights, (L, A, T, T) as multiples of 1 / 65535. With 8 bits they are relative to the largest of each row. */
export async function weightsOf({ weights, largest }: FullAttention): Promise<Uint16Array> {
  const buffer = await decompress(weights);
  if (largest === null) return new Uint16Array(buffer);
  const steps = new Uint8Array(buffer);
  const scales = floatsOf(largest);
  const tokens = steps.length / scales.length;
  const full = new Uint16Array(steps.length);
  for (let row = 0, i = 0; row < scales.length; row++) {
    const scale = (MAX_WEIGHT * scales[row]) / 255;
    for (const end = i + tokens; i < end; i++) full[i] = Math.round(scale * steps[i]);
  }
  return full;
}

export const decompress = (base64: string): Promise<ArrayBuffer> => inflate(new Blob([bytesOf(base64)]).stream());
