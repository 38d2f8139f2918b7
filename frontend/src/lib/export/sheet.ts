/* A sheet off screen: components of the page laid out for a figure, whatever the window and its theme are. It has styles
   in its own shadow root, so that those of the window's width do not apply. */

import { type Component, flushSync, mount, tick, unmount } from 'svelte';
import base from '../base.css?inline';
import light from '../light.css?inline';
import matrix from '../matrix.css?inline';
import print from '../print.css?inline';
import type { Drawing } from './drawing';
import figure from './figure.css?inline';
import { onPaper, WIDTH } from './media';
import { walk } from './walk';

const SHEET = 'vitviz-sheet'; // all styles are nested under it, as Gradio does on the page

export interface Sheet {
  /** Draw the components as they are now. */
  draw: (title: string, description: string) => Promise<Drawing>;
  close: () => void;
}

/** Lay out a component; its element is the page of the figure. */
export function layOut<P extends Record<string, unknown>>(
  component: Component<P>,
  props: P,
  styles: readonly string[],
): Sheet {
  const host = document.createElement('div');
  host.style.cssText = 'position: fixed; top: 0; left: 0; width: 0; height: 0; overflow: clip;';
  host.inert = true;
  const root = host.attachShadow({ mode: 'open' });
  const style = document.createElement('style');
  style.textContent = onPaper(`.${SHEET} { ${[light, base, matrix, ...styles, print, figure].join('\n')} }`);
  const sheet = document.createElement('div');
  sheet.className = SHEET;
  sheet.style.width = `${WIDTH}px`;
  root.append(style, sheet);
  document.body.append(host);
  const mounted = mount(component, { target: sheet, props });
  flushSync();
  return {
    async draw(title, description) {
      await settle(sheet);
      return walk(sheet.firstElementChild as HTMLElement, title, description);
    },
    close() {
      unmount(mounted);
      host.remove();
    },
  };
}

/** The drawing of a component. */
export async function drawingOf<P extends Record<string, unknown>>(
  component: Component<P>,
  props: P,
  styles: readonly string[],
  title: string,
  description: string,
): Promise<Drawing> {
  const sheet = layOut(component, props, styles);
  try {
    return await sheet.draw(title, description);
  } finally {
    sheet.close();
  }
}

/** Wait for sizes that components measure, and for images. */
async function settle(sheet: HTMLElement) {
  flushSync();
  await tick();
  await new Promise(requestAnimationFrame); // resize observers report before the next frame
  await new Promise(requestAnimationFrame);
  flushSync();
  await Promise.all([...sheet.querySelectorAll('img')].map((image) => image.decode().catch(() => {})));
}
