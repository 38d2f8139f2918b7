/* State of the page: the user's choices, the latest replies, and what the server work is doing.
   Actions are in actions.ts, requests in requests.ts, what is drawn in view.svelte.ts. */

import type {
  AblateReply,
  Catalog,
  DownloadInfo,
  ExplainReply,
  ImageChoice,
  MethodInfo,
  ModelInfo,
  ScoresReply,
} from '../lib/api';
import type { Host } from '../lib/client';
import { scoreSentence } from '../lib/faithfulness';
import { type AttentionRows, type Direction, largest, MEAN, type Shape } from '../lib/numbers';
import { ThemeColors } from '../lib/theme.svelte';
import type { Line } from '../lib/words';
import { Gallery } from './gallery.svelte';
import type { Panel } from './panel';
import type { Presentation } from './present';
import { type PixelMap, View } from './view.svelte';

export const REMOVING = 'Click patches, or drag over them, to remove them; click again to restore them.';

export type ScaleChoice = 'shared' | 'uniform' | 'map';
export type Mode = 'zero' | 'mean';
export type PatchMode = 'drop' | 'gray';
export type ViewName = 'attention' | 'contributions' | 'features' | 'patching';
export type Shelf = ImageChoice['kind'];

/** The user's choices. Layers, heads and patches count from 0. In `hover` and `readoutPatch` -1 means no patch. */
export class Choices {
  checkpoint = $state.raw('');
  image = $state.raw<ImageChoice | null>(null);
  layer = $state.raw(MEAN);
  head = $state.raw(MEAN);
  view = $state.raw<ViewName>('attention');
  other = $state.raw<ImageChoice | null>(null); // the second image of activation patching; null: a sample
  pins = $state.raw<number[]>([]); // pinned query patches
  isMultiPatchQuery = $state.raw(false);
  direction = $state.raw<Direction>('from');
  scale = $state.raw<ScaleChoice>('shared');
  smooth = $state.raw(false);
  pixels = $state.raw(false); // methods that have a map per pixel show it
  outlines = $state.raw(60); // opacity, percent
  method = $state.raw<string | null>(null);
  ablated = $state.raw<number[]>([]); // heads, layer * heads + head
  removed = $state.raw<number[]>([]); // patches
  mode = $state.raw<Mode>('zero'); // the output of an ablated head: zero, or its mean over the sample images
  patch_mode = $state.raw<PatchMode>('drop'); // of patches: their tokens are dropped, or they are painted gray
  target = $state.raw<number[]>([]); // the explained class, and the contrast class if any; empty: the predicted class
  hover = $state.raw(-1);
  readoutPatch = $state.raw(-1);
}

/** The ablated heads and removed patches that the page shows. */
export type Changes = Pick<Choices, 'ablated' | 'removed' | 'mode' | 'patch_mode'>;

/** Values of the markers on the root, for tests and styles: data-full, data-methods and so on. */
export class Markers {
  state = $state.raw<'working' | 'ready' | 'error'>('working');
  ready = $state.raw<string>(); // the key that is painted
  full = $state.raw<string>();
  methods = $state.raw<string>();
  scores = $state.raw<string>();
  changed = $state.raw<string>();
}

export class Explorer {
  readonly host: Host<Catalog>;
  readonly theme: ThemeColors;
  readonly choices = new Choices();
  readonly markers = new Markers();
  readonly view: View;
  readonly gallery: Gallery;

  catalog = $state.raw() as Catalog;
  root = $state.raw<HTMLElement | null>(null);
  shelf = $state.raw<Shelf>('sample');
  download = $state.raw<DownloadInfo | null>(null); // of CIFAR-10
  followsDownload = false;
  pointedMethod = $state.raw<string | null>(null); // under the pointer in the strip
  removing = $state.raw(false); // a click on the image removes a patch
  dropping = $state.raw(false); // a file is dragged over the page
  isHidden = $state.raw(false); // another tab is on screen
  showsJump = $state.raw(false);
  presented = $state.raw<Presentation | null>(null); // what fills the window
  panel = $state.raw<Panel | null>(null); // of a view other than the attention
  mapIsInView = true;

