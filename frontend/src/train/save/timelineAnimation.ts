/* An animation of the timeline on screen, snapshot by snapshot, loaded on request. */

import { type AnimationFormat, animationOf, type Frame } from '../../lib/export/animation';
import { fileName } from '../../lib/export/files';
import { layOut } from '../../lib/export/sheet';
import { overriding } from '../../lib/export/shown';
import type { Runs } from '../runs.svelte';
import type { Past } from '../snapshots';
import { Timeline } from '../timeline.svelte';
import css from '../train.css?inline';
import Figure from './TimelineFrame.svelte';

const SECONDS = 0.1; // per snapshot
const LAST_SECONDS = 2.5;

export async function animate(runs: Runs, past: Past, name: string, format: AnimationFormat) {
  const image = past.images[runs.timeline.image].name;
  return { name: fileName([name, image], format), blob: await animationOf(framesOf(runs, past, name), format) };
}

async function* framesOf(runs: Runs, past: Past, name: string): AsyncGenerator<Frame> {
  const { image, chosen } = runs.timeline;
  const timeline = Object.assign(new Timeline(runs), {
    image,
    chosen,
    past,
    shape: past.shape,
    images: past.images,
    snapshot: 0,
  });
  const shown = overriding(runs, { timeline, theme: runs.theme.light() });
  const sheet = layOut(Figure, { runs: shown, name }, [css]);
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
