import { afterEach, expect, test, vi } from 'vitest';
import { copyFigure, saveFigure } from './save';
import type { InternalsPage } from './state.svelte';

const SHOWN = { checkpoint: 'tiny', images: 'samples' };
const FILE = { name: 'tiny-cka.png', src: 'data:image/png;base64,iVBORw==' };

function pageThat(reply: unknown) {
  const request = vi.fn(async () => reply);
  return { page: { shown: SHOWN, host: { request } } as unknown as InternalsPage, request };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

test('a figure of the model on screen is saved under its name', async () => {
  const link = { href: '', download: '', click: vi.fn() };
  vi.stubGlobal('document', { createElement: () => link });
  const { page, request } = pageThat(FILE);
  expect(await saveFigure(page, 'cka', 'png')).toBe('Saved as tiny-cka.png.');
  expect(request).toHaveBeenCalledWith('probe_figure', { ...SHOWN, probe: 'cka', format: 'png' });
  expect([link.download, link.href]).toEqual([FILE.name, FILE.src]);
  expect(link.click).toHaveBeenCalledOnce();
});

test('a refusal is reported', async () => {
  expect(await saveFigure(pageThat({ error: 'Busy.' }).page, 'cka', 'csv')).toBe('Busy.');
});

test('a figure is copied as PNG', async () => {
  const written: Promise<Blob>[] = [];
  vi.stubGlobal(
    'ClipboardItem',
    class {
      constructor(types: Record<string, Promise<Blob>>) {
        written.push(types['image/png']);
      }
    },
  );
  vi.stubGlobal('navigator', { clipboard: { write: async () => void (await written[0]) } });
  expect(await copyFigure(pageThat(FILE).page, 'cka')).toBe('Copied as PNG.');
  expect((await written[0]).size).toBe(4);
});

test('a copy that the server or the browser refuses says so', async () => {
  vi.stubGlobal('navigator', {});
  expect(await copyFigure(pageThat(FILE).page, 'cka')).toContain('does not allow copying');
  vi.stubGlobal('ClipboardItem', class {});
  vi.stubGlobal('navigator', { clipboard: { write: () => Promise.reject(new Error()) } });
  expect(await copyFigure(pageThat({ error: 'Busy.' }).page, 'cka')).toBe('Busy.');
});
