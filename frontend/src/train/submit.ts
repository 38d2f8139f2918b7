/* Starting a training, and uploading its images. */

import { tick } from 'svelte';
import { sourceOf } from '../lib/address';
import { isServed, reasonOf } from '../lib/client';
import { changeForm, showSurvey } from './checks';
import { applyLists, follow, followNewest, poll } from './requests';
import type { TrainPage } from './state.svelte';

export async function startTraining(page: TrainPage): Promise<void> {
  const { form } = page;
  if (form.cannotStart) return;
  form.isStarting = true;
  const query = form.query();
  const reply = await page.host.request('start', query);
  form.isStarting = false;
  if (!isServed(reply)) {
    form.refusal = null;
    form.showRefusal({ refused: reasonOf(reply), field: null });
    poll(page); // runs may have changed in another window
    return;
  }
  form.nameIsEdited = false;
  applyLists(page, reply);
  form.name = form.freeName();
  if (query.vary) followNewest(page);
  else follow(page, sourceOf(query.name));
  await tick(); // the training comes first on narrow screens
  showHeadline(page);
}

/** Bring the headline of the training into view, and the focus there. */
function showHeadline({ root }: TrainPage): void {
  const headline = root?.querySelector<HTMLElement>('.headline');
  headline?.focus({ preventScroll: true });
  headline?.scrollIntoView({ block: 'nearest' });
}

export async function uploadZip(page: TrainPage, file: File): Promise<void> {
  const { catalog, form, host } = page;
  const instead = `into ${catalog.folder} instead, then reload this page.`;
  form.survey = { note: `Uploading ${file.name}…` };
  if (file.size > catalog.max_upload) {
    const limit = catalog.max_upload / 2 ** 20;
    const size = (file.size / 2 ** 20).toFixed(1);
    return form.refuseImages(
      `An uploaded zip may have at most ${limit} MiB: ${file.name} has ${size}. Unpack it ${instead}`,
    );
  }
  let path: string;
  try {
    if (!host.upload) throw new Error('no upload');
    ({ path } = await host.upload(file));
  } catch {
    return form.refuseImages(`${file.name} could not be uploaded. Copy it ${instead}`);
  }
  const reply = await host.request('upload_images', { path, name: file.name });
  if (!isServed(reply)) return form.refuseImages(reasonOf(reply));
  applyLists(page, reply);
  form.imageFolder = reply.uploaded;
  changeForm(page);
  showSurvey(page);
}
