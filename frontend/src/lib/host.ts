/* Where a page runs, and what pages have in common. */

import type { Engine } from '../session/engine';
import type { Route } from './address';
import type { CatalogState } from './catalog.svelte';
import type { Catalog } from './routes';
import type { ThemeColors } from './theme.svelte';

export const ANNOUNCE_DELAY = 600; // ms the pointer rests before a screen reader speaks
export const RETRY_DELAY = 3000; // ms before a request that a busy server refused is repeated

/** A figure is too large for the browser, or a script of it could not be loaded. */
export const NOT_DRAWN =
  'The figure could not be drawn. Check that vitviz is still running, reload the page, and try again.';

export const NO_MODEL = 'No model found: put a checkpoint into the checkpoints folder and restart vitviz.';

export interface Host {
  /** Where the page is shown. */
  element: HTMLElement;
  catalog: CatalogState;
  theme: ThemeColors;
  engine: Engine;
  route?: Route;
}

/** What Gradio passes to `mount`. */
export interface GradioContext {
  element: HTMLElement;
  props: { catalog: Catalog };
  engineOf?: (server: Engine) => Engine; // of a page without a server, whose replies are stored
}

export const pause = (time: number) => new Promise<void>((resolve) => setTimeout(resolve, time));
