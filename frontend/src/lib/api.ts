/* Data between the page and Python. Written by `python -m scripts.types` from vitviz/webapp/schemas/. */

/** The ablated explanation; `cls` and `pool` as in `ExplainReply`. */
export interface AblateReply {
  key: string;
  probabilities: number[];
  cls: string;
  pool: string | null;
}

/** Ablated heads, pairs of layer and head, and removed patches. */
export interface AblateRequest {
  key: string;
  heads: [number, number][];
  patches: number[];
  mode: 'zero' | 'mean';
  patch_mode: 'drop' | 'gray';
}

/** Ablated heads and removed patches. */
export interface Ablation {
  heads?: [number, number][];
  patches?: number[];
  mode?: 'zero' | 'mean';
  patch_mode?: 'drop' | 'gray';
}

/** Initial data of the page; uploads have at most `maxBytes`. */
export interface Catalog {
  checkpoints: ModelInfo[];
  cifar: CifarInfo;
  samples: NamedImage[];
  photos: Photo[];
  methods: MethodInfo[];
  maxBytes: number;
  colors: ColorTables;
  public: boolean;
}

/** A test image of CIFAR-10. */
export interface CifarChoice {
  kind: 'cifar';
  index: number;
}

/** Start or cancel the download of CIFAR-10, or return its state. */
export interface CifarDownloadRequest {
  action: 'start' | 'cancel' | 'state';
}

/** CIFAR-10: whether it is available, and otherwise how to get it. */
export interface CifarInfo {
  available: boolean;
  classes: string[];
  message: string;
}

/** Python code. */
export interface CodeReply {
  code: string;
}

/** The view whose arrays the code computes, and what of it is shown. */
export interface CodeRequest {
  key: string;
  view: ShownView;
  content: 'view' | 'map' | 'matrix' | 'methods' | 'sheet' | 'layers' | 'patches' | 'contributions' | 'features' | 'patching';
}

/** 256 RGB triples in base64 for values from 0 (`seq`) and around 0 (`div`). */
export interface ColorTable {
  seq: string;
  div: string;
}

/** Color tables by theme. */
export interface ColorTables {
  light: ColorTable;
  dark: ColorTable;
}

/** Also the format of the file. */
export interface CompareFigureRequest {
  a: ComparedSide;
  b: ComparedSide;
  query: number[];
  similarTo: number | null;
  format: 'npz' | 'csv';
}

/** Thumbnails of the images that ship with vitviz. */
export interface CompareImages {
  samples: NamedImage[];
  photos: Photo[];
}

/** The comparison; `difference` is B minus A (N), None if the grids differ, on `differenceScale`. `totalVariation` is None if the labels differ; `notes` say what is not compared. */
export interface CompareReply {
  a: ComparedMap;
  b: ComparedMap;
  scale: MapScale;
  difference: (number | null)[] | null;
  differenceScale: MapScale;
  differenceUnit: string;
  mostChanged: number | null;
  correlation: number | null;
  classes: ComparedClass[];
  totalVariation: number | null;
  headline: string;
  correlationSentence: string;
  predictionSentence: string;
  notes: string[];
}

/** Two sides; `query` are the query patches of attention, `similarTo` a patch of A whose similarity is compared. */
export interface CompareRequest {
  a: ComparedSide;
  b: ComparedSide;
  query: number[];
  similarTo: number | null;
}

/** A class with the probabilities of both sides, and the change in percentage points as printed. */
export interface ComparedClass {
  name: string;
  a: number;
  b: number;
  points: number;
}

/** A side of the result: its map on the common scale (N), None for removed patches; `aspect` is width by height. */
export interface ComparedMap {
  name: string;
  title: string;
  values: (number | null)[];
  rows: number;
  columns: number;
  aspect: number;
  prediction: string | null;
}

/** One side: an explanation by its `key`, or a snapshot; a method, or the attention of a head or mean (None). */
export interface ComparedSide {
  key: string | null;
  snapshot: Snapshot | null;
  method: string | null;
  layer: number | 'pool' | null;
  head: number | null;
  target: number[];
}

/** Direct contributions to a logit, which sum to `logit`; `heads` is base64 of float32 (L, A, T). */
export interface ContributionsReply {
  embedding: number;
  heads: string;
  attentionBias: number[];
  mlp: number[];
  bias: number;
  logit: number;
}

/** A test image of the dataset that the model of a run ("runs/NAME") was trained on. */
export interface DatasetChoice {
  kind: 'dataset';
  run: string;
  index: number;
}

