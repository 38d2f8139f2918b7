/* The page as files of any web server: it starts with site.json, and computes in the browser. */

import { BrowserEngine } from '../engine/browserEngine';
import { OpenedFiles } from '../engine/inputs';
import type { GradioContext } from '../lib/host';
import { inflate } from '../lib/inflate';
import { isRefused, RefusedError } from '../lib/refused';
import type { Catalog } from '../lib/routes';
import type { Subject } from '../lib/view';
import type { Engine, Report } from '../session/engine';
import { isStored, useReplies } from './replies';
import './site.css';

/** What `vitviz.webapp.site` writes. */
interface Site {
  catalog: Catalog;
  replies: string[];
  models: Record<string, { file: string; about: string }>;
}

const FAILED = 'The weights could not be loaded, or are damaged. Check the connection, then try again.';

/** Open the page of a site.
    @param mount mounts the app */
export async function openSite(element: HTMLElement, mount: (context: GradioContext) => Promise<void>) {
  const response = await fetch(new URL('site.json', document.baseURI));
  const { catalog, replies, models }: Site = await response.json();
  useReplies(replies);
  const files = new OpenedFiles();
  const loading = new Map<string, Promise<Engine>>();
  let cache: RequestCache = 'force-cache'; // the name of a file changes with its content

  async function loadModel(name: string, python: Engine, report: Report): Promise<Engine> {
    const [{ openModel }, weights] = await Promise.all([
      import('../engine/openModel'),
      download(new URL(models[name].file, document.baseURI), cache, report),
    ]);
    return openModel(weights, files, python);
  }

  function load({ model: name }: Subject, python: Engine, report: Report) {
    const found = loading.get(name) ?? loadModel(name, python, report);
    loading.set(name, found);
    found.catch(() => {
      loading.delete(name); // so that it can be loaded again
      cache = 'reload'; // the copy may be damaged
    });
    return found;
  }

  const engineOf = (python: Engine) =>
    new BrowserEngine({ python, answers: isStored, files, load: (subject, report) => load(subject, python, report) });
  element.replaceChildren();
  document.body.classList.toggle('dark', matchMedia('(prefers-color-scheme: dark)').matches); // Gradio does so elsewhere
  await mount({ element, props: { catalog }, engineOf });
  const about = document.createElement('footer');
  about.className = 'about-weights';
  about.textContent = Object.entries(models)
    .map(([name, model]) => `${name}: ${model.about}`)
    .join(' ');
  element.append(about);
}

/** Load a compressed file. */
async function download(url: URL, cache: RequestCache, report: Report): Promise<ArrayBuffer> {
  try {
    const response = await fetch(url, { cache });
    if (!response.ok || !response.body) throw new RefusedError(FAILED);
    const total = Number(response.headers.get('Content-Length'));
    let done = 0;
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(part, controller) {
          done += part.length;
          report({ done, total, waiting: total ? `the model, ${Math.round((100 * done) / total)} %` : 'the model' });
          controller.enqueue(part);
        },
      }),
    );
    return await inflate(counted);
  } catch (error) {
    throw isRefused(error) ? error : new RefusedError(FAILED);
  }
}
