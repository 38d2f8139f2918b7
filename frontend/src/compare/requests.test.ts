import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { CompareReply, CompareRequest } from '../lib/api';
import { probeImage, refresh } from './requests';
import { ATTENTION, EMPTY, type Kind, SIMILARITY, type ViewState, viewOfB } from './sides';
import type { ComparePage, Shown } from './state.svelte';
import { writeAddress } from './write';

vi.mock('./write', () => ({ writeAddress: vi.fn() }));

const sample = (name: string) => ({ kind: 'sample' as const, name });
const EXPLAINED = {
  ...{ layers: 2, heads: 2, rows: 2, columns: 3, aspect: 1.5, prefix: 1, classToken: true, pool: null },
  ...{ classes: ['cat', 'dog'], probabilities: [0.7, 0.3], image: { src: '' } },
  cls: btoa('\0'.repeat(4 * 2 * 2 * 7)), // (L, A, T) of zeros
};
const REPLY = { difference: [0], a: {}, b: {} } as unknown as CompareReply;

type Replies = Record<string, (argument: Record<string, unknown>) => unknown>;

/** A page whose server answers with these replies; explanations have the image as their key. */
function pageWith(replies: Replies, kind: Kind = 'image') {
  const served: Replies = {
    explain: ({ image }) => ({ ...EXPLAINED, key: (image as { name: string }).name }),
    compare: () => REPLY,
    ...replies,
  };
  const request = vi.fn(async (name: string, argument: Record<string, unknown>) => served[name](argument));
  const page = {
    host: { request, catalog: { methods: [], public: false } },
    ...{ kind, ticket: 0, ready: 0, state: 'working', status: '', isError: false, models: [{ name: 'ti4' }] },
    ...{ images: { samples: [{ name: 'cat' }, { name: 'dog' }] }, query: [] as number[], linked: null },
    ...{ mode: 'zero', patchMode: 'drop', shown: null as Shown | null, explained: new Map(), isForClass: () => false },
    a: { ...EMPTY, checkpoint: 'ti4', image: sample('cat') },
    own: { ...EMPTY },
    get b(): ViewState {
      return viewOfB(this.kind, this.a, this.own);
    },
    get isSimilarity(): boolean {
      return this.a.map === SIMILARITY;
    },
    hasQuery: true,
    showNotice(status: string, isError = false) {
      Object.assign(page, { status, isError });
    },
  };
  return page as typeof page & ComparePage;
}

const calls = (page: ReturnType<typeof pageWith>, name: string) =>
  page.host.request.mock.calls.filter(([one]) => one === name).map(([, argument]) => argument as unknown);

beforeEach(() => vi.clearAllMocks());

describe('refresh', () => {
  it('explains both images and compares them', async () => {
    const page = pageWith({});
    await refresh(page);
    expect(page).toMatchObject({ state: 'ready', ready: 1, status: '' });
    const [request] = calls(page, 'compare') as CompareRequest[];
    expect([request.a.key, request.b.key]).toEqual(['cat', 'dog']);
    expect(request).toMatchObject({ query: [], similarTo: null, a: { method: null, layer: 1, head: 0, target: [] } });
    expect(writeAddress).toHaveBeenCalledOnce();
  });

  it('explains an image once', async () => {
    const page = pageWith({});
    await refresh(page);
    page.own = { ...page.own, image: sample('cat') };
    await refresh(page);
    expect(calls(page, 'explain')).toHaveLength(2);
    expect(calls(page, 'compare')).toHaveLength(2);
  });

  it('explains again what the server has forgotten', async () => {
    let isExpired = true;
    const page = pageWith({
      compare() {
        const reply = isExpired ? null : REPLY;
        isExpired = false;
        return reply;
      },
    });
    await refresh(page);
    expect(page.state).toBe('ready');
    expect(calls(page, 'explain')).toHaveLength(4);
  });

  it('keeps the old comparison and says why there is no new one', async () => {
    const page = pageWith({});
    await refresh(page);
    const { shown } = page;
    page.host.request.mockResolvedValueOnce({ error: 'Busy.' }).mockResolvedValueOnce({ error: 'Busy.' });
    page.own = { ...page.own, image: sample('ship') };
    await refresh(page);
    expect(page).toMatchObject({ state: 'error', status: 'Busy.', isError: true, shown });
    expect(page.own.image).toEqual(sample('dog'));
    const gone = pageWith({ compare: () => null });
    await refresh(gone);
    expect(gone.status).toBe('An image has expired on the server. Choose it again.');
  });

  it('drops the response to an earlier choice', async () => {
    let answer: (reply: unknown) => void = () => {};
    let isFirst = true;
    const page = pageWith({
      compare() {
        if (!isFirst) return REPLY;
        isFirst = false;
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
    });
    const first = refresh(page);
    await vi.waitFor(() => expect(calls(page, 'compare')).toHaveLength(1));
    await refresh(page);
    const { shown } = page;
    answer({ ...REPLY, headline: 'late' });
    await first;
    expect(page.shown).toBe(shown);
    expect(page.ready).toBe(1);
  });

  it('ablates heads and patches for B alone', async () => {
    const page = pageWith({ ablate: () => ({ key: 'ablated' }) }, 'ablation');
    page.own = { ...EMPTY, ablated: [3], removed: [4] };
    await refresh(page);
    expect(calls(page, 'ablate')).toEqual([
      { key: 'cat', heads: [[1, 1]], patches: [4], mode: 'zero', patch_mode: 'drop' },
    ]);
    const [request] = calls(page, 'compare') as CompareRequest[];
    expect([request.a.key, request.b.key]).toEqual(['cat', 'ablated']);
    expect(page.shown?.removed).toEqual([4]);
  });

  it('asks for snapshots without an explanation, or says that there are none', async () => {
    const shape = { ...EXPLAINED, pool: undefined };
    const snapshots = {
      shape,
      classes: [],
      images: [
        { name: 'dog', src: '' },
        { name: 'cat', src: '' },
      ],
      epochs: [0, 1, 2],
    };
    const page = pageWith({ compare_snapshots: () => snapshots }, 'snapshot');
    await refresh(page);
    const [request] = calls(page, 'compare') as CompareRequest[];
    expect(request.a).toMatchObject({
      key: null,
      snapshot: { source: 'ti4', image: 1, index: 0 },
      layer: 1,
      head: null,
    });
    expect(request.b.snapshot?.index).toBe(2);
    expect(calls(page, 'explain')).toEqual([]);
    const none = pageWith({ compare_snapshots: () => null }, 'snapshot');
    await refresh(none);
    expect(none.status).toBe('ti4 has no snapshots: choose the shipped model or a run of Train.');
  });

  it('compares the tokens of a patch in the middle, unless one is chosen', async () => {
    const page = pageWith({});
    page.a = { ...page.a, map: SIMILARITY };
    await refresh(page);
    expect(calls(page, 'compare')[0]).toMatchObject({ query: [], similarTo: 1, a: { method: null } });
  });

  it('says that a single model is compared with itself', async () => {
    const page = pageWith({}, 'model');
    await refresh(page);
    expect(page.status).toContain('Only one model is here');
    expect(page.a.map).toBe(ATTENTION);
  });
});

it('the probe image is the sample of its name, else the first one', () => {
  const images = [{ name: 'cat' }, { name: 'dog' }];
  expect(probeImage(sample('dog'), images)).toBe(1);
  expect(probeImage(sample('ship'), images)).toBe(0);
  expect(probeImage(null, images)).toBe(0);
});
