import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  ARROWS,
  blobOf,
  copyToClipboard,
  cornerOf,
  isImageUrl,
  isShortcut,
  listenWhile,
  markPainted,
  mebibytes,
  patchAt,
  saveAs,
  saveBlob,
  scrollInto,
} from './dom';

afterEach(() => {
  vi.unstubAllGlobals();
});

const keys = (modifiers: Partial<KeyboardEvent>) =>
  ({ altKey: false, ctrlKey: false, metaKey: false, ...modifiers }) as KeyboardEvent;

test('keys with a modifier are shortcuts of the browser', () => {
  expect(isShortcut(keys({}))).toBe(false);
  for (const modifier of ['altKey', 'ctrlKey', 'metaKey']) expect(isShortcut(keys({ [modifier]: true }))).toBe(true);
  expect(isShortcut(keys({ shiftKey: true }))).toBe(false);
  expect(ARROWS).toHaveLength(4);
});

test('only data URLs of images are shown', () => {
  expect(isImageUrl('data:image/png;base64,AAAA')).toBe(true);
  for (const src of ['https://example.org/a.png', 'javascript:alert(1)', 'data:text/html,x', '', null, undefined, 3]) {
    expect(isImageUrl(src)).toBe(false);
  }
});

describe('patches', () => {
  const stage = { getBoundingClientRect: () => ({ left: 10, top: 20, width: 300, height: 100 }) } as Element;
  const grid = { rows: 2, columns: 3 };
  const at = (clientX: number, clientY: number) => patchAt(stage, { clientX, clientY }, grid);

  test('under the pointer', () => {
    expect(at(10, 20)).toBe(0);
    expect(at(309, 119)).toBe(5);
    expect(at(120, 60)).toBe(1);
    expect(at(15, 71)).toBe(3);
  });

  test('none outside of the stage', () => {
    expect([at(9, 30), at(310, 30), at(30, 19), at(30, 120)]).toEqual([-1, -1, -1, -1]);
  });

  test('have a corner in percent', () => {
    expect(cornerOf(4, { rows: 2, columns: 4 })).toEqual({ left: '0%', top: '50%' });
    expect(cornerOf(7, { rows: 2, columns: 4 })).toEqual({ left: '75%', top: '50%' });
  });
});

describe('files', () => {
  test('are downloaded by a link', () => {
    const link = { href: '', download: '', click: vi.fn() };
    vi.stubGlobal('document', { createElement: () => link });
    saveAs('map.png', 'data:image/png;base64,AAAA');
    expect(link).toMatchObject({ href: 'data:image/png;base64,AAAA', download: 'map.png' });
    expect(link.click).toHaveBeenCalledOnce();
  });

  test('made in the browser are revoked by the next one only', async () => {
    const [blobs, revoked]: [Blob[], string[]] = [[], []];
    vi.stubGlobal('document', { createElement: () => ({ click: () => {} }) });
    vi.stubGlobal('URL', {
      createObjectURL: (blob: Blob) => `blob:${blobs.push(blob)}`,
      revokeObjectURL: (url: string) => revoked.push(url),
    });
    saveBlob('a', blobOf(`data:text/csv;base64,${btoa('first')}`));
    saveBlob('b', blobOf(`data:text/csv;base64,${btoa('second')}`));
    saveBlob('c', new Blob(['third']));
    expect(blobs[0].type).toBe('text/csv');
    expect(await blobs[0].text()).toBe('first');
    expect(await blobs[2].text()).toBe('third');
    expect(revoked.filter(Boolean)).toEqual(['blob:1', 'blob:2']);
  });

  test('sizes have at most one decimal', () => {
    expect([2 ** 20, 2.5 * 2 ** 20, 20 * 2 ** 20].map(mebibytes)).toEqual([
      '1\u00a0MiB',
      '2.5\u00a0MiB',
      '20\u00a0MiB',
    ]);
  });
});

test('listeners on the document end when Gradio removes the component', () => {
  const element = { isConnected: true } as Element;
  const target = new EventTarget() as Document;
  const listener = vi.fn();
  const remove = vi.spyOn(target, 'removeEventListener');
  listenWhile(element, target, 'paste', listener);
  target.dispatchEvent(new Event('paste'));
  Object.assign(element, { isConnected: false });
  target.dispatchEvent(new Event('paste'));
  target.dispatchEvent(new Event('paste'));
  expect(listener).toHaveBeenCalledOnce();
  expect(remove).toHaveBeenCalledOnce();
});

test('a view is marked after it was painted, not before', async () => {
  const node = { dataset: {} } as HTMLElement;
  markPainted(node, 'key');
  expect(node.dataset.ready).toBeUndefined();
  await vi.waitFor(() => expect(node.dataset.ready).toBe('key'));
});

describe('a chosen cell', () => {
  const frame = (scrollLeft: number) =>
    ({ scrollLeft, clientWidth: 200, querySelector: () => ({ offsetWidth: 40 }) }) as unknown as HTMLElement;
  const scrolled = (scrollLeft: number, offsetLeft: number) => {
    const node = frame(scrollLeft);
    scrollInto(node, { offsetLeft, offsetWidth: 50 } as HTMLElement);
    return node.scrollLeft;
  };

  test('is scrolled into its frame, beside the row headers', () => {
    expect(scrolled(0, 100)).toBe(0);
    expect(scrolled(0, 300)).toBe(300 + 50 + 12 - 200);
    expect(scrolled(200, 220)).toBe(220 - 40 - 12);
  });
});

test('content is copied as a promise; a browser that refuses, or content that fails, copies nothing', async () => {
  const written: Record<string, Promise<Blob>>[] = [];
  vi.stubGlobal(
    'ClipboardItem',
    class {
      constructor(types: Record<string, Promise<Blob>>) {
        written.push(types);
      }
    },
  );
  vi.stubGlobal('navigator', { clipboard: { write: async () => void (await Object.values(written.at(-1) ?? {})[0]) } });
  const blob = new Blob(['x']);
  expect(await copyToClipboard('text/plain', Promise.resolve(blob))).toBe(true);
  expect(await written[0]['text/plain']).toBe(blob);
  expect(await copyToClipboard('text/plain', Promise.reject(new Error('no')))).toBe(false);
  vi.stubGlobal('navigator', {});
  expect(await copyToClipboard('text/plain', Promise.resolve(blob))).toBe(false);
});