/** State of the download of a dataset. */
export interface DownloadInfo {
  dataset: string;
  running: boolean;
  progress: number;
  message: string;
}

/** Argument of functions that need none. */
export type Empty = Record<string, never>;

/** Also the key under which the server holds it. */
export interface ExplainReply {
  layers: number;
  heads: number;
  rows: number;
  columns: number;
  aspect: number;
  prefix: number;
  classToken: boolean;
  distilled?: boolean;
  checkpoint: string;
  classes: string[];
  image: ExplainedImage;
  probabilities: number[];
  cls: string;
  pool: string | null;
  onDemand: boolean;
  limits: Record<string, ScaleLimits>;
  credit: string;
  maps: Record<string, number[]>;
  key: string;
}

/** An image and the model that explains it. */
export interface ExplainRequest {
  checkpoint: string;
  image: ImageChoice;
}

/** Explanation of an image; `cls` is the attention (L, A, T) of the default query as base64 of float32. `pool`, of models with attention pooling, has its weights (A, T) as base64 of float32. `limits` are those of the directions "from" and "to"; `credit` names source and license of the weights. `onDemand`: the full attention is large, so that the rows of other queries are requested one by one. */
export interface Explained {
  layers: number;
  heads: number;
  rows: number;
  columns: number;
  aspect: number;
  prefix: number;
  classToken: boolean;
  distilled?: boolean;
  checkpoint: string;
  classes: string[];
  image: ExplainedImage;
  probabilities: number[];
  cls: string;
  pool: string | null;
  onDemand: boolean;
  limits: Record<string, ScaleLimits>;
  credit: string;
  maps: Record<string, number[]>;
}

/** The model input, the thumbnail of an upload, and what the image shows: a class index and a word, if known. `outlines` is the data of an SVG path in a box of 1000 x 1000; `crop` the side of the center crop divided by that of the largest one, None if the whole image is resized. */
export interface ExplainedImage {
  src: string;
  outlines: string;
  original: string | null;
  caption: string;
  truth: number | null;
  shows: string | null;
  crop: number | null;
  note: string;
}

/** An explanation in a saved file or a notebook, where the explorer has no server. */
export interface ExplorerData {
  subject: Subject;
  view: View;
  provenance: Provenance;
  data: SavedData;
}

/** Principal components of patch tokens by layer: colors, base64 of RGBA (L, N, 4), and explained variance ratios. Removed patches are transparent. A layer has no ratios if fewer than three patches are left. */
export interface FeaturesReply {
  pixels: string;
  explained: (number[] | null)[];
}

/** Whether the background is removed. */
export interface FeaturesRequest {
  key: string;
  foreground: boolean;
}

/** A file to save: its name, and its content as a data URL. */
export interface FigureFile {
  name: string;
  src: string;
}

/** Also the format of the file: arrays, a table, or the explorer. */
export interface FigureRequest {
  key: string;
  view: ShownView;
  content: 'view' | 'map' | 'matrix' | 'methods' | 'sheet' | 'layers' | 'patches' | 'contributions' | 'features' | 'patching';
  format: 'npz' | 'csv' | 'html';
}

/** A model in the cache of the Hugging Face Hub; `classes` is None if only its tensors show them. */
export interface FoundModel {
  name: string;
  family: string;
  bytes: number;
  classes: number | null;
}

/** Response of `find_models`: all models in the cache, and where it is. */
export interface FoundModels {
  models: FoundModel[];
  cache: string;
}

/** Attention (L, A, T, T) as base64 of zlib: uint16 / 65535, or uint8 / 255 of `largest`, float32 (L, A, T). */
export interface FullAttention {
  weights: string;
  largest: string | null;
}

/** A test image, and its prediction if the images are selected by it. */
export interface GalleryImage {
  index: number;
  label: number;
  src: string;
  prediction?: string;
  probability?: number;
}

/** Number of test images that the model has classified, and of all. */
export interface GalleryProgress {
  done: number;
  total: number;
}

/** The dataset and the model of a gallery. */
export interface GalleryProgressRequest {
  dataset: string;
  checkpoint: string;
}

/** One page of test images, the number of pages and images of the selection, and the classes of the dataset. */
export interface GalleryReply {
  images: GalleryImage[];
  page: number;
  pages: number;
  count: number;
  classes: string[];
}

