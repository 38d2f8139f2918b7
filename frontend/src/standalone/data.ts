/* The data of a saved explanation as the explorer takes it from a server. */

import type {
  Catalog,
  CodeRequest,
  ExplorerData,
  FullAttention,
  Provenance,
  RowsRequest,
  ShownView,
  View,
} from '../lib/api';
import type { Request, RequestName } from '../lib/client';
import { bytesOf, floatsOf, queryKey } from '../lib/numbers';

const MAX_WEIGHT = 65535;

async function decompress(base64: string): Promise<ArrayBuffer> {
  const stream = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).arrayBuffer();
}

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

/** A catalog with one model and no images to choose from. */
export function catalogOf({ reply, methods, colors, ...model }: ExplorerData): Catalog {
  const { checkpoint: name, layers, heads } = reply;
  return {
    checkpoints: [
      {
        name,
        origin: 'opened',
        family: model.family,
        parameters: 0,
        classes: reply.classes.length,
        dataset: null,
        layers,
        heads,
        accuracy: model.accuracy,
        eval_samples: model.eval_samples,
        measured_on: 'test',
        is_classifier: model.isClassifier,
        source: model.source,
      },
    ],
    cifar: { available: false, classes: [], message: '' },
    samples: [],
    photos: [],
    methods,
    maxBytes: 0,
    colors,
    public: true,
  };
}

/** A function that answers requests about the explanation as a server would. The first maps do not wait for `attention`. */
export function replier({ reply, rows, scores, provenance }: ExplorerData, attention: () => Promise<string>): Request {
  const replies: Partial<Record<RequestName, unknown>> = {
    explain: reply,
    methods: { maps: reply.maps, leftOut: null },
    scores,
    ablate: reply,
  };
  return async (name, argument) => {
    if (name === 'rows') {
      const { patches, direction } = argument as RowsRequest;
      return (rows[queryKey(patches, direction)] ?? { error: NOT_STORED }) as never;
    }
    if (name === 'provenance') return provenanceOf(provenance, (argument as CodeRequest).view) as never;
    if (name === 'attention') return (await attention()) as never;
    return (name in replies ? replies[name] : { error: NO_SERVER }) as never;
  };
}

/** The stored provenance with the view on screen; the code is that of the stored one. */
export function provenanceOf(stored: Provenance, shown: ShownView): Provenance {
  const { layer, head, patches: query, other, ...same } = shown;
  const content = shown.method === null ? 'attention' : 'method';
  const view = { ...same, content, layer: layer ?? 'mean', head: head ?? 'mean', query } satisfies View;
  const isStored = CODED.every((field) => String(view[field]) === String(stored.view[field]));
  return { ...stored, view, code: isStored ? stored.code : null };
}

/** What the code of a view depends on. */
const CODED = ['content', 'method', 'layer', 'head', 'query', 'direction', 'target', 'pixels'] as const;

const NOT_STORED =
  'This model is large: the file stores the maps of the class token and of the patches that were pinned, not of this one.';
const NO_SERVER = 'This needs a running vitviz.';
