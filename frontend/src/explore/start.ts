/* The first image, and what concerns the whole page: and the return from another tab. */

import { type ExploreLink, isOfRun } from '../lib/address';
import { NO_MODEL } from '../lib/host';
import { firstImage, heldUpload, imageTitle } from '../lib/images';
import { isSame } from '../lib/view';
import { parseAddress } from '../session/viewAddress';
import { showFeaturesFirst } from './actions';
import type { Explorer } from './explorer.svelte';
import type { History } from './history.svelte';

const params = () => new URLSearchParams(location.search);

/** Show the image of the address. */
export async function start(explorer: Explorer, history: History) {
  listen(explorer, history);
  const { catalog, images, session } = explorer;
  const model = params().get('model');
  const isMissing = model !== null && !catalog.model(model); // it may be newer than the page's first lists
  const isListedLater = isOfRun(model) || /^(test|runs.*):/.test(params().get('image') ?? '');
  if (isMissing || isListedLater) await catalog.refresh();
  if (!catalog.lists.models.length) return session.status.say(NO_MODEL, true);
  const { subject, ...linked } = parseAddress(params(), catalog.lists, heldUpload(window.history.state));
  const explaining = session.explain(subject, linked);
  if (subject.image.kind !== 'given') images.show(subject.image.kind);
  if (!(await explaining)) await showSample(explorer);
  else if (linked.view.layer === undefined) showFeaturesFirst(session);
  watchPage(explorer);
}

/** Show a sample if the first image was an upload or of a dataset, and is not available any more. */
async function showSample({ catalog, session }: Explorer) {
  const image = firstImage(catalog.lists);
  if (session.explanation || session.isPending || !image || session.subject?.image.kind === 'sample') return;
  const { notice } = session.status;
  const missing = [`${notice} Showing ${imageTitle(image)}.`];
  await session.explain({ image }, { view: {}, missing });
}

/** When the page is shown again, show the model that was chosen on another tab, taken from the address. */
function watchPage(explorer: Explorer) {
  if (!explorer.root) return;
  const observer = new IntersectionObserver(([entry]) => {
    explorer.hide(!entry.isIntersecting && !explorer.isVisible);
    if (entry.isIntersecting) refresh(explorer);
  });
  observer.observe(explorer.root);
}

let refused = ''; // the model that could not be shown

async function refresh(explorer: Explorer) {
  const { catalog, session } = explorer;
  await catalog.refresh();
  const model = params().get('model');
  const isNew = model !== session.subject?.model && model !== session.explanation?.subject.model;
  if (!model || !isNew || model === refused || !catalog.model(model)) return;
  if (!(await session.explain({ model })) && session.failed) refused = model;
}

/** Show what was chosen on another tab. */
function openLink({ session }: Explorer, { subject, view }: ExploreLink) {
  const shown = session.explanation?.subject;
  if (isSame({ ...shown, ...subject }, shown)) return session.show({ content: 'attention', ...view });
  session.explain(subject, { view, missing: [] });
}

function listen(explorer: Explorer, history: History) {
  const { route } = explorer.host;
  route?.onLink((link) => openLink(explorer, link));
  route?.onHistory(() => history.follow());
  import('./files').then(({ acceptFiles }) => acceptFiles(explorer));
}