/** One page of test images of a class (-1 for all), selected by the predictions of `checkpoint` unless all. `dataset` is "cifar10", or "runs/NAME" for the dataset of that run. With `index`, the page with that image. */
export interface GalleryRequest {
  dataset: string;
  label: number;
  page: number;
  index?: number;
  shown: 'all' | 'correct' | 'misclassified' | 'confidently wrong';
  checkpoint?: string;
}

/** An image that a program passed, by the SHA-256 of its file, or of an image in memory of its RGB pixels. */
export interface Given {
  kind?: 'given';
  sha256: string;
  width: number;
  height: number;
  crop?: number;
  name?: string;
}

/** Shape of the attention. `aspect` is the width of the image divided by its height, `prefix` the number of tokens before the patches, and `distilled` whether the second of them is a distillation token. */
export interface GridShape {
  layers: number;
  heads: number;
  rows: number;
  columns: number;
  aspect: number;
  prefix: number;
  classToken: boolean;
  distilled?: boolean;
}

export type ImageChoice = SampleChoice | CifarChoice | DatasetChoice | UploadChoice;

/** An image. */
export interface ImageIdentity {
  sha256: string;
  width: number;
  height: number;
  crop: number;
}

/** How the image becomes the model's input; see `vitviz.models.checkpoint.Preprocessing`. */
export interface InputPreprocessing {
  img_size: [number, number];
  mean: [number, number, number];
  std: [number, number, number];
  interpolation: string;
  crop_pct: number;
  crop_mode: string;
}

/** The key of an explanation. */
export interface KeyRequest {
  key: string;
}

/** Direct contributions to the logit of the predicted class, by layer. */
export interface LessonContributions {
  embedding: number;
  attention: number[];
  mlp: number[];
  bias: number;
  logit: number;
}

/** See `vitviz.attribution.lesson.Flips`. */
export interface LessonFlipReply {
  best: number[] | null;
  random: (number | null)[];
}

/** Query of the first token (d), keys and values of all tokens (T, d), base64 of float32. */
export interface LessonHeadReply {
  query: string;
  keys: string;
  values: string;
  size: number;
}

/** A head, from 0. */
export interface LessonHeadRequest {
  key: string;
  layer: number;
  head: number;
}

/** Sizes of the model; `rotary`: rotary positions. `patch` is the height and width of a patch in pixels, equal except for the strips of tutorial-scratch; the square root of `scaledWidth` divides the attention scores. */
export interface LessonModel {
  imgSize: [number, number];
  patchSize: number;
  patch: [number, number];
  embedDim: number;
  headDim: number;
  scaledWidth: number;
  mlpDim: number;
  positions: boolean;
  rotary: boolean;
}

/** See `vitviz.attribution.lesson.PatchEmbedding`; pixels and weights base64 of float32 (3, h, w). */
export interface LessonPatchReply {
  pixels: string;
  weights: string;
  product: number;
  rest: number | null;
  value: number;
  positions: number[];
}

/** A patch and a dimension of its embedding, from 0. */
export interface LessonPatchRequest {
  key: string;
  patch: number;
  dimension: number;
}

/** Patches to remove, from 0. */
export interface LessonRemoveRequest {
  key: string;
  patches: number[];
}

/** Numbers of a lesson on one image; the forward pass itself is in the response of `explain`. `scrambled` is the image as data URL with patches cut by a wrong reshape; `lens` the probabilities by layer, (L + 1, K), `norms` (L + 1) the norms of the token that is read; `patchPredictions` (N, K), if the head can be applied to one token; `removals` of the patches with the largest values, `random` of sets drawn at random. */
export interface LessonReply {
  model: LessonModel;
  scrambled: string;
  logits: number[];
  lens: number[][];
  norms: number[];
  patchPredictions: number[][] | null;
  contributions: LessonContributions | null;
  removals: Removal[];
  random: Removal[];
}

/** Snapshots of a training on one image. `maps` are the mean attention of the class token in the last layer, (S, N) base64 of float32; `probabilities` those of the image's class, (S,), None if it is not known. */
export interface LessonTrainingReply {
  image: string;
  name: string;
  epochs: number[];
  maps: string;
  probabilities: number[] | null;
}

/** A checkpoint, and the name of a sample image. */
export interface LessonTrainingRequest {
  checkpoint: string;
  name: string;
}

/** The scale of a map: from 0 to `limit`, from -`limit` to `limit`, or uniform attention times 1/8 to 8. */
export interface MapScale {
  kind: 'linear' | 'signed' | 'uniform';
  limit: number;
  isWeight: boolean;
  unit: string;
}

