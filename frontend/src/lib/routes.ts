/* Routes of the server. Written by `python -m scripts.types` from vitviz/webapp/routes/. */

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

/** The models in the cache of the Hugging Face Hub, and where it is. */
export interface CachedModels {
  models: FoundModel[];
  cache: string;
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

/** A preset and the settings that differ from it. */
export interface ConfigRequest {
  preset: string;
  settings: Record<string, SettingValue>;
  init_from?: string;
  image_folder?: string;
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
  image: ExplainedImage;
  maps: Record<string, number[]>;
}

/** The image of a subject, without its ablations. */
export interface ExplainedImage {
  src: string;
  original: string | null;
  outlines: string;
  name: string;
  caption: string;
  note: string;
  crop: number | null;
  truth: number | null;
  shows: string | null;
}

/** What is known of a model, as pairs of a term and its value. */
export interface Facts {
  facts: [string, string][];
}

/** Principal components of patch tokens by layer: colors, RGBA (L, N, 4), and explained variance ratios. Removed patches are transparent. A layer has no ratios if fewer than three patches are left. */
export interface Features {
  pixels: string;
  explained: (number[] | null)[];
}

/** Also whether the background is left out. */
export interface FeaturesRequest {
  subject: Subject;
  foreground?: boolean;
}

/** Also the format of the file. */
export interface FileRequest {
  subject: Subject;
  view?: View;
  format: 'npz' | 'csv' | 'html';
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

/** Shape of the attention. `aspect` is the width of the image divided by its height, `prefix` the number of tokens before the patches, and `distilled` whether the second of them is a distillation token. */
export interface GridShape {
  layers: number;
  heads: number;
  rows: number;
  columns: number;
  aspect: number;
  prefix: number;
  classToken: boolean;
  distilled: boolean;
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

/** The map of each method, (N,); `left_out` says why maps and all scores are missing, if they are. */
export interface Maps {
  maps: Record<string, number[]>;
  left_out: string | null;
}

/** Also whether to leave out the maps that take many forward passes. */
export interface MapsRequest {
  subject: Subject;
  target?: number[];
  quick?: boolean;
}

/** Lines of a run's metrics up to `offset`: all of the `session` if `whole`, otherwise those that are new. */
export interface Metrics {
  session: string;
  lines: MetricsLine[];
  offset: number;
  whole: boolean;
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

/** The most similar of `count` training images. */
export interface Nearest {
  images: NearestImage[];
  count: number;
}

/** A training image and its cosine similarity. */
export interface NearestImage {
  src: string;
  label: string;
  index: number;
  similarity: number;
}

/** Start to open a model by its name or path, cancel it, or ask how far it is. */
export interface OpenRequest {
  action?: 'state' | 'start' | 'cancel';
  source?: string;
}

/** State of opening a model. */
export interface Opening {
  source: string;
  phase: 'idle' | 'downloading' | 'loading' | 'ready' | 'failed' | 'canceled';
  done: number;
  total: number;
  message: string;
  name: string;
}

/** A map or an image in a figure. */
export interface Panel {
  name: string;
  rectangle: [number, number, number, number];
  colormap: string | null;
  limits: [number, number] | null;
  sha256: string | null;
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

/** A line of a stream before its last one. */
export interface Progress {
  done: number;
  total: number;
  waiting: string;
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

/** Why a request is not served. */
export interface Refusal {
  field?: string;
  problem?: string;
  hint?: string;
  error: string;
  busy?: boolean;
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

export type RunState = 'training' | 'stopping' | 'stopped' | 'finished' | 'interrupted' | 'failed';

/** An image that ships with vitviz. */
export interface Sample {
  kind?: 'sample';
  name: string;
}

/** A file to save: its name, and its content as a data URL. */
export interface SavedFile {
  name: string;
  src: string;
}

/** The map of a method on request, (N,), and its score; None for a flat map. */
export interface ScoredMap {
  map: number[];
  score: number | null;
}

/** Faithfulness of all methods. */
export interface Scores {
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

/** Cosine similarities of a patch with all patches by layer, float32 (L, N). */
export interface Similarity {
  values: string;
}

/** Also a patch. */
export interface SimilarityRequest {
  subject: Subject;
  patch: number;
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

/** The images of a folder. */
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
  seconds: number | null;
  accuracy: number | null;
  eval_samples: number | null;
}

/** Also the explained class and its contrast class, if any; empty for the predicted class. */
export interface TargetRequest {
  subject: Subject;
  target?: number[];
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
  image: number | null;
  shape: GridShape | null;
  classes: string[] | null;
  images: NamedImage[] | null;
}

/** A timeline, of a bundled checkpoint or "runs/NAME", the index of its probe image, and the first snapshot. */
export interface TimelineRequest {
  source: string;
  image: number;
  first: number;
}

/** What the form offers, the bundled timelines, the hardware, and the folder of the datasets. */
export interface TrainCatalog {
  lessons: LessonInfo[];
  presets: PresetInfo[];
  settings: SettingGroup[];
  choices: Record<string, string[]>;
  sources: BundledTimeline[];
  machine: string;
  folder: string;
  models: string[];
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
  other?: Sample | TestImage | RunImage | Upload | Given | null;
}

/** A file that weights were read from, without its folder; `sha256` is None if it has changed since. */
export interface WeightsOfFile {
  name: string;
  sha256: string | null;
}

/** Request and reply of each route. */
export interface Routes {
  'explanations': [SubjectRequest, Explained];
  'explanations/attention': [SubjectRequest, Attention];
  'explanations/rows': [RowsRequest, Attention];
  'explanations/maps': [MapsRequest, Maps];
  'explanations/scores': [TargetRequest, Scores];
  'explanations/map': [MapRequest, ScoredMap];
  'explanations/pixels': [MapRequest, PixelMap];
  'explanations/contributions': [TargetRequest, Contributions];
  'explanations/features': [FeaturesRequest, Features];
  'explanations/similarity': [SimilarityRequest, Similarity];
  'explanations/nearest': [SubjectRequest, Nearest];
  'explanations/patching': [PatchingRequest, Patched];
  'explanations/code': [CodeRequest, Code];
  'explanations/provenance': [CodeRequest, Provenance];
  'explanations/file': [FileRequest, SavedFile];
  'models': [Empty, Models];
  'models/cached': [Empty, CachedModels];
  'models/open': [OpenRequest, Opening];
  'models/facts': [ModelRequest, Facts];
  'data/gallery': [GalleryRequest, Gallery];
  'data/download': [DownloadRequest, Download];
  'data/folders/survey': [ConfigRequest, SurveyReply];
  'data/folders/delete': [NameRequest, RunLists];
  'runs/catalog': [Empty, TrainCatalog];
  'runs/poll': [PollRequest, PollReply];
  'runs/check': [FormRequest, AcceptedForm];
  'runs/estimate': [ConfigRequest, EstimateReply];
  'runs/start': [FormRequest, RunLists];
  'runs/resume': [NameRequest, RunLists];
  'runs/stop': [NameRequest, RunLists];
  'runs/rename': [RenameRequest, RunLists];
  'runs/delete': [NameRequest, RunLists];
  'runs/download': [NameRequest, SavedFile];
}

/** Routes that report their progress. */
export type Stream = 'explanations/map' | 'explanations/nearest' | 'explanations/patching' | 'data/gallery';
