/* What can be kept of what is taught: a model of the page, its file, and the images. */

import { updateAddress } from '../lib/address';
import { blobOf, saveBlob } from '../lib/dom';
import { imageName } from '../lib/images';
import { post } from '../lib/server';
import { fitRequest } from './classes.svelte';
import type { Teaching } from './teaching.svelte';

/** Make a model of the page of what is taught, and open it in Explore with the image in front. */
export function openInExplore({ host, fit, front, name, status }: Teaching) {
  if (!fit) return;
  status.request(
    (signal) => post('teaching/open', { model: fit.model, name }, signal),
    ({ info }) => {
      host.catalog.add(info);
      const { image } = front ?? fit.classes[0].examples[0];
      updateAddress({
        model: info.name,
        image: imageName(image),
        layer: null,
        head: null,
        content: null,
        method: null,
      });
      host.route?.openLink({ subject: { model: info.name, image }, view: {} });
    },
  );
}

export function saveModel({ fit, name, status }: Teaching) {
  if (!fit) return;
  status.say('Preparing the file…');
  status.request(
    (signal) => post('teaching/file', { model: fit.model }, signal),
    ({ src }) => {
      const file = `${name.replace(/[^\w-]+/g, '-').toLowerCase()}.safetensors`;
      saveBlob(file, blobOf(src));
      status.say(`Saved as ${file}. vitviz.load opens it, and so does “Models” on this page.`);
    },
  );
}

export function saveImages(page: Teaching) {
  const { classes } = page.set;
  const request = fitRequest(classes, page.model);
  if (!request) return;
  page.status.request(
    (signal) => post('teaching/set', { ...request, name: page.name }, signal),
    ({ path }) => {
      page.keepSaved(classes);
      page.status.say(`Saved as ${path}. Drop this file here to go on another day.`);
    },
  );
}