/** An attribution method; those on request have a map only after `map_on_request`, some also one per pixel. */
export interface MethodInfo {
  key: string;
  name: string;
  about: string;
  aboutWithoutClassToken: string;
  formula: string;
  formulaWithoutClassToken: string;
  source: string;
  unit: 'weights' | 'logits' | 'relative';
  forClass: boolean;
  onRequest: boolean;
  hasPixels: boolean;
}

/** The map of each method; `leftOut` says why maps and all scores are missing, if they are. */
export interface MethodsReply {
  maps: Record<string, number[]>;
  leftOut: string | null;
}

/** Also whether to leave out the maps that take many forward passes. */
export interface MethodsRequest {
  key: string;
  target: number[];
  quick?: boolean;
}

/** What is known of a model, as pairs of a term and its value. */
export interface ModelFacts {
  facts: [string, string][];
}

/** A model. */
export interface ModelIdentity {
  name: string;
  repository: string | null;
  revision: string | null;
  sha256: string;
  files: WeightsOfFile[];
}

/** A model that can be explained; `accuracy` is that on the `eval_samples` `measured_on` images, if recorded. `dataset` is the name of the dataset it was trained on, if its test images can be listed and are not CIFAR-10; `family`, `parameters` and `classes`, 0 without head, are those of its network. `source` is the repository or library that it is from, empty if vitviz trained it. */
export interface ModelInfo {
  name: string;
  origin: 'shipped' | 'run' | 'opened';
  family: string;
  parameters: number;
  classes: number;
  dataset: string | null;
  layers: number;
  heads: number;
  accuracy: number | null;
  eval_samples: number | null;
  measured_on: string;
  is_classifier: boolean;
  source: string;
}

/** Response of `list_models`. */
export interface ModelList {
  checkpoints: ModelInfo[];
  cifar: CifarInfo;
}

/** A model of `list_models`. */
export interface ModelRequest {
  checkpoint: string;
}

/** An image as a data URL. */
export interface NamedImage {
  name: string;
  src: string;
}

/** A training image and its cosine similarity. */
export interface NearestImage {
  src: string;
  label: string;
  index: number;
  similarity: number;
}

/** The most similar of `count` training images. */
export interface NearestReply {
  images: NearestImage[];
  count: number;
}

/** Also the id of the task. */
export interface NearestRequest {
  key: string;
  task: string;
}

/** The map of a method on request and its score, None for a flat map. */
export interface OnRequestReply {
  map: number[];
  score: number | null;
}

/** Also a method on request, and the id of the task. */
export interface OnRequestRequest {
  key: string;
  target: number[];
  method: string;
  task: string;
}

/** State of opening a model; `done` and `total` are bytes of the download, `name` is its name once it is ready. */
export interface OpenInfo {
  source: string;
  phase: 'idle' | 'downloading' | 'loading' | 'ready' | 'failed' | 'canceled';
  done: number;
  total: number;
  message: string;
  name: string;
}

/** Start opening a model by its name or path, cancel it, or ask how far it is. */
export interface OpenRequest {
  action: 'state' | 'start' | 'cancel';
  source?: string;
}

/** A map or an image in a figure. */
export interface Panel {
  name: string;
  rectangle: [number, number, number, number];
  colormap: string | null;
  limits: [number, number] | null;
  sha256: string | null;
}

/** Also a layer, from 0. */
export interface PatchTokensRequest {
  key: string;
  target: number[];
  other: string;
  task: string;
  layer: number;
}

/** Recovered logit difference of each head, (L, A), and of each MLP, (L,). `logit` is that of the image, `corruptedLogit` that of the second image, `target` the class and its contrast. */
export interface PatchedHeads {
  heads: number[][];
  mlp: number[];
  logit: number;
  corruptedLogit: number;
  target: number[];
}

/** Recovered logit difference of each token after a layer, (T,). */
export interface PatchedTokens {
  tokens: number[];
}

/** Also the key of the second image, in whose forward pass activations are replaced, and the id of the task. */
export interface PatchingRequest {
  key: string;
  target: number[];
  other: string;
  task: string;
}

/** A photograph that ships with vitviz. */
export interface Photo {
  name: string;
  src: string;
  title: string;
}

/** The map of a method per pixel of the model input, base64 of float32 (rows, columns). */
export interface PixelMapReply {
  values: string;
  rows: number;
  columns: number;
}

