/* Actions on runs, sweeps and datasets. */

import { sourceOf, updateAddress } from '../lib/address';
import type { Requests } from '../lib/api';
import { isServed, type Reply, type RequestName, reasonOf } from '../lib/client';
import { saveContent } from '../lib/dom';
import { changeForm, showSurvey } from './checks';
import { applyLists, fetchCurves, follow, followNewest, poll, wake } from './requests';
import type { TrainPage } from './state.svelte';

/** Send a request once, however often it is clicked. Returns null if it failed or is pending.
    @param fail shows why it failed, by default in the status line */
async function act<N extends RequestName>(
  page: TrainPage,
  name: N,
  argument: Requests[N][0],
  fail: (sentence: string) => void = (sentence) => page.showNotice(sentence, true),
): Promise<Reply<N> | null> {
  const mine = name + JSON.stringify(argument);
  if (page.acting.has(mine)) return null;
  page.acting.add(mine);
  const reply = await page.host.request(name, argument);
  page.acting.delete(mine);
  if (!isServed(reply)) {
    fail(reasonOf(reply));
    poll(page); // runs may have changed in another window
    return null;
  }
  page.showNotice(null);
  return reply;
}

type Change = 'stop' | 'delete' | 'resume_sweep' | 'download_data' | 'cancel_download';

/** Send a request that changes the lists. Returns whether it succeeded. */
export async function requestChange<N extends Change>(
  page: TrainPage,
  name: N,
  argument: Requests[N][0],
): Promise<boolean> {
  const reply = await act(page, name, argument);
  if (!reply) return false;
  applyLists(page, reply);
  wake(page);
  return true;
}

export async function resumeRun(page: TrainPage, name: string, fail?: (sentence: string) => void): Promise<void> {
  const reply = await act(page, 'resume', { name }, fail);
  if (!reply) return;
  applyLists(page, reply);
  follow(page, sourceOf(name));
}

export async function resumeSweep(page: TrainPage, name: string): Promise<void> {
  if (await requestChange(page, 'resume_sweep', { name })) followNewest(page);
}

export async function renameRun(
  page: TrainPage,
  name: string,
  newName: string,
  fail: (sentence: string) => void,
): Promise<void> {
  const reply = await act(page, 'rename', { name, new: newName }, fail);
  if (!reply) return;
  if (page.followed === name) {
    page.followed = newName;
    updateAddress({ run: newName });
  }
  const { [name]: known, ...others } = page.curves;
  page.curves = known ? { ...others, [newName]: known } : others;
  if (page.source === sourceOf(name)) page.source = sourceOf(newName);
  applyLists(page, reply);
}

/** Returns whether it succeeded. */
export async function deleteRun(page: TrainPage, name: string, fail: (sentence: string) => void): Promise<boolean> {
  const reply = await act(page, 'delete', { name }, fail);
  if (!reply) return false;
  const { [name]: _, ...others } = page.curves;
  page.curves = others;
  applyLists(page, reply);
  return true;
}

export async function downloadRun(
  page: TrainPage,
  name: string,
  tell: (sentence: string, isError?: boolean) => void,
): Promise<void> {
  tell('Preparing the checkpoint…', false);
  const reply = await act(page, 'download', { name }, tell);
  if (!reply) return;
  saveContent(reply);
  tell(`Saved as ${reply.name}.`, false);
}

/** Delete an uploaded zip; the form shows another image folder, or why it failed. */
export async function deleteZip(page: TrainPage, name: string): Promise<void> {
  const reply = await act(page, 'delete_images', { name }, (sentence) => page.form.refuseImages(sentence));
  if (!reply) return;
  applyLists(page, reply);
  page.voice = `${name} deleted.`;
  showSurvey(page);
  changeForm(page);
}

/** Overlay the curves of a run on those of the followed one, or remove them. */
export async function overlay(page: TrainPage, name: string, isOn: boolean): Promise<void> {
  page.overlaid = isOn ? [...page.overlaid, name] : page.overlaid.filter((other) => other !== name);
  if (isOn) await fetchCurves(page, name);
}
