/* Checks of the form by Python while typing: its validity, the images of a folder, the expected time. */

import type {
  AcceptedForm,
  CheckReply,
  ConfigRequest,
  EstimateReply,
  LessonInfo,
  Refusal,
  SurveyReply,
} from '../lib/api';
import { isServed, NO_ANSWER, reasonOf } from '../lib/client';
import { counted, SPACE } from '../lib/words';
import { prefixWords } from './fields';
import { duration, inEpochs, millions, roundTo2, thousands, timeWords } from './sentences';
import type { TrainPage } from './state.svelte';

const CHECK_DELAY = 250; // ms without typing before validation
const ESTIMATE_DELAY = 700; // ms before the speed is measured

/** On each change: update what depends on it, and validate after a pause. */
export function changeForm(page: TrainPage): void {
  const { form } = page;
  form.suggestName();
  if (!form.initFrom) form.freezesBackbone = false;
  form.checked = undefined;
  clearTimeout(form.estimateTimer);
  clearTimeout(form.checkTimer);
  form.checkTimer = setTimeout(() => checkForm(page), CHECK_DELAY);
}

export function choosePreset(page: TrainPage, name: string): void {
  page.form.take(name);
  changeForm(page);
}

export function chooseLesson(page: TrainPage, lesson: LessonInfo): void {
  page.form.takeLesson(lesson);
  changeForm(page);
}

async function checkForm(page: TrainPage): Promise<void> {
  const { form } = page;
  const mine = ++form.checks;
  const query = form.query();
  const isNamed = query.image_folder !== ''; // without an image folder there is nothing to check
  const reply: CheckReply | Refusal | null = isNamed ? await page.host.request('check', query) : null;
  if (mine !== form.checks) return;
  if (isNamed && !isServed(reply)) form.refusal = { refused: reasonOf(reply), field: null };
  else form.refusal = reply && 'refused' in reply && reply.refused ? reply : null;
  form.showRefusal(form.refusal);
  if (form.refusal || !isNamed) form.fillPlan({ Time: '' });
  else drawPlan(page, reply as AcceptedForm);
  form.checked = form.refusal ? 'refused' : isNamed ? 'fits' : 'empty';
  if (form.refusal || !isNamed) return;
  if (query.image_folder && query.image_folder !== form.surveyed) showSurvey(page);
  else estimateSoon(page, query);
}

function drawPlan({ form }: TrainPage, reply: AcceptedForm): void {
  const [rows, columns] = reply.grid;
  form.trainings = reply.trainings;
  form.grid = reply.grid;
  form.network = reply.model;
  const patches = `${rows}${SPACE}×${SPACE}${columns} patches${prefixWords(reply.prefix)}`;
  form.fillPlan({
    Parameters: thousands(reply.parameters),
    Tokens: `${reply.tokens}: ${patches}`,
    Time: 'measuring…',
  });
}

// --- time estimates ---

const keyOf = ({ preset, settings, init_from, image_folder }: ConfigRequest) =>
  JSON.stringify([preset, settings, init_from, image_folder]);

function estimateSoon(page: TrainPage, query: ConfigRequest): void {
  const { form } = page;
  clearTimeout(form.estimateTimer);
  const delay = form.estimates[keyOf(query)] ? 0 : ESTIMATE_DELAY;
  form.estimateTimer = setTimeout(() => estimateNow(page, query), delay);
}

async function estimateNow(page: TrainPage, query: ConfigRequest): Promise<void> {
  const { form } = page;
  const mine = form.checks;
  const found = await estimateOf(page, query);
  if (mine !== form.checks || form.refusal) return;
  if (form.unfit) return form.fillPlan({ Time: '' });
  form.fillPlan({ Time: isServed(found) ? timeWords(found, form.unit === 'epochs', form.trainings) : found.error });
  form.estimated = keyOf(query);
}

/** The estimate of a request, cached unless it failed. */
async function estimateOf(page: TrainPage, query: ConfigRequest): Promise<EstimateReply | Refusal> {
  const { estimates } = page.form;
  const key = keyOf(query);
  const found = estimates[key] ?? (await page.host.request('estimate', query)) ?? { error: NO_ANSWER };
  if (isServed(found) && !page.running) estimates[key] = found;
  return found;
}

/** Estimate all presets, one after another, for the numbers next to them. */
export async function estimatePresets(page: TrainPage): Promise<void> {
  for (const { name, parameters, settings } of page.catalog.presets) {
    const found = await estimateOf(page, { preset: name, settings: {} });
    if (page.running) return;
    if (!isServed(found)) continue;
    const time = duration(found.seconds);
    const length = settings.epochs == null ? `${inEpochs(roundTo2(found.epochs))} in ${time}` : `about ${time}`;
    page.form.sizes[name] = `${millions(parameters)}, ${length}`;
  }
}

// --- image folders ---

/** Show which images of a folder are used and which are rejected. */
export async function showSurvey(page: TrainPage): Promise<void> {
  const { form } = page;
  const query = form.query();
  const mine = ++form.surveys;
  form.unfit = '';
  form.surveyed = query.image_folder ?? '';
  form.survey = query.image_folder ? { note: 'Reading the images…' } : null;
  if (!query.image_folder) return;
  const reply = await page.host.request('survey', query);
  if (mine !== form.surveys) return;
  if (!isServed(reply)) {
    form.surveyed = ''; // read again once the form is valid
    form.fillPlan({ Time: '' });
    return form.refuseImages(reasonOf(reply));
  }
  form.unfit = reply.problem;
  form.survey = reply;
  page.voice = reply.problem || surveyWords(reply);
  if (!form.refusal) checkForm(page); // the numbers of images and classes are known now
}

const rejected = ({ refused, more }: SurveyReply) => counted(refused.length + more, 'file was', 'files were');

const surveyWords = (reply: SurveyReply) =>
  `${counted(reply.counts.length, 'class', 'classes')} of images. ${rejected(reply)} rejected.`;