/** Also a method with a map per pixel. */
export interface PixelMapRequest {
  key: string;
  target: number[];
  method: string;
}

/** Also the name of a figure whose numbers are saved. */
export interface ProbeFigureRequest {
  checkpoint: string;
  images: string;
  probe: string;
}

/** Probes of a model; shapes as of `vitviz.attribution.probes.Probes`. */
export interface ProbesReply {
  checkpoint: string;
  images: string;
  size: [number, number];
  grid: [number, number];
  prefix: number;
  classToken: boolean;
  classes: number;
  filters: number[][][][];
  explained: number[];
  position_similarity: number[][][][];
  distance: number[][];
  uniform_distance: number;
  effective_tokens: number[][];
  head_divergence: number[][][];
  norms: number[][];
  longest: number[];
  outliers: number[][];
  final_agreement: number[];
  final_probability: number[];
  class_token_cosine: number[][][];
  cka: number[][];
  sink_share: number[][];
  sink_norm: number[][];
}

/** A model, and the images to probe it with. */
export interface ProbesRequest {
  checkpoint: string;
  images: string;
}

/** Where a saved file comes from. */
export interface Provenance {
  vitviz: string;
  model: ModelIdentity;
  image: ImageIdentity;
  preprocessing: InputPreprocessing;
  subject: Subject;
  view: View;
  code: string | null;
  panels?: Panel[];
}

/** Response to a request that was not served; `busy` if it can be repeated. */
export interface Refusal {
  error: string;
  busy?: boolean;
}

/** What removing some patches does: who ranked them, the patches, and the probabilities of the classes then. */
export interface Removal {
  name: string;
  patches: number[];
  probabilities: number[];
}

/** Server functions by name: argument and response. None means that the key has expired. */
export interface Requests {
  explain: [ExplainRequest, ExplainReply | Refusal];
  attention: [KeyRequest, string | Refusal | null];
  rows: [RowsRequest, string | Refusal | null];
  methods: [MethodsRequest, MethodsReply | Refusal | null];
  scores: [TargetRequest, ScoresReply | Refusal | null];
  contributions: [TargetRequest, ContributionsReply | Refusal | null];
  map_on_request: [OnRequestRequest, OnRequestReply | Refusal | null];
  pixel_map: [PixelMapRequest, PixelMapReply | Refusal | null];
  features: [FeaturesRequest, FeaturesReply | Refusal | null];
  similarity: [SimilarityRequest, SimilarityReply | Refusal | null];
  nearest: [NearestRequest, NearestReply | Refusal | null];
  patch_heads: [PatchingRequest, PatchedHeads | Refusal | null];
  patch_tokens: [PatchTokensRequest, PatchedTokens | Refusal | null];
  task_progress: [TaskRequest, TaskProgress | Refusal];
  ablate: [AblateRequest, AblateReply | Refusal | null];
  figure: [FigureRequest, FigureFile | Refusal | null];
  code: [CodeRequest, CodeReply | Refusal | null];
  provenance: [CodeRequest, Provenance | Refusal | null];
  gallery: [GalleryRequest, GalleryReply | Refusal];
  gallery_progress: [GalleryProgressRequest, GalleryProgress | Refusal];
  cifar_download: [CifarDownloadRequest, DownloadInfo | Refusal];
  list_models: [Empty, ModelList | Refusal];
  find_models: [Empty, FoundModels | Refusal];
  open_model: [OpenRequest, OpenInfo | Refusal];
  model_facts: [ModelRequest, ModelFacts | Refusal];
  probes: [ProbesRequest, ProbesReply | Refusal];
  probe_figure: [ProbeFigureRequest, FigureFile | Refusal];
  compare: [CompareRequest, CompareReply | Refusal | null];
  compare_figure: [CompareFigureRequest, FigureFile | Refusal | null];
  compare_images: [Empty, CompareImages | Refusal];
  compare_snapshots: [SnapshotsRequest, SnapshotsReply | Refusal | null];
  lesson: [KeyRequest, LessonReply | Refusal | null];
  lesson_head: [LessonHeadRequest, LessonHeadReply | Refusal | null];
  lesson_patch: [LessonPatchRequest, LessonPatchReply | Refusal | null];
  lesson_remove: [LessonRemoveRequest, number[] | Refusal | null];
  lesson_flip: [KeyRequest, LessonFlipReply | Refusal | null];
  lesson_training: [LessonTrainingRequest, LessonTrainingReply | Refusal | null];
}

