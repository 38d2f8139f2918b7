/* Data between the page and Python. Written by `python -m scripts.types` from vitviz/webapp/. */

/** Ablated heads and removed patches. */
export interface Ablation {
  heads?: [number, number][];
  patches?: number[];
  mode?: 'zero' | 'mean';
  patch_mode?: 'drop' | 'gray';
}

/** The network of a valid form with its hyperparameters, and the number of runs. */
export interface AcceptedForm {
  parameters: number;
  tokens: number;
  grid: [number, number];
  prefix: number;
  trainings: number;
  model: Record<string, SettingValue>;
}

/** Attention weights as uint16 / 65535: (L, A, T, T), or (L, A, T) of a query; 0 for ablated heads. */
export interface Attention {
  weights: string;
}

/** A bundled checkpoint with a timeline, and its training record. */
export interface BundledTimeline {
  name: string;
  distilled: boolean;
  epochs: number | null;
  seconds: number | null;
  test_accuracy: number | null;
  eval_samples: number | null;
  parameters: number | null;
}

/** A model in the cache. */
export interface CachedModel {
  name: string;
  family: string;
  bytes: number;
  classes: number | null;
}

/** Initial data of the page; uploads have at most `maxBytes`. A `static` page has no server. */
export interface Catalog {
  models: ModelInfo[];
  cifar: CifarInfo;
  samples: NamedImage[];
  photos: Photo[];
  methods: MethodInfo[];
  maxBytes: number;
  colors: ColorTables;
  public: boolean;
  static: boolean;
}

/** CIFAR-10: whether it is available, and otherwise how to get it. */
export interface CifarInfo {
  available: boolean;
  classes: string[];
  message: string;
}

/** Python code. */
export interface Code {
  code: string;
}

