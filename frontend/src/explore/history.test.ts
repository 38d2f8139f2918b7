import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ImageChoice } from '../lib/api';
import { writeAddress } from './actions';
import { ENTRY_DELAY, followHistory, recordImage } from './history';
import { showNotice } from './notices';
import { load } from './requests';
import type { Explorer } from './state.svelte';

vi.mock('./actions', () => ({ writeAddress: vi.fn() }));
vi.mock('./notices', () => ({ showNotice: vi.fn() }));
vi.mock('./requests', () => ({
  load: vi.fn(async (explorer: Explorer, checkpoint: string, image: ImageChoice) => {
    explorer.shown = { checkpoint, image };
  }),
}));

const CAT: ImageChoice = { kind: 'sample', name: 'cat' };
const DOG: ImageChoice = { kind: 'sample', name: 'dog' };
const UPLOAD: ImageChoice = { kind: 'upload', path: '/tmp/a.png', name: 'a.png' };

function explorerWith(image: ImageChoice) {
  const explorer = {
    catalog: {
      checkpoints: [{ name: 'ti4', layers: 6, heads: 6, dataset: null }],
      cifar: { available: true },
      samples: [{ name: 'cat' }, { name: 'dog' }],
      photos: [],
      methods: [],
    },
    choices: { checkpoint: 'ti4', image },
    shown: { checkpoint: 'ti4', image },
    recorded: { image: JSON.stringify(image), time: 0 },
    noticeIsError: false,
    ticket: 0,
    view: { scheduleDraw: vi.fn() },
  };
  return explorer as unknown as typeof explorer & Explorer;
}

/** The address and the state of the entry that Back returned to. */
function enter(search: string, state: unknown = null) {
  vi.stubGlobal('location', { search });
  vi.stubGlobal('history', { state });
}

beforeEach(() => {
  vi.clearAllMocks();
  vi.spyOn(performance, 'now').mockReturnValue(2 * ENTRY_DELAY);
});

describe('recordImage', () => {
  const entries = () => vi.mocked(writeAddress).mock.calls.map(([, how]) => how);

  it('makes an entry for each image that stays on screen', () => {
    const explorer = explorerWith(CAT);
    recordImage(explorer);
    explorer.shown = { checkpoint: 'ti4', image: DOG };
    recordImage(explorer);
    explorer.shown = { checkpoint: 'ti4', image: UPLOAD };
    recordImage(explorer); // at once: it replaces the dog
    expect(entries()).toEqual(['replaceState', 'pushState', 'replaceState']);
    vi.mocked(performance.now).mockReturnValue(3 * ENTRY_DELAY);
    explorer.shown = { checkpoint: 'ti4', image: { ...UPLOAD, crop: 0.3 } };
    recordImage(explorer);
    expect(entries().at(-1)).toBe('replaceState');
    explorer.shown = { checkpoint: 'ti4', image: CAT };
    recordImage(explorer);
    expect(entries().at(-1)).toBe('pushState');
  });
});

describe('followHistory', () => {
  it('restores the image and its view', async () => {
    const explorer = explorerWith(DOG);
    enter('?checkpoint=ti4&image=cat&layer=3&patch=2-2&direction=to');
    await followHistory(explorer);
    const shapeParams = expect.objectContaining({ layer: '3', patch: '2-2' });
    expect(load).toHaveBeenCalledWith(explorer, 'ti4', CAT, shapeParams);
    expect(explorer.choices).toMatchObject({ direction: 'to' });
    expect(explorer.recorded.image).toBe(JSON.stringify(CAT));
    expect(showNotice).not.toHaveBeenCalled();
  });

  it('restores an upload, or says that it is not available', async () => {
    const explorer = explorerWith(DOG);
    enter('?image=upload', { upload: UPLOAD });
    await followHistory(explorer);
    expect(vi.mocked(load).mock.lastCall?.[2]).toEqual(UPLOAD);
    enter('?image=upload');
    await followHistory(explorer);
    expect(vi.mocked(showNotice).mock.lastCall?.[1]).toContain('A link does not contain an uploaded image');
  });

  it('restores the view on screen if the image cannot be shown', async () => {
    const explorer = explorerWith(DOG);
    Object.assign(explorer.choices, { direction: 'from', view: 'attention', target: [2] });
    const { recorded } = explorer;
    vi.mocked(load).mockImplementationOnce(async () => {});
    enter('?checkpoint=ti4&image=cat&view=features&direction=to&class=3');
    await followHistory(explorer);
    expect(explorer.choices).toMatchObject({ image: DOG, direction: 'from', view: 'attention', target: [2] });
    expect(explorer.recorded).toBe(recorded);
  });

  it('restores the view on screen if the image of a second entry cannot be shown while the first one loads', async () => {
    const explorer = explorerWith(DOG);
    Object.assign(explorer.choices, { direction: 'from', target: [2] });
    const { recorded } = explorer;
    let release = () => {};
    vi.mocked(load)
      .mockImplementationOnce(() => new Promise((resolve) => (release = resolve)))
      .mockImplementationOnce(async () => {});
    enter('?checkpoint=ti4&image=cat&direction=to');
    const first = followHistory(explorer);
    explorer.ticket++;
    enter('?checkpoint=ti4&image=cat&class=3');
    await followHistory(explorer);
    release();
    await first;
    expect(explorer.choices).toMatchObject({ image: DOG, direction: 'from', target: [2] });
    expect(explorer.recorded).toBe(recorded);
  });

  it('leaves the choices of a later request alone', async () => {
    const explorer = explorerWith(DOG);
    let release = () => {};
    vi.mocked(load).mockImplementationOnce(() => new Promise((resolve) => (release = resolve)));
    enter('?checkpoint=ti4&image=cat&direction=to');
    const following = followHistory(explorer);
    explorer.ticket++;
    Object.assign(explorer.choices, { image: UPLOAD });
    release();
    await following;
    expect(explorer.choices).toMatchObject({ image: UPLOAD, direction: 'to' });
  });

  it('leaves entries of the image on screen alone', async () => {
    const explorer = explorerWith(CAT);
    for (const search of ['?image=cat&layer=2', '']) {
      enter(search);
      await followHistory(explorer);
    }
    expect(load).not.toHaveBeenCalled();
  });
});
