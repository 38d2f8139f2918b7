/* State of the Compare page. Requests are functions over this object, see requests.ts. */

import type {
  Catalog,
  CompareImages,
  CompareReply,
  CompareRequest,
  ExplainReply,
  ModelInfo,
  SnapshotsReply,
} from '../lib/api';
import type { Host } from '../lib/client';
import { ThemeColors } from '../lib/theme';
import type { Linked } from './address';
import { type Place, readingSentence, restingSentence } from './sentences';
import { ATTENTION, EMPTY, type Kind, type Known, mapsOf, SIMILARITY, viewOfB } from './sides';

/** A comparison on screen, with what it was asked for. */
export interface Shown {
  kind: Kind;
  reply: CompareReply;
  request: CompareRequest;
  a: Known;
  b: Known;
  snapshots: SnapshotsReply | null;
  removed: readonly number[]; // patches of B, dropped or painted gray
  isGray: boolean;
}

export interface Reading {
  place: Place;
  patch: number;
}

export class ComparePage {
  readonly host: Host<Catalog>;
  readonly theme: ThemeColors;

  root: HTMLElement | null = null; // set by Compare.svelte
  state = $state.raw<'working' | 'ready' | 'error'>('working'); // `data-state`
  ready = $state.raw(0); // number of comparisons shown; `data-ready`
  models: ModelInfo[];
  images = $state.raw<CompareImages>({ samples: [], photos: [] });

  kind = $state.raw<Kind>('image');
  a = $state.raw(EMPTY); // the view of A
  own = $state.raw(EMPTY); // B's own values of the fields of the kind
  query = $state.raw<readonly number[]>([]); // a patch, or none for the class token
  mode = $state.raw<'zero' | 'mean'>('zero'); // the output of ablated heads
  patchMode = $state.raw<'drop' | 'gray'>('drop'); // of removed patches
  removing = $state.raw(false); // a click on an image removes a patch

  shown = $state.raw<Shown | null>(null);
  reading = $state.raw<Reading | null>(null); // the patch under the pointer or chosen by keys
  status = $state.raw('');
  isError = $state.raw(false);
  voice = $state.raw(''); // text of the live region

  settled: Pick<ComparePage, 'kind' | 'a' | 'own' | 'query' | 'mode' | 'patchMode'> | null = null; // the choices of `shown`, restored after an error
  uploading: Record<'a' | 'b', File | null> = { a: null, b: null }; // until another image is chosen for the side
  ticket = 0; // of the latest comparison; earlier responses are dropped
  writing: ReturnType<typeof setTimeout> | undefined; // until the address is updated
  speaking: ReturnType<typeof setTimeout> | undefined;
  linked: Linked | null = null; // the link, until its comparison is shown
  followed = ''; // the model and image that were last read from the address, or written to it
  explained = new Map<string, ExplainReply>(); // by model and image

  readonly b = $derived(viewOfB(this.kind, this.a, this.own));
  readonly hasHead = $derived.by(() => this.shown === null || this.shown.a.classes.length > 0);
  readonly maps = $derived.by(() => mapsOf(this.kind, this.host.catalog.methods, this.hasHead));
  readonly isSimilarity = $derived.by(() => this.kind !== 'method' && this.a.map === SIMILARITY);
  /** Whether the query can be a patch: of attention that is not stored for the class token only. */
  readonly hasQuery = $derived.by(
    () => this.isSimilarity || (this.kind !== 'snapshot' && [this.a.map, this.b.map].includes(ATTENTION)),
  );
  readonly sentence = $derived.by(() => {
    if (!this.shown) return '';
    const { reply } = this.shown;
    return this.reading ? readingSentence(reply, this.reading.place, this.reading.patch) : restingSentence(reply);
  });

  /** The status line: what is read, else a notice. */
  readonly line = $derived.by(() => (this.reading ? this.sentence : this.status || this.sentence));

  constructor(host: Host<Catalog>) {
    this.host = host;
    this.models = $state.raw(host.catalog.checkpoints);
    this.theme = new ThemeColors(host.element, host.catalog.colors);
  }

  /** The catalog of images and models, as addresses need it. */
  get catalog() {
    return { ...this.host.catalog, ...this.images, checkpoints: this.models };
  }

  isForClass(map: string): boolean {
    return this.host.catalog.methods.some(({ key, forClass }) => key === map && forClass);
  }

  showNotice(sentence: string, isError = false) {
    Object.assign(this, { status: sentence, isError, voice: sentence || this.voice });
  }
}