/** Also the view whose arrays the code computes. */
export interface CodeRequest {
  subject: Subject;
  view?: View;
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
export interface ComparisonFileRequest {
  a: SideRequest;
  b: SideRequest;
  format: 'npz' | 'csv';
}

/** Two sides. */
export interface ComparisonRequest {
  a: SideRequest;
  b: SideRequest;
}

/** A preset and the settings that differ from it. */
export interface ConfigRequest {
  preset: string;
  settings: Record<string, SettingValue>;
  init_from?: string;
  image_folder?: string;
}

/** Several images and their maps on one scale, or the features of their patches as colors in one basis. */
export interface ContactSheet {
  images: SheetImage[];
  rows: number;
  columns: number;
  aspect: number;
  scale: MapScale | null;
  title: string;
  note: string;
}

/** Also the images that are explained as the subject's is, which may be one of them. */
export interface ContactSheetRequest {
  subject: Subject;
  view?: View;
  images: (Sample | TestImage | RunImage | Upload | Given)[];
}

/** Direct contributions to a logit, which sum to `logit`; `heads` is float32 (L, A, T). */
export interface Contributions {
  embedding: number;
  heads: string;
  attention_bias: number[];
  mlp: number[];
  bias: number;
  logit: number;
}

/** Cross-validation. */
export interface CrossValidation {
  probabilities: string;
  groups: number[];
  untestable: number[];
  correct: number;
  total: number;
  interval: [number, number];
  is_optimistic: boolean;
}

/** Which datasets are available, the image folders, and the download. */
export interface DataInfo {
  available: Record<string, boolean>;
  image_folders: string[];
  download: Download;
}

/** State of the download of a dataset; `progress` is a fraction. */
export interface Download {
  dataset: string;
  running: boolean;
  progress: number;
  message: string;
}

/** Start or cancel the download of a dataset, or ask how far it is. */
export interface DownloadRequest {
  dataset?: 'cifar10' | 'cifar100';
  action?: 'start' | 'cancel' | 'state';
}

/** A request that needs nothing else. */
export type Empty = Record<string, never>;

/** Estimate of a training on this machine. */
export interface EstimateReply {
  parameters: number;
  tokens: number | null;
  images_per_second: number;
  seconds: number;
  epochs: number;
  device: string;
}

/** A sweep that repeats a result of a paper: metric to compare, what the paper found, and what differs. */
export interface ExperimentInfo {
  name: string;
  question: string;
  preset: string;
  epochs: number;
  vary: string[];
  metric: 'min_distance';
  paper: string;
  differs: string;
}

/** The prediction for a subject, the shape and the attention of the default query. */
export interface Explained {
  model: string;
  classes: string[];
  probabilities: number[];
  shape: Shape;
  methods: string[];
  cls: string;
  pool: string | null;
  on_demand: boolean;
  limits: Record<string, Limits>;
  credit: string;
  image: ExplainedImage;
  maps: Record<string, number[]>;
  notes: Record<string, string>;
}

/** The image of a subject, without its ablations. */
export interface ExplainedImage {
  pixels: string;
  width: number;
  height: number;
  original: string | null;
  name: string;
  caption: string;
  note: string;
  crop: number | null;
  truth: number | null;
  shows: string | null;
}

/** An explanation in a saved file or a notebook, where the explorer has no server. */
export interface ExplorerData {
  subject: Subject;
  view: View;
  provenance: Provenance;
  data: SavedData;
}

/** What is known of a model. */
export interface Facts {
  facts: [string, string][];
  sizes: [string, string][];
}

/** Patch tokens along their principal components by layer, float32 (L, N, 3), and explained variance ratios. Removed patches are NaN. A layer has no ratios if fewer than three patches are left. */
export interface Features {
  scores: string;
  explained: (number[] | null)[];
}

/** Also whether the background is left out. */
export interface FeaturesRequest {
  subject: Subject;
  foreground?: boolean;
}

/** Also the format of the file, and whether arrays or a table are those of all methods instead of the view's. */
export interface FileRequest {
  subject: Subject;
  view?: View;
  format: 'npz' | 'csv' | 'html';
  methods?: boolean;
}

/** Classes for the features of a model. */
export interface FitRequest {
  model: string;
  classes: TaughtClass[];
}

/** Name of the model with the taught classes, and number of the features that its head reads. */
export interface Fitted {
  model: string;
  features: number;
}

/** The fewest patches known to change the predicted class, and how many of each random order do. */
export interface Flips {
  best: number[] | null;
  random: (number | null)[];
}

/** Also the name of the run or sweep, and the grid of a sweep, each NAME=VALUE,VALUE,... */
export interface FormRequest {
  preset: string;
  settings: Record<string, SettingValue>;
  init_from?: string;
  image_folder?: string;
  name: string;
  vary?: string[];
}

/** Attention (L, A, T, T) as base64 of zlib: uint16 / 65535, or uint8 / 255 of `largest`, float32 (L, A, T). */
export interface FullAttention {
  weights: string;
  largest: string | null;
}

/** One page of test images, the number of pages and images of the selection, and the classes of the dataset. */
export interface Gallery {
  images: GalleryImage[];
  page: number;
  pages: number;
  count: number;
  classes: string[];
}

/** A test image, and its prediction if the images are selected by it. */
export interface GalleryImage {
  index: number;
  label: number;
  src: string;
  prediction: string | null;
  probability: number | null;
}

/** One page of the test images of a dataset. */
export interface GalleryRequest {
  dataset?: string;
  label?: number | null;
  page?: number;
  index?: number | null;
  shown?: 'all' | 'correct' | 'misclassified' | 'confidently wrong';
  model?: string | null;
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

/** Also a head, and the query of its vectors. */
export interface HeadRequest {
  subject: Subject;
  layer: number;
  head: number;
  token?: number;
}

/** A row of attention (`lesson.AttentionRow`), and what the block does to its query (`lesson.BlockSteps`). `size` is d, the width of the head. */
export interface HeadVectors {
  query: string;
  keys: string;
  values: string;
  scores: string;
  weights: string;
  output: string;
  head_weights: string;
  head_outputs: string;
  input: string;
  attention: string;
  mlp: string;
  size: number;
}

/** Models of the Hugging Face Hub. */
export interface HubModels {
  models: CachedModel[];
  suggested: Suggestion[];
  cache: string;
  free_memory: number | null;
}

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

/** Direct contributions to the logit of the predicted class, by layer, which sum to `logit`. */
export interface LayerContributions {
  embedding: number;
  attention: number[];
  mlp: number[];
  bias: number;
  logit: number;
}

/** The tuned lens of a model; None if it was not fit. */
export interface Lens {
  lens: TunedLens | null;
}

/** Also whether the tuned lens is fit on training images of CIFAR-10 where the model has none. */
export interface LensRequest {
  subject: Subject;
  target?: number[];
  fit?: boolean;
}

/** Numbers of a lesson; the forward pass itself is in the explanation. */
export interface Lesson {
  model: LessonModel;
  logits: number[];
  lens: number[][];
  norms: number[];
  patch_predictions: number[][] | null;
  contributions: LayerContributions | null;
  reshaped: number[] | null;
  removals: Removal[];
  random: Removal[];
  rows: number[];
  tokens: string;
}

/** A training of a lesson's length: preset, and what it reached in which time; None where it was not measured. */
export interface LessonInfo {
  minutes: number;
  preset: string;
  measured_minutes: number | null;
  epochs: number | null;
  test_accuracy: number | null;
  entropy: [number, number] | null;
  hardware: string;
}

/** Sizes and parts of a model; of a captured one widths are 0 and parts False, as they are not known. */
export interface LessonModel {
  img_size: [number, number];
  patch_size: number;
  patch: [number, number];
  embed_dim: number;
  head_dim: number;
  scaled_width: number;
  mlp_dim: number;
  positions: boolean;
  position_start: 'sine-cosine' | 'unstructured' | 'unknown';
  rotary: boolean;
  rel_pos_bias: boolean;
  patch_bias: boolean;
  qkv_bias: boolean;
  qk_norm: boolean;
  has_sigmoid: boolean;
}

/** Upper ends of the shared scales, attention weights: of heads, and of means over heads, layers or both. */
export interface Limits {
  heads: number;
  means: number;
}

/** Also a method. */
export interface MapRequest {
  subject: Subject;
  target?: number[];
  method: string;
}

/** The scale of a map: from `low` to `limit`, from -`limit` to `limit`, or uniform attention times 1/8 to 8. */
export interface MapScale {
  kind: 'linear' | 'signed' | 'uniform';
  low: number;
  limit: number;
  clips: boolean;
  is_weight: boolean;
  unit: string;
}

/** Maps for a class. */
export interface Maps {
  maps: Record<string, number[]>;
  notes: Record<string, string>;
  skipped: string | null;
}

/** Also which maps: those that the page shows first, those that take few forward passes, or all. */
export interface MapsRequest {
  subject: Subject;
  target?: number[];
  part?: 'first' | 'quick' | 'all';
}

/** The forward pass in which the class token uses its mean query; see `vitviz.attribution.lesson.mean_query`. */
export interface MeanQuery {
  rows: string;
  probabilities: number[];
  image_specific: number[];
  kept: number | null;
  images: number;
}

/** An attribution method; those on request take many forward passes, some have also a map per pixel. The page shows the first ones before the others. */
export interface MethodInfo {
  key: string;
  name: string;
  about: string;
  aboutWithoutClassToken: string;
  formula: string;
  formulaWithoutClassToken: string;
  source: string;
  unit: 'weights' | 'logits' | 'relative' | 'cosine';
  forClass: boolean;
  onRequest: boolean;
  hasPixels: boolean;
  isFirst: boolean;
}

/** Lines of a run's metrics up to `offset`: all of the `session` if `whole`, otherwise those that are new. */
export interface Metrics {
  session: string;
  lines: MetricsLine[];
  offset: number;
  whole: boolean;
}

/** One line of a run's metrics; None for what was not reported, and for a loss that is NaN or infinite. From `entropy` on, signals at snapshots and sentences of alarms, see `vitviz.training.alarms`. */
export interface MetricsLine {
  progress: number;
  epoch: number;
  seconds: number;
  loss: number | null;
  learning_rate: number | null;
  images_per_second: number | null;
  accuracy: number | null;
  train_accuracy: number | null;
  entropy: number | null;
  distance: number | null;
  min_distance: number | null;
  sink_share: number | null;
  token_norm: number | null;
  alarms: string[];
}

/** A model for the browser, as `vitviz.models.rounding.to_file` in base64. */
export interface ModelFile {
  file: string;
}

/** A model. */
export interface ModelIdentity {
  name: string;
  repository?: string | null;
  revision?: string | null;
  sha256: string | null;
  files: WeightsOfFile[];
  rounding?: 'float32' | 'float16' | 'int8' | null;
}

/** A model that can be explained; `accuracy` is that on the `eval_samples` `measured_on` images, if recorded. `dataset` is the name of the dataset it was trained on, if its test images can be listed and are not CIFAR-10; `family`, `parameters` and `classes`, 0 without head, are those of its network. `pretrained` is the repository or library that the weights are from, empty if vitviz trained them. `linear_probe` says what a taught head was fitted to, empty for other models. Of a `captured` model only attention and outputs are known. `compares_texts` says whether texts can become its classes. */
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
  compares_texts: boolean;
  pretrained: string;
  linear_probe: string;
  captured: boolean;
}

/** A model of the list. */
export interface ModelRequest {
  model: string;
}

/** All models that can be explained, the one that the page opens with first, and whether CIFAR-10 is available. */
export interface Models {
  models: ModelInfo[];
  cifar: CifarInfo;
}

/** The name of a run, a sweep, or an image folder. */
export interface NameRequest {
  name: string;
}

/** An image as a data URL. */
export interface NamedImage {
  name: string;
  src: string;
}

/** The most similar of `count` images. */
export interface Nearest {
  images: NearestImage[];
  count: number;
}

/** An image, its class or the name of a sample, its index, and its cosine similarity. */
export interface NearestImage {
  src: string;
  label: string;
  index: number;
  similarity: number;
}

/** Also the images among which to search: the training images of CIFAR-10, or those that ship with vitviz. */
export interface NearestRequest {
  subject: Subject;
  among?: 'cifar10' | 'samples';
}

/** The training images with the most similar features, most similar first, and the cosine similarities. */
export interface Neighbors {
  images: number[];
  similarities: number[];
}

/** Also an image; the model is one of `Fitted`. */
export interface NeighborsRequest {
  model: string;
  image: Sample | TestImage | RunImage | Upload | Given;
}

/** An array behind a figure: its shape, and its values in float16, little-endian, compressed by zlib, in base64. */
export interface Numbers {
  shape: number[];
  values: string;
}

/** Start to open a model by its name or path, cancel it, or ask how far it is. */
export interface OpenRequest {
  action?: 'state' | 'start' | 'cancel';
  name?: string;
}

/** State of opening a model. */
export interface OpenState {
  requested: string;
  phase: 'idle' | 'downloading' | 'loading' | 'ready' | 'failed' | 'canceled';
  done: number;
  total: number;
  message: string;
  name: string;
}

/** A model that was made on the page, and can be chosen like any other. */
export interface OpenedModel {
  info: ModelInfo;
}

/** A map or an image in a figure. */
export interface Panel {
  name: string;
  rectangle: [number, number, number, number];
  colormap: string | null;
  limits: [number, number] | null;
  sha256: string | null;
}

/** A dimension of the embedding of a patch. */
export interface PatchEmbedding {
  pixels: string;
  weights: string;
  product: number;
  rest: number | null;
  value: number;
  products: string;
  tokens: string;
  positions: number[];
}

/** Also a patch, and a dimension of its embedding. */
export interface PatchRequest {
  subject: Subject;
  patch: number;
  dimension?: number;
}

/** What activation patching recovers of the logit difference. */
export interface Patched {
  heads: number[][];
  mlp: number[];
  tokens: number[];
  logit: number;
  corrupted_logit: number;
  target: number[];
}

/** Also the second image, in whose forward pass activations are replaced, by those of what. `part` "heads" is all heads and MLPs; "tokens" all tokens after `layer`. An empty target is the prediction of the first image against that of the second. */
export interface PatchingRequest {
  subject: Subject;
  target?: number[];
  other: Sample | TestImage | RunImage | Upload | Given;
  part?: 'heads' | 'tokens';
  layer?: number;
}

/** A photograph that ships with vitviz. */
export interface Photo {
  name: string;
  src: string;
  title: string;
}

/** The map of a method per pixel of the model input, float32 (rows, columns). */
export interface PixelMap {
  values: string;
  rows: number;
  columns: number;
}

/** What has changed: lists of another version; metrics, None without the run; snapshots, None without a timeline. */
export interface PollReply {
  lists: RunLists | null;
  metrics: Metrics | null;
  timeline: TimelineReply | null;
}

/** What the page knows. */
export interface PollRequest {
  version?: string;
  run?: string | null;
  session?: string;
  offset?: number;
  timeline?: TimelineRequest | null;
}

/** A preset; `corrected`, the preset without its mistake, if it has one; `unused`, fields without effect on it. */
export interface PresetInfo {
  parameters: number;
  tokens: number;
  grid: [number, number];
  prefix: number;
  name: string;
  about: string;
  corrected: string | null;
  settings: Record<string, SettingValue>;
  unused: string[];
}

/** Probabilities of the classes, (K,). */
export interface Probabilities {
  probabilities: number[];
}

/** Also the figure whose numbers are saved, and the format of the file. */
export interface ProbeFileRequest {
  model: string;
  images?: 'samples' | 'test';
  probe: string;
  format?: 'csv' | 'npz';
}

/** Images that a model was probed with: their number, and the SHA-256 of the uint8 model inputs (B, 3, H, W). */
export interface ProbeImages {
  count: number;
  sha256: string;
}

/** Probes of a model; shapes as of `vitviz.attribution.probes.Probes`. */
export interface Probes {
  model: string;
  images: string;
  size: [number, number];
  grid: [number, number];
  prefix: number;
  class_token: boolean;
  captured: boolean;
  classes: number;
  position_start: 'sine-cosine' | 'unstructured' | 'unknown';
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
  head_shares: number[][][];
  image_specific: number[][];
  follows_patches: number[];
  follows_class_token: number[];
  head_images: number;
  pairs: number;
  provenance: ProbesProvenance;
}

/** Where a file of `vitviz.attribution.probes.Probes` comes from. */
export interface ProbesProvenance {
  vitviz: string;
  code: string | null;
  panels?: Panel[];
  model: ModelIdentity;
  preprocessing: InputPreprocessing;
  probed: ProbeImages;
  numbers?: Record<string, Numbers>;
}

/** Also the images to probe it with. */
export interface ProbesRequest {
  model: string;
  images?: 'samples' | 'test';
}

/** A line of a stream before its last one. */
export interface Progress {
  done: number;
  total: number;
  waiting: string;
}

/** Where a saved file comes from: what it shows, side A of a comparison, or the first image of a contact sheet. */
export interface Provenance {
  vitviz: string;
  code: string | null;
  panels?: Panel[];
  model: ModelIdentity;
  image: ImageIdentity;
  preprocessing: InputPreprocessing | null;
  subject: Subject;
  view: View;
  b?: Shown | null;
  others?: ImageIdentity[];
  numbers?: Record<string, Numbers>;
}

/** The image with its masked patches predicted, as a data URL. */
export interface Reconstruction {
  src: string;
}

/** A model with a timeline, the index of its probe image, and patches of it to mask. */
export interface ReconstructionRequest {
  model: string;
  image: number;
  masked: number[];
}

/** Why a request is not served. */
export interface Refusal {
  field?: string;
  problem?: string;
  hint?: string;
  error: string;
  busy?: boolean;
}

/** What removing patches does: the method that ranked them, the patches, and the probabilities then. */
export interface Removal {
  method: string;
  patches: number[];
  probabilities: number[];
}

/** Also patches to remove. */
export interface RemovalRequest {
  subject: Subject;
  patches: number[];
}

/** Also its new name. */
export interface RenameRequest {
  name: string;
  new: string;
}

/** Also the query patches, empty for the class token, and the direction. */
export interface RowsRequest {
  subject: Subject;
  query?: number[];
  direction?: 'from' | 'to';
}

/** A test image of the dataset that a run ("runs/NAME") was trained on. */
export interface RunImage {
  kind?: 'run';
  run: string;
  index: number;
}

/** A run. */
export interface RunInfo {
  name: string;
  state: RunState;
  message: string;
  session: string;
  measured_on: string;
  preset: string;
  is_classifier: boolean;
  augmented: boolean;
  parameters: number;
  progress: number;
  epoch: number;
  epochs: number | null;
  minutes: number | null;
  seconds: number;
  images_per_second: number | null;
  accuracy: number | null;
  eval_samples: number | null;
  eta: number | null;
  saved: boolean;
  explorable: boolean;
  snapshots: boolean;
}

/** Runs and sweeps, newest first, and datasets; another `version` means that something has changed. */
export interface RunLists {
  version: string;
  runs: RunInfo[];
  sweeps: SweepInfo[];
  data: DataInfo;
}

/** Result of a completed run of a sweep, a line of `results.jsonl`. */
export interface RunResult {
  run: string;
  settings: Record<string, string>;
  state: 'finished' | 'failed';
  message: string;
  parameters: number | null;
  epochs: number | null;
  seconds: number | null;
  train_samples: number | null;
  accuracy: number | null;
  eval_samples: number | null;
}

export type RunState = 'training' | 'stopping' | 'stopped' | 'finished' | 'interrupted' | 'failed' | 'damaged';

/** An image that ships with vitviz. */
export interface Sample {
  kind?: 'sample';
  name: string;
}

/** What a saved file or a notebook holds of an explanation. Of large models, `attention` is None, and `rows` holds those of the view's query and of the class token, as the route of this name returns them, by direction and patches ("from 3,5"). */
export interface SavedData {
  explained: Explained;
  attention: FullAttention | null;
  rows: Record<string, string>;
  scores: Scores | null;
  methods: MethodInfo[];
  model: ModelInfo;
  caption: string;
  colors: ColorTables;
}

/** A file to save, as a data URL. */
export interface SavedFile {
  src: string;
}

/** Where a set of images is stored. */
export interface SavedSet {
  path: string;
}

/** The attention scores of a query, (N,), and the parts that sum to them, (n, N); see `head_factors.score_parts`. */
export interface ScoreParts {
  names: string[];
  parts: number[][];
  scores: number[];
  images: number;
}

/** Also a head, and the query patches, empty for the class token. */
export interface ScorePartsRequest {
  subject: Subject;
  layer: number;
  head: number;
  query?: number[];
}

/** The map of a method, (N,), and its score; None for a flat map, or if the method is not on request. */
export interface ScoredMap {
  map: number[];
  score: number | null;
}

/** Faithfulness of all methods. */
export interface Scores {
  scores: Record<string, number | null>;
  random_baseline: [number, number];
}

/** Also the name under which the images are saved. */
export interface SetRequest {
  model: string;
  classes: TaughtClass[];
  name: string;
}

/** A group of hyperparameters: label and description of each. */
export interface SettingGroup {
  name: string;
  fields: Record<string, string>;
  about: Record<string, string>;
}

export type SettingValue = number | string | boolean | null;

/** Shape of the attention: L layers of A heads, and the grid of patches. `aspect` is the width of the image divided by its height, `prefix` the number of tokens before the patches, `class_token` whether the first of them is a class token, and `distilled` whether the second of them is a distillation token. `layer_heads` are the heads of each layer, fewer in some of a pyramid; of a `captured` model only attention and outputs are known. */
export interface Shape {
  layers: number;
  heads: number;
  rows: number;
  columns: number;
  aspect: number;
  prefix: number;
  class_token: boolean;
  distilled: boolean;
  layer_heads: number[];
  captured: boolean;
}

/** An image of a contact sheet. */
export interface SheetImage {
  name: string;
  src: string;
  prediction: string;
  values: (number | null)[] | null;
  colors: string | null;
}

/** What is shown, and where it comes from. */
export interface Shown {
  model: ModelIdentity;
  image: ImageIdentity;
  preprocessing: InputPreprocessing | null;
  subject: Subject;
  view: View;
}

/** A side of a comparison: also what is shown of it, the attention, a method, or the similarity to a patch of A. */
export interface SideRequest {
  subject: Subject;
  view?: View;
}

/** Cosine similarities of a patch with all patches by layer, float32 (L, N). */
export interface Similarity {
  values: string;
}

/** Also a patch, and another image by the same model, whose patches are compared with it; None for the same. */
export interface SimilarityRequest {
  subject: Subject;
  patch: number;
  other?: Subject | null;
}

/** The snapshots of a training by their epochs, and the names of its probe images. */
export interface Snapshots {
  snapshots: string[];
  images: string[];
}

/** What is explained: a model, an image, and ablations. */
export interface Subject {
  model: string;
  snapshot?: number | null;
  image: Sample | TestImage | RunImage | Upload | Given;
  ablations?: Ablation[];
}

/** What is explained. */
export interface SubjectRequest {
  subject: Subject;
}

/** A pretrained model to begin with; `bytes` and `memory` of its weights and of the server, see there. */
export interface Suggestion {
  name: string;
  title: string;
  use: string;
  parameters: number;
  img_size: number;
  license: string;
  bytes: number;
  memory: number;
  is_cached: boolean;
}

/** The images of a folder. */
export interface SurveyReply {
  counts: [string, number, number][];
  refused: [string, string][];
  more: number;
  divided: boolean;
  problem: string;
  sample: string;
}

/** The output for the patches of A and, after a layer, the class token of B; index 0 is before the first layer. */
export interface Swap {
  labels: [string, string] | null;
  patches: number[];
  class_token: number[];
}

/** The subject whose patches stay, and the one whose class token is inserted. */
export interface SwapRequest {
  subject: Subject;
  other: Subject;
}

/** A sweep: name and settings of each run, and results of the completed ones. */
export interface SweepInfo {
  name: string;
  state: RunState;
  message: string;
  session: string;
  measured_on: string;
  vary: string[];
  runs: [string, Record<string, string>][];
  results: RunResult[];
}

/** Also the explained class and its contrast class, if any; empty for the predicted class. */
export interface TargetRequest {
  subject: Subject;
  target?: number[];
}

/** A class and its training images. */
export interface TaughtClass {
  name: string;
  images: TaughtImage[];
}

/** A training image, and its source: what shares one is held out together, such as the frames of a recording. */
export interface TaughtImage {
  image: Sample | TestImage | RunImage | Upload | Given;
  source: string;
}

/** Also a name for it; the model is one of `Fitted`. */
export interface TaughtRequest {
  model: string;
  name: string;
}

/** A test image of CIFAR-10. */
export interface TestImage {
  kind?: 'test';
  index: number;
}

/** Snapshots from `first` on; if that is 0 also what all have in common. */
export interface TimelineReply {
  count: number;
  first: number;
  epoch: number[];
  seconds: number[];
  probabilities: number[][];
  rows: string;
  entropy: number[][][] | null;
  distance: number[][][] | null;
  probe_loss: number[] | null;
  probe_accuracy: number[] | null;
  reconstructions: string[] | null;
  image: number | null;
  masked: number[] | null;
  shape: Shape | null;
  classes: string[] | null;
  images: NamedImage[] | null;
}

/** A timeline, of a bundled checkpoint or "runs/NAME", the index of its probe image, and the first snapshot. */
export interface TimelineRequest {
  model: string;
  image: number;
  first: number;
}

/** What the form offers, the bundled timelines, the hardware, and the folder of the datasets. */
export interface TrainCatalog {
  lessons: LessonInfo[];
  experiments: ExperimentInfo[];
  presets: PresetInfo[];
  settings: SettingGroup[];
  choices: Record<string, string[]>;
  timelines: BundledTimeline[];
  machine: string;
  folder: string;
  models: string[];
}

/** What the tuned lens of a model reads from each patch, from the input of the first block on. */
export interface TunedLens {
  values: string;
  accuracy: number[];
  localization: number[] | null;
  plain_localization: number[] | null;
  images: number;
  held_out: number;
  dataset: string;
}

/** An uploaded image by the id that the server answered, the SHA-256 of its file. */
export interface Upload {
  kind?: 'upload';
  id: string;
  name?: string;
  crop?: number;
}

/** The id of an uploaded image, the SHA-256 of its file; it is known for an hour at most. */
export interface Uploaded {
  id: string;
}

/** Also the name of the uploaded image folder. */
export interface UploadedFolder {
  version: string;
  runs: RunInfo[];
  sweeps: SweepInfo[];
  data: DataInfo;
  uploaded: string;
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
  lens?: boolean;
  other?: Sample | TestImage | RunImage | Upload | Given | null;
}

/** A file that weights were read from, without its folder; `sha256` is None if it has changed since. */
export interface WeightsOfFile {
  name: string;
  sha256: string | null;
}

/** Also the texts that become its classes. */
export interface WordsRequest {
  model: string;
  classes: string[];
}

/** Request and reply of each route. */
export interface Routes {
  'explanations': [SubjectRequest, Explained];
  'explanations/attention': [SubjectRequest, Attention];
  'explanations/rows': [RowsRequest, Attention];
  'explanations/score-parts': [ScorePartsRequest, ScoreParts];
  'explanations/maps': [MapsRequest, Maps];
  'explanations/scores': [TargetRequest, Scores];
  'explanations/map': [MapRequest, ScoredMap];
  'explanations/pixels': [MapRequest, PixelMap];
  'explanations/contributions': [TargetRequest, Contributions];
  'explanations/features': [FeaturesRequest, Features];
  'explanations/similarity': [SimilarityRequest, Similarity];
  'explanations/lens': [LensRequest, Lens];
  'explanations/nearest': [NearestRequest, Nearest];
  'explanations/patching': [PatchingRequest, Patched];
  'explanations/code': [CodeRequest, Code];
  'explanations/provenance': [CodeRequest, Provenance];
  'explanations/comparison-provenance': [ComparisonRequest, Provenance | null];
  'explanations/class-token-swap': [SwapRequest, Swap];
  'explanations/comparison-file': [ComparisonFileRequest, SavedFile];
  'explanations/contact-sheet': [ContactSheetRequest, ContactSheet];
  'explanations/contact-sheet-provenance': [ContactSheetRequest, Provenance];
  'explanations/file': [FileRequest, SavedFile];
  'explanations/lesson': [SubjectRequest, Lesson];
  'explanations/lesson/head': [HeadRequest, HeadVectors];
  'explanations/lesson/patch': [PatchRequest, PatchEmbedding];
  'explanations/lesson/mean-query': [SubjectRequest, MeanQuery];
  'explanations/lesson/removal': [RemovalRequest, Probabilities];
  'explanations/lesson/flips': [SubjectRequest, Flips];
  'models': [Empty, Models];
  'models/hub': [Empty, HubModels];
  'models/open': [OpenRequest, OpenState];
  'models/words': [WordsRequest, OpenedModel];
  'models/weights': [ModelRequest, ModelFile];
  'models/facts': [ModelRequest, Facts];
  'models/probes': [ProbesRequest, Probes];
  'models/probe-file': [ProbeFileRequest, SavedFile];
  'models/snapshots': [ModelRequest, Snapshots];
  'data/gallery': [GalleryRequest, Gallery];
  'data/download': [DownloadRequest, Download];
  'data/folders/survey': [ConfigRequest, SurveyReply];
  'data/folders/delete': [NameRequest, RunLists];
  'runs/catalog': [Empty, TrainCatalog];
  'runs/poll': [PollRequest, PollReply];
  'runs/reconstruct': [ReconstructionRequest, Reconstruction];
  'runs/check': [FormRequest, AcceptedForm];
  'runs/estimate': [ConfigRequest, EstimateReply];
  'runs/start': [FormRequest, RunLists];
  'runs/resume': [NameRequest, RunLists];
  'runs/stop': [NameRequest, RunLists];
  'runs/rename': [RenameRequest, RunLists];
  'runs/delete': [NameRequest, RunLists];
  'runs/download': [NameRequest, SavedFile];
  'teaching/fit': [FitRequest, Fitted];
  'teaching/validation': [ModelRequest, CrossValidation];
  'teaching/neighbors': [NeighborsRequest, Neighbors];
  'teaching/open': [TaughtRequest, OpenedModel];
  'teaching/file': [ModelRequest, SavedFile];
  'teaching/set': [SetRequest, SavedSet];
}

/** Routes that report their progress. */
export type Stream = 'explanations' | 'explanations/maps' | 'explanations/scores' | 'explanations/map' | 'explanations/lens' | 'explanations/nearest' | 'explanations/patching' | 'explanations/contact-sheet' | 'models/words' | 'models/probes' | 'data/gallery' | 'data/folders/survey' | 'teaching/fit' | 'teaching/validation';

/** The defaults of a view. */
export const VIEW_DEFAULTS: Required<View> = {
  content: 'attention',
  layer: 'mean',
  head: 'mean',
  query: [],
  direction: 'from',
  method: null,
  target: [],
  truth: null,
  scale: 'shared',
  smooth: false,
  outlines: 0.6,
  pixels: false,
  foreground: false,
  lens: false,
  other: null,
};
