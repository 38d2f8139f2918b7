import { afterEach, expect, test, vi } from 'vitest';
import type { Caption } from './captions';
import { copyFigure, saveFigure } from './save';
import type { InternalsPage } from './state.svelte';

const SHOWN = { checkpoint: 'tiny', images: 'samples' };
const CKA = { probe: 'cka' } as Caption;
const TABLE = { name: 'tiny-cka.csv', src: 'data:text/csv;base64,aQ==' };
const FILE = { name: 'tiny-cka.png', blob: new Blob(['png'], { type: 'image/png' }) };

const drawFigure = vi.hoisted(() => vi.fn());
vi.mock('./save/figure', () => ({ drawFigure }));

function pageThat(reply: unknown) {
  const request = vi.fn(async () => reply);
  return { page: { shown: SHOWN, host: { request } } as unknown as InternalsPage, request };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

function stubLink() {
  const link = { href: '', download: '', click: vi.fn() };
  vi.stubGlobal('document', { createElement: () => link });
  return link;
}

test('a figure is drawn here and saved under its name', async () => {
  const link = stubLink();
  const { page, request } = pageThat(null);
  drawFigure.mockResolvedValue(FILE);
  expect(await saveFigure(page, CKA, 'png')).toBe('Saved as tiny-cka.png.');
  expect(drawFigure).toHaveBeenCalledWith(page, CKA, 'png');
  expect(request).not.toHaveBeenCalled();
  expect([link.download, link.click.mock.calls.length]).toEqual([FILE.name, 1]);
});

test('the numbers of the model on screen come from the server', async () => {
  const link = stubLink();
  const { page, request } = pageThat(TABLE);
  expect(await saveFigure(page, CKA, 'csv')).toBe('Saved as tiny-cka.csv.');
  expect(request).toHaveBeenCalledWith('probe_figure', { ...SHOWN, probe: 'cka' });
  expect(link.download).toBe(TABLE.name);
});

test('a refusal is reported', async () => {
  expect(await saveFigure(pageThat({ error: 'Busy.' }).page, CKA, 'csv')).toBe('Busy.');
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
  drawFigure.mockResolvedValue(FILE);
  expect(await copyFigure(pageThat(null).page, CKA)).toBe('Copied as PNG.');
  expect((await written[0]).size).toBe(3);
});

test('a copy that fails or that the browser refuses says so', async () => {
  vi.stubGlobal('navigator', {});
  drawFigure.mockResolvedValue(FILE);
  expect(await copyFigure(pageThat(null).page, CKA)).toContain('does not allow copying');
  drawFigure.mockRejectedValue(new Error('the browser has no 2d canvas'));
  expect(await copyFigure(pageThat(null).page, CKA)).toContain('could not be drawn');
});