  /** The latest reply, and what was derived from it. */
  reply = $state.raw<ExplainReply | null>(null);
  shape = $state.raw() as Shape; // undefined before the first model is known
  attention = $state.raw<AttentionRows | null>(null);
  image = $state.raw<HTMLImageElement | null>(null); // decoded
  maps = $state.raw<Record<string, number[]>>({}); // of the attribution methods
  pixelMap = $state.raw<PixelMap | null>(null); // the latest one
  mapsOf: object | null = null; // the reply or ablation that they belong to
  ablation = $state.raw<Pick<AblateReply, 'key' | 'probabilities'> | null>(null); // while heads are ablated or patches removed
  faithfulness = $state.raw<ScoresReply | null>(null); // of the maps on screen, once computed
  leftOut = $state.raw<string | null>(null); // why there are no scores, nor maps that take many passes
  fullAttentionFailed = false;
  rowsOf: AttentionRows | null = null; // the attention whose next rows are being fetched
  shown: { checkpoint: string; image: ImageChoice } | null = null; // on screen, restored after an error
  recorded = { image: '', time: 0 }; // the last image in the history (JSON), and when it was shown (ms)
  previousChanges: Changes = { ablated: [], removed: [], mode: 'zero', patch_mode: 'drop' }; // the changes shown last
  failedModel: string | null = null; // the model that could not be shown

  keepsFocus = false; // a view was chosen by its tab
  takeImage: ((image: ImageChoice) => void) | null = null; // takes the next chosen image, which is not shown
  openSaveDialog: (() => void) | null = null; // null before it is set up

  /** Of the latest requests: replies to earlier ones are dropped. */
  ticket = 0;
  methodsTicket = 0;
  ablationTicket = 0;
  pendingImages = 0; // that are being explained

  notice = $state.raw<string | null>(null); // a sentence shown in the status line until the next action
  noticeIsError = $state.raw(false);
  voice = $state.raw(''); // text of the live region
  waiting: ReturnType<typeof setTimeout> | undefined; // until "Working…" appears
  speaking: ReturnType<typeof setTimeout> | undefined;
  writing: ReturnType<typeof setTimeout> | undefined; // until the address is updated

  /** The run whose dataset can be listed: that of the model, or of the image on screen. */
  readonly datasetRun = $derived.by(() => {
    const { checkpoint, image } = this.choices;
    if (this.model(checkpoint)?.dataset) return checkpoint;
    return image?.kind === 'dataset' ? image.run : null;
  });

  readonly predictedClass = $derived.by(() => (this.reply ? largest(this.reply.probabilities) : 0));
  readonly targetClass = $derived.by(() => this.choices.target[0] ?? this.predictedClass);
  /** Names of the explained class and of the contrast class, if any. */
  readonly targetNames = $derived.by(() =>
    [this.targetClass, ...this.choices.target.slice(1)].map((k) => this.reply?.classes[k] ?? ''),
  );

  /** Whether the model has a classification head. */
  readonly hasHead = $derived.by(() => this.reply === null || this.reply.classes.length > 0);
  /** Whether maps have deletion scores: of a class, which a notebook may have left out. */
  readonly hasScores = $derived.by(
    () => this.hasHead && !this.leftOut && (this.host.live || this.faithfulness !== null),
  );

  readonly status = $derived.by((): Line => {
    if (this.notice !== null) return [this.notice];
    const method = this.hasScores ? this.method(this.pointedMethod) : undefined;
    if (method && method.key !== this.view.method) return [scoreSentence(method, this.faithfulness)];
    return this.removing ? [REMOVING] : this.view.line;
  });

  constructor(host: Host<Catalog>) {
    this.host = host;
    this.catalog = host.catalog;
    this.theme = new ThemeColors(host.element, host.catalog.colors);
    this.view = new View(this);
    this.gallery = new Gallery(this);
  }

  method(key: string | null): MethodInfo | undefined {
    return this.catalog.methods.find((method) => method.key === key);
  }

  model(name: string | null): ModelInfo | undefined {
    return this.catalog.checkpoints.find((checkpoint) => checkpoint.name === name);
  }

  /** The key of the explanation on screen, with its ablations if any. */
  get key(): string {
    return this.ablation?.key ?? this.reply?.key ?? '';
  }

  /** Whether the Explore tab is the one on screen. */
  get isVisible(): boolean {
    return (this.root?.getClientRects().length ?? 0) > 0;
  }
}