/** Also the query patches, empty for the default query, and the direction. */
export interface RowsRequest {
  key: string;
  patches: number[];
  direction: 'from' | 'to';
}

/** A test image of the dataset that a run ("runs/NAME") was trained on. */
export interface RunImage {
  kind?: 'run';
  run: string;
  index: number;
}

/** An image that ships with vitviz. */
export interface Sample {
  kind?: 'sample';
  name: string;
}

/** A drawn sample or a photograph. */
export interface SampleChoice {
  kind: 'sample';
  name: string;
}

/** What a saved file or a notebook holds of an explanation. Of large models, `attention` is None, and `rows` holds those of the view's query and of the class token, as the server function of this name returns them, by direction and patches ("from 3,5"). */
export interface SavedData {
  explained: Explained;
  attention: FullAttention | null;
  rows: Record<string, string>;
  scores: ScoresReply | null;
  methods: MethodInfo[];
  model: ModelInfo;
  caption: string;
  colors: ColorTables;
}

/** Upper ends of the shared scales, attention weights: of heads, and of means over heads, layers or both. */
export interface ScaleLimits {
  heads: number;
  means: number;
}

/** The score of each method, None for a flat map; mean and standard deviation over random rankings. */
export interface ScoresReply {
  scores: Record<string, number | null>;
  random_baseline: [number, number];
}

/** What is on screen: a method, or a head or a mean over layers or heads (None); `outlines` is an opacity, 0..1. `pixels`: a method's map is shown by pixel; `foreground`: features are shown without the background; `other`: key of the second image of activation patching. */
export interface ShownView {
  method: string | null;
  layer: number | 'pool' | null;
  head: number | null;
  patches: number[];
  direction: 'from' | 'to';
  target: number[];
  scale: 'shared' | 'uniform' | 'map';
  smooth: boolean;
  outlines: number;
  truth: number | null;
  pixels: boolean;
  foreground: boolean;
  other: string | null;
}

/** Cosine similarities with all patches by layer, base64 of float32 (L, N). */
export interface SimilarityReply {
  values: string;
}

/** A patch, counted from 0. */
export interface SimilarityRequest {
  key: string;
  patch: number;
}

/** A snapshot of a training on a probe image, both from 0. */
export interface Snapshot {
  source: string;
  image: number;
  index: number;
}

/** Snapshots of a training: epochs trained before each of them, and the probe images with their class names. */
export interface SnapshotsReply {
  shape: GridShape;
  classes: string[];
  images: NamedImage[];
  epochs: number[];
}

/** A bundled checkpoint, or a run ("runs/NAME"). */
export interface SnapshotsRequest {
  source: string;
}

/** What is explained: a model, an image, and ablations. */
export interface Subject {
  model: string;
  snapshot?: number | null;
  image: Sample | TestImage | RunImage | Upload | Given;
  ablations?: Ablation[];
}

/** Also the explained class and the contrast class; empty for the predicted class. */
export interface TargetRequest {
  key: string;
  target: number[];
}

/** How much of a task is done; 0 of 0 while it does not run. */
export interface TaskProgress {
  done: number;
  total: number;
}

/** The id of a task, and whether to cancel it. */
export interface TaskRequest {
  task: string;
  cancel: boolean;
}

/** A test image of CIFAR-10. */
export interface TestImage {
  kind?: 'test';
  index: number;
}

/** An uploaded image by the id that the server answered, the SHA-256 of its file. */
export interface Upload {
  kind?: 'upload';
  id: string;
  name?: string;
  crop?: number;
}

/** An uploaded image; `crop` is the position of the crop along its longer side, 0.5 (the center) by default. */
export interface UploadChoice {
  kind: 'upload';
  path: string;
  name: string;
  crop?: number;
}

/** What is shown of an explanation. */
export interface View {
  content?: 'attention' | 'method' | 'contributions' | 'features' | 'patching';
  layer?: number | 'mean' | 'pool';
  head?: number | 'mean';
  query?: number[];
  direction?: 'from' | 'to' | 'similar';
  method?: string | null;
  target?: number[];
  truth?: number | null;
  scale?: 'shared' | 'uniform' | 'map';
  smooth?: boolean;
  outlines?: number;
  pixels?: boolean;
  foreground?: boolean;
  other?: Sample | TestImage | RunImage | Upload | Given | null;
}

/** A file that weights were read from, without its folder; `sha256` is None if it has changed since. */
export interface WeightsOfFile {
  name: string;
  sha256: string | null;
}
