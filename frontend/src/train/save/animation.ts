/* An animation of the timeline on screen, snapshot by snapshot, loaded on request. */

import { type AnimationFormat, animationOf, type Frame } from '../../lib/export/animation';
import { fileName } from '../../lib/export/files';
import { layOut } from '../../lib/export/sheet';
import { lightColors, overriding } from '../../lib/export/shown';
import type { Past } from '../snapshots';
import type { TrainPage } from '../state.svelte';
import { Timeline } from '../timeline.svelte';
import css from '../train.css?inline';
import Figure from './Figure.svelte';

const SECONDS = 0.1; // per snapshot
const LAST_SECONDS = 2.5;

export async function animate(page: TrainPage, past: Past, name: string, format: AnimationFormat) {
  const image = past.images[page.timeline.image].name;
  return { name: fileName([name, image], format), blob: await animationOf(framesOf(page, past, name), format) };
}

async function* framesOf(page: TrainPage, past: Past, name: string): AsyncGenerator<Frame> {
  const { image, chosen } = page.timeline;
  const timeline = Object.assign(new Timeline(page), {
    image,
    chosen,
    past,
    shape: past.shape,
    images: past.images,
    snapshot: 0,
  });
  const shown = overriding(page, { timeline, theme: lightColors(page.catalog.colors) });
  const sheet = layOut(Figure, { page: shown, name }, [css]);
  try {
    for (const at of past.snapshots.keys()) {
      timeline.snapshot = at;
      const seconds = at === past.snapshots.length - 1 ? LAST_SECONDS : SECONDS;
      yield { image: await sheet.draw(name, ''), seconds };
    }
  } finally {
    sheet.close();
  }
}
