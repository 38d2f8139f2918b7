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

/** The network of a valid form with its hyperparameters, and the number of runs. */
export interface AcceptedForm {
  parameters: number;
  tokens: number;
  grid: [number, number];
  prefix: number;
  trainings: number;
  model: Record<string, SettingValue>;
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

export type CheckReply = AcceptedForm | RefusedForm;

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

/** A preset and the settings that differ from it; a model to fine-tune; for the dataset "folder" its folder. */
export interface ConfigRequest {
  preset: string;
  settings: Record<string, SettingValue>;
  init_from?: string;
  image_folder?: string;
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

/** Which datasets are available, the image folders, and the download. */
export interface DataInfo {
  available: Record<string, boolean>;
  image_folders: string[];
  download: DownloadInfo;
}

/** A test image of the dataset that the model of a run ("runs/NAME") was trained on. */
export interface DatasetChoice {
  kind: 'dataset';
  run: string;
  index: number;
}

/** The dataset to download. */
export interface DatasetRequest {
  dataset: string;
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

/** Estimate of a training on this machine. */
export interface EstimateReply {
  parameters: number;
  tokens: number | null;
  images_per_second: number;
  seconds: number;
  epochs: number;
  device: string;
}

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
  image: vitviz__webapp__schemas__explore__ExplainedImage;
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

/** The prediction for a subject, its sizes, and the attention of the default query. */
export interface Explained {
  model: string;
  classes: string[];
  probabilities: number[];
  layers: number;
  heads: number;
  rows: number;
  columns: number;
  aspect: number;
  prefix: number;
  class_token: boolean;
  distilled: boolean;
  cls: string;
  pool: string | null;
  on_demand: boolean;
  limits: Record<string, Limits>;
  credit: string;
  image: vitviz__webapp__schemas__explanations__ExplainedImage;
  maps: Record<string, number[]>;
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

/** A file to save, in base64. */
export interface FileReply {
  name: string;
  content: string;
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

/** Upper ends of the shared scales, attention weights: of heads, and of means over heads, layers or both. */
export interface Limits {
  heads: number;
  means: number;
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

/** One line of a run's metrics. */
export interface MetricsLine {
  progress: number;
  epoch: number;
  seconds: number;
  loss: number;
  learning_rate: number;
  images_per_second: number;
  accuracy: number | null;
  train_accuracy: number | null;
}

/** What is known of a model, as pairs of a term and its value. */
export interface ModelFacts {
  facts: [string, string][];
}

/** A model. */
export interface ModelIdentity {
  name: string;
  repository?: string | null;
  revision?: string | null;
  sha256: string | null;
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

/** The name of a run or a sweep. */
export interface NameRequest {
  name: string;
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

/** What has changed: lists of another version, metrics of the run, new snapshots; None without a timeline. */
export interface PollReply {
  version?: string;
  runs?: RunInfo[];
  sweeps?: SweepInfo[];
  data?: DataInfo;
  session?: string;
  metrics?: MetricsLine[];
  offset?: number;
  whole?: boolean;
  timeline?: TimelineReply | null;
}

/** What the page knows: the lists, the metrics of the run on screen, and its timeline. */
export interface PollRequest {
  version: string;
  run?: string;
  session?: string;
  offset?: number;
  timeline?: TimelineRequest;
}

/** A preset; `plain` if its architecture is "vit"; `corrected`, the preset without its mistake, if it has one. */
export interface PresetInfo {
  parameters: number;
  tokens: number;
  grid: [number, number];
  prefix: number;
  name: string;
  about: string;
  corrected: string | null;
  settings: Record<string, SettingValue>;
  plain: boolean;
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

/** Where a saved file comes from: what it shows, or side A of a comparison. */
export interface Provenance {
  model: ModelIdentity;
  image: ImageIdentity;
  preprocessing: InputPreprocessing | null;
  subject: Subject;
  view: View;
  vitviz: string;
  code: string | null;
  panels?: Panel[];
  b?: Shown | null;
}

/** Response to a request that was not served; `busy` if it can be repeated. */
export interface Refusal {
  error: string;
  busy?: boolean;
}

/** Why a form is invalid, and the invalid field. */
export interface RefusedForm {
  refused: string;
  field: string | null;
}

/** What removing some patches does: who ranked them, the patches, and the probabilities of the classes then. */
export interface Removal {
  name: string;
  patches: number[];
  probabilities: number[];
}

/** Also its new name. */
export interface RenameRequest {
  name: string;
  new: string;
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
  lesson: [KeyRequest, LessonReply | Refusal | null];
  lesson_head: [LessonHeadRequest, LessonHeadReply | Refusal | null];
  lesson_patch: [LessonPatchRequest, LessonPatchReply | Refusal | null];
  lesson_remove: [LessonRemoveRequest, number[] | Refusal | null];
  lesson_flip: [KeyRequest, LessonFlipReply | Refusal | null];
  lesson_training: [LessonTrainingRequest, LessonTrainingReply | Refusal | null];
  train_catalog: [Empty, TrainCatalog | Refusal];
  check: [FormRequest, CheckReply | Refusal];
  estimate: [ConfigRequest, EstimateReply | Refusal];
  start: [FormRequest, RunLists | Refusal];
  resume: [NameRequest, RunLists | Refusal];
  resume_sweep: [NameRequest, RunLists | Refusal];
  stop: [NameRequest, RunLists | Refusal];
  rename: [RenameRequest, RunLists | Refusal];
  delete: [NameRequest, RunLists | Refusal];
  download: [NameRequest, FileReply | Refusal];
  poll: [PollRequest, PollReply | Refusal];
  download_data: [DatasetRequest, RunLists | Refusal];
  cancel_download: [Empty, RunLists | Refusal];
  upload_images: [UploadRequest, UploadedReply | Refusal];
  delete_images: [NameRequest, RunLists | Refusal];
  survey: [ConfigRequest, SurveyReply | Refusal];
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

/** A run; `eta` (s) while it is training; the number of images of a final accuracy. */
export interface RunInfo {
  name: string;
  state: RunState;
  message: string;
  session: string;
  measured_on: string;
  preset: string;
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
  eta?: number;
  saved: boolean;
  explorable: boolean;
  snapshots: boolean;
}

/** Runs and sweeps, newest first, and datasets. */
export interface RunLists {
  version: string;
  runs: RunInfo[];
  sweeps: SweepInfo[];
  data: DataInfo;
}

export type RunState = 'training' | 'stopping' | 'stopped' | 'finished' | 'interrupted' | 'failed';

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
  scores: Scores | null;
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

/** Faithfulness of all methods. */
export interface Scores {
  scores: Record<string, number | null>;
  random_baseline: [number, number];
}

/** The score of each method, None for a flat map; mean and standard deviation over random rankings. */
export interface ScoresReply {
  scores: Record<string, number | null>;
  random_baseline: [number, number];
}

/** A group of hyperparameters: label and description of each. */
export interface SettingGroup {
  name: string;
  fields: Record<string, string>;
  about: Record<string, string>;
}

export type SettingValue = number | string | boolean | null;

/** What is shown, and where it comes from. */
export interface Shown {
  model: ModelIdentity;
  image: ImageIdentity;
  preprocessing: InputPreprocessing | null;
  subject: Subject;
  view: View;
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

/** What is explained: a model, an image, and ablations. */
export interface Subject {
  model: string;
  snapshot?: number | null;
  image: Sample | TestImage | RunImage | Upload | Given;
  ablations?: Ablation[];
}

/** Training and test images of each class; rejected files with the reason, and the number of others. */
export interface SurveyReply {
  counts: [string, number, number][];
  refused: [string, string][];
  more: number;
  divided: boolean;
  problem: string;
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
  results: SweepResult[];
}

/** Result of a completed run of a sweep. */
export interface SweepResult {
  run: string;
  settings: Record<string, string>;
  state: 'finished' | 'failed';
  message: string;
  parameters: number | null;
  epochs: number | null;
  seconds: number | null;
  train_samples: number | null;
  accuracy: number | null;
  eval_samples?: number | null;
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

/** Snapshots; `rows` is attention (S, L, A, T) as base64 of uint16. From 0 also what all have in common. Loss and accuracy are those of all probe images; None if their classes are not known. */
export interface TimelineReply {
  from: number;
  count: number;
  epoch: number[];
  seconds: number[];
  probabilities: number[][];
  rows: string;
  entropy: number[][][] | null;
  distance: number[][][] | null;
  probe_loss: number[] | null;
  probe_accuracy: number[] | null;
  image?: number;
  shape?: GridShape;
  classes?: string[];
  images?: NamedImage[];
}

/** A timeline, the index of its probe image, and the first snapshot. */
export interface TimelineRequest {
  from: number;
  source: string;
  image: number;
}

/** Initial data of Train. */
export interface TrainCatalog {
  lessons: LessonInfo[];
  presets: PresetInfo[];
  settings: SettingGroup[];
  choices: Record<string, string[]>;
  sources: BundledTimeline[];
  public: boolean;
  machine: string;
  image: string;
  folder: string;
  models: string[];
  max_upload: number;
  colors: ColorTables;
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

/** An uploaded file, and its name on the visitor's computer. */
export interface UploadRequest {
  path: string;
  name: string;
}

/** Also the name of the uploaded image folder. */
export interface UploadedReply {
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
  other?: Sample | TestImage | RunImage | Upload | Given | null;
}

/** A file that weights were read from, without its folder; `sha256` is None if it has changed since. */
export interface WeightsOfFile {
  name: string;
  sha256: string | null;
}

/** The image of a subject, without its ablations. */
export interface vitviz__webapp__schemas__explanations__ExplainedImage {
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

/** The model input, the thumbnail of an upload, and what the image shows: a class index and a word, if known. `crop` is the side of the center crop divided by that of the largest one, None if the whole image is resized. */
export interface vitviz__webapp__schemas__explore__ExplainedImage {
  src: string;
  original: string | null;
  caption: string;
  truth: number | null;
  shows: string | null;
  crop: number | null;
  note: string;
}
