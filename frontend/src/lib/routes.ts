/* Routes of the server. Written by `python -m scripts.types` from vitviz/webapp/routes/. */

/** Ablated heads and removed patches. */
export interface Ablation {
  heads?: [number, number][];
  patches?: number[];
  mode?: 'zero' | 'mean';
  patch_mode?: 'drop' | 'gray';
}

/** Attention weights as uint16 / 65535: (L, A, T, T), or (L, A, T) of a query; 0 for ablated heads. */
export interface Attention {
  weights: string;
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

/** A class with the probabilities of both sides, and the change in percentage points as printed. */
export interface ComparedClass {
  name: string;
  a: number;
  b: number;
  points: number;
}

/** A side of a comparison: its map on the common scale (N), None for removed patches. */
export interface ComparedMap {
  name: string;
  title: string;
  values: (number | null)[];
  rows: number;
  columns: number;
  aspect: number;
}

/** Two maps on one scale and two predictions, and what they differ in. */
export interface Comparison {
  a: ComparedMap;
  b: ComparedMap;
  scale: MapScale;
  difference: (number | null)[] | null;
  difference_scale: MapScale;
  difference_unit: string;
  most_changed: number | null;
  correlation: number | null;
  classes: ComparedClass[];
  total_variation: number | null;
  headline: string;
  correlation_sentence: string;
  prediction_sentence: string;
  notes: string[];
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

/** Direct contributions to a logit, which sum to `logit`; `heads` is float32 (L, A, T). */
export interface Contributions {
  embedding: number;
  heads: string;
  attention_bias: number[];
  mlp: number[];
  bias: number;
  logit: number;
}

/** State of the download of a dataset; `progress` is a fraction. */
export interface Download {
  dataset: string;
  running: boolean;
  progress: number;
  message: string;
}

/** Start or cancel the download of CIFAR-10, or ask how far it is. */
export interface DownloadRequest {
  action?: 'start' | 'cancel' | 'state';
}

/** A request that needs nothing else. */
export type Empty = Record<string, never>;

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

/** Also the format of the file, and whether arrays or a table are those of all methods instead of the view's. */
export interface FileRequest {
  subject: Subject;
  view?: View;
  format: 'npz' | 'csv' | 'html';
  methods?: boolean;
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

/** The scale of a map: from 0 to `limit`, from -`limit` to `limit`, or uniform attention times 1/8 to 8. */
export interface MapScale {
  kind: 'linear' | 'signed' | 'uniform';
  limit: number;
  is_weight: boolean;
  unit: string;
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

/** A model of the list. */
export interface ModelRequest {
  model: string;
}

/** All models that can be explained, the one that the page opens with first, and whether CIFAR-10 is available. */
export interface Models {
  models: ModelInfo[];
  cifar: CifarInfo;
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

/** A line of a stream before its last one. */
export interface Progress {
  done: number;
  total: number;
  waiting: string;
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

/** Why a request is not served. */
export interface Refusal {
  field?: string;
  problem?: string;
  hint?: string;
  error: string;
  busy?: boolean;
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

/** An image that ships with vitviz. */
export interface Sample {
  kind?: 'sample';
  name: string;
}

/** A file to save, as a data URL. */
export interface SavedFile {
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

/** Also a patch. */
export interface SimilarityRequest {
  subject: Subject;
  patch: number;
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
  'explanations/comparison': [ComparisonRequest, Comparison];
  'explanations/comparison-provenance': [ComparisonRequest, Provenance | null];
  'explanations/comparison-file': [ComparisonFileRequest, SavedFile];
  'explanations/file': [FileRequest, SavedFile];
  'models': [Empty, Models];
  'models/cached': [Empty, CachedModels];
  'models/open': [OpenRequest, Opening];
  'models/facts': [ModelRequest, Facts];
  'models/snapshots': [ModelRequest, Snapshots];
  'data/gallery': [GalleryRequest, Gallery];
  'data/cifar': [DownloadRequest, Download];
}

/** Routes that report their progress. */
export type Stream = 'explanations/map' | 'explanations/nearest' | 'explanations/patching' | 'data/gallery';
