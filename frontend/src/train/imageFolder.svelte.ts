/* The images of the chosen folder: which are used and which are rejected; uploading and deleting zips of images. */

import { isRefused, refusalOf } from '../lib/refused';
import type { Progress, SurveyReply, UploadedFolder } from '../lib/routes';
import { stream, upload } from '../lib/server';
import { counted } from '../lib/words';
import type { Runs } from './runs.svelte';

/** What stands below the choice of an image folder. */
export type Survey = { note: string } | { reading: Progress } | { refused: string } | SurveyReply | null;

export class Images {
  readonly runs: Runs;
  survey = $state.raw<Survey>(null);
  folder = ''; // that was, or is being, read
  problem = $state(''); // why nothing can be trained on them

  #cancelReading = () => {};

  constructor(runs: Runs) {
    this.runs = runs;
  }

  /** Read the images of the chosen folder. */
  read() {
    const { form, checks, status } = this.runs;
    const { name: _, vary: __, ...query } = form.query();
    this.#cancelReading();
    this.folder = query.image_folder ?? '';
    this.problem = '';
    this.survey = this.folder ? { reading: { done: 0, total: 0, waiting: '' } } : null;
    if (!this.folder) return;
    this.#cancelReading = status.request(
      (signal) => {
        const report = (reading: Progress) => {
          if (!signal.aborted) this.survey = { reading };
        };
        return stream('data/folders/survey', query, report, signal);
      },
      (reply) => {
        this.survey = reply;
        this.problem = reply.problem;
        status.speak(reply.problem || surveyWords(reply));
        if (!checks.refusal) checks.check(); // the numbers of images and classes are known now
      },
      (sentence) => {
        this.folder = ''; // read again once the form is valid
        checks.setTime('');
        this.refuse(sentence);
      },
    );
  }

  /** Stop reading; the folder is read again when it is chosen. */
  cancel(): void {
    this.#cancelReading();
    this.folder = '';
    this.refuse('Canceled: choose the folder again to count its images.');
  }

  /** Show why the images cannot be used. */
  refuse(sentence: string): void {
    this.survey = { refused: sentence };
    this.runs.status.speak(sentence);
  }

  async upload(file: File): Promise<void> {
    const { catalog, form, host } = this.runs;
    const limit = host.catalog.lists.maxBytes;
    this.survey = { note: `Uploading ${file.name}…` };
    if (file.size > limit) {
      const size = (file.size / 2 ** 20).toFixed(1);
      return this.refuse(
        `An uploaded zip may have at most ${limit / 2 ** 20} MiB: ${file.name} has ${size}. Unpack it into ${catalog.folder} instead, then reload this page.`,
      );
    }
    const reply = await upload<UploadedFolder>(file, 'data/folders').catch(refusalOf);
    if (isRefused(reply)) return this.refuse(reply.message);
    this.runs.apply(reply);
    form.set({ imageFolder: reply.uploaded });
  }

  /** Delete an uploaded zip; the form shows another image folder, or why it failed. */
  async delete(name: string): Promise<void> {
    if (!(await this.runs.change('data/folders/delete', name, (sentence) => this.refuse(sentence)))) return;
    this.runs.status.speak(`${name} deleted.`);
    this.read();
    this.runs.form.edited();
  }
}

const surveyWords = ({ counts, refused, more }: SurveyReply) =>
  `${counted(counts.length, 'class', 'classes')} of images. ${counted(refused.length + more, 'file was', 'files were')} rejected.`;
