/* The explorer of a saved file that holds its model, too: own images, ablated heads and removed patches. */

import compare from '../compare/compare.css?inline';
import { BrowserEngine } from '../engine/browserEngine';
import { OpenedFiles } from '../engine/inputs';
import { openModel } from '../engine/openModel';
import { acceptFiles } from '../explore/files';
import contributions from '../explore/views/contributions.css?inline';
import features from '../explore/views/features.css?inline';
import learn from '../learn/learn.css?inline';
import motion from '../learn/motion/motion.css?inline';
import { afterPaint } from '../lib/dom';
import gallery from '../lib/gallery.css?inline';
import { canvasOf } from '../lib/paint';
import { isRefused, RefusedError } from '../lib/refused';
import stage from '../lib/stage.css?inline';
import swap from '../lib/swap.css?inline';
import { type Image, isSame } from '../lib/view';
import type { Engine, Route } from '../session/engine';
import { decompress, SavedEngine, type SavedFile } from '../session/savedEngine';
import { catalogOf } from './data';
import { open, openPage } from './explorer';
import Pages from './Pages.svelte';
import pages from './pages.css?inline';

/** Those of a page are under its panel, as two pages may use one class name. */
const STYLES = [
  gallery,
  contributions,
  features,
  pages,
  swap,
  `#saved-Compare { ${stage} ${compare} }`,
  `#saved-Learn { ${learn} ${motion} }`,
];

/** What the file stores of its subject and target. */
const STORED: readonly Route[] = [
  'explanations',
  'explanations/maps',
  'explanations/scores',
  'explanations/provenance',
];

openPage((element, saved) => {
  const { data } = saved;
  const shown = data.explained.image;
  const image: Image =
    saved.subject.image.kind === 'sample' ? saved.subject.image : { kind: 'sample', name: shown.name || 'Saved image' }; // the first choice of the page
  const file: SavedFile = { ...saved, subject: { ...saved.subject, image } };
  const thumbnail = { name: image.name, src: canvasOf(shown).toDataURL() };
  const files = new OpenedFiles();
  const python = new SavedEngine(file);
  let loading: Promise<Engine> | null = null;
  const load = () => {
    loading ??= loadModel(files, python);
    return loading;
  };
  const engine = new BrowserEngine({
    python,
    files,
    load,
    answers: (route, request) =>
      STORED.includes(route) &&
      'subject' in request &&
      isSame(request.subject, file.subject) &&
      (!('target' in request) || isSame(request.target, file.view.target)),
  });
  const { explorer } = open(element, file, engine, catalogOf(data, [thumbnail]), STYLES, Pages);
  acceptFiles(explorer);
  afterPaint(() => load().catch(() => {})); // a request says why not
});

/** Bytes whose even ones come first, in their order. */
function interleaved(planes: Uint8Array): ArrayBuffer {
  const bytes = new Uint8Array(planes.length);
  const half = Math.ceil(planes.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = planes[i % 2 ? half + (i >> 1) : i >> 1];
  return bytes.buffer;
}

async function loadModel(files: OpenedFiles, python: Engine): Promise<Engine> {
  const text = document.getElementById('vitviz-model')?.textContent ?? '';
  const planes = await decompress(text).catch((error) => {
    throw isRefused(error) ? error : new RefusedError('The model in this file is damaged: save the file again.');
  });
  return openModel(interleaved(new Uint8Array(planes)), files, python);
}
