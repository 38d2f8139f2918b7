/* The link to what the Learn page shows: model, image, step and choices. */

import { unavailable, updateAddress } from '../lib/address';
import { NO_MODEL } from '../lib/host';
import { firstImage, heldUpload, imageName, imageTitle, parseImage } from '../lib/images';
import { isSame, type Subject } from '../lib/view';
import { paramsOf, readChoices } from './choices';
import type { LearnPage, Pass } from './learnPage.svelte';
import { STEPS, stepOf } from './steps';

const addressed = () => new URLSearchParams(location.search);

export const linkedChoices = (step: string, { explanation, lesson }: Pass) =>
  readChoices(addressed(), step, explanation.shape, lesson.model.embed_dim);

export function writeLink(page: LearnPage, how: 'pushState' | 'replaceState' = 'replaceState') {
  if (!page.host.route || !page.root?.clientWidth || !page.subject) return; // another tab is shown
  const { model, image } = page.subject;
  const choices = page.pass ? paramsOf(page.current.id, page) : {};
  const upload = image.kind === 'upload' ? image : null;
  const values = { model, image: imageName(image), step: page.current.id, ...choices };
  updateAddress(values, { step: STEPS[0].id }, how, { upload });
}

/** Show the step, the model and the image of the address, now and whenever the page comes on screen. */
export async function start(page: LearnPage, root: HTMLElement): Promise<void> {
  page.root = root;
  if (!page.catalog.lists.models.length) return page.fail(NO_MODEL);
  await follow(page);
  if (!page.host.route) return;
  let isFirst = true;
  new IntersectionObserver(([entry]) => {
    if (entry.isIntersecting && !isFirst) follow(page);
    isFirst = false;
  }).observe(root);
  page.host.route.onHistory(() => follow(page));
}

async function follow(page: LearnPage) {
  const params = addressed();
  const linked = params.get('model');
  if (linked !== null && !page.catalog.model(linked)) await page.catalog.refresh(); // opened or trained since the page was loaded
  const subject = subjectOf(page, params);
  page.openLink(subject, stepOf(params.get('step')), subject && !page.subject ? missing(params, subject) : []);
}

/** The subject of the address, as far as it is here; the one on screen if it is the same. */
function subjectOf(page: LearnPage, params: URLSearchParams): Subject | null {
  const [linked, name] = [params.get('model'), params.get('image')];
  const { lists } = page.catalog;
  const model = page.catalog.model(linked)?.name ?? page.subject?.model ?? lists.models[0].name;
  const upload = heldUpload(history.state);
  const held = upload && imageName(upload) === name ? upload : parseImage(name, lists);
  const image = held ?? page.subject?.image ?? firstImage(lists, page.catalog.model(model));
  if (!image) return null;
  const subject = { model, snapshot: null, image, ablations: [] };
  return isSame(subject, page.subject) ? page.subject : subject;
}

/** Sentences on what of a link is not available. */
function missing(params: URLSearchParams, { model, image }: Subject): string[] {
  const [linked, name, step] = ['model', 'image', 'step'].map((one) => params.get(one));
  const sentences = [];
  if (linked && linked !== model) sentences.push(unavailable('model', linked, model));
  if (name && name !== imageName(image)) sentences.push(unavailable('image', name, imageTitle(image)));
  if (step && !STEPS.some(({ id }) => id === step)) sentences.push(unavailable('step', step, STEPS[0].title));
  return sentences;
}
