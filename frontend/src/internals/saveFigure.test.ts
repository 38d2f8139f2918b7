import { afterEach, expect, test, vi } from 'vitest';
import { RefusedError } from '../lib/refused';
import type { Caption } from './captions';
import type { InternalsPage } from './internalsPage.svelte';
import { copyFigure, saveFigure } from './saveFigure';

const SHOWN = { model: 'tiny', images: 'samples' } as const;
const CKA = { probe: 'cka' } as Caption;
const TABLE = { src: 'data:text/csv;base64,aQ==' };
const FILE = { name: 'tiny-cka.png', blob: new Blob(['png'], { type: 'image/png' }) };

const PAGE = { shown: SHOWN } as InternalsPage;
const { drawFigure, post } = vi.hoisted(() => ({ drawFigure: vi.fn(), post: vi.fn() }));
vi.mock('./save/savedFigure', () => ({ drawFigure }));
vi.mock('../lib/server', () => ({ post }));

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
  drawFigure.mockResolvedValue(FILE);
  expect(await saveFigure(PAGE, CKA, 'png')).toBe('Saved as tiny-cka.png.');
  expect(drawFigure).toHaveBeenCalledWith(PAGE, CKA, 'png');
  expect(post).not.toHaveBeenCalled();
  expect([link.download, link.click.mock.calls.length]).toEqual([FILE.name, 1]);
});

test('the numbers of the model on screen come from the server', async () => {
  const link = stubLink();
  post.mockResolvedValue(TABLE);
  expect(await saveFigure(PAGE, CKA, 'csv')).toBe('Saved as vitviz-tiny-cka.csv.');
  expect(post).toHaveBeenCalledWith('models/probe-file', { ...SHOWN, probe: 'cka', format: 'csv' });
  expect(link.download).toBe('vitviz-tiny-cka.csv');
});

test('a refusal is reported', async () => {
  post.mockRejectedValue(new RefusedError('Busy.'));
  expect(await saveFigure(PAGE, CKA, 'csv')).toBe('Busy.');
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
  expect(await copyFigure(PAGE, CKA)).toBe('Copied as PNG.');
  expect((await written[0]).size).toBe(3);
});

test('a copy that fails or that the browser refuses says so', async () => {
  vi.stubGlobal('navigator', {});
  drawFigure.mockResolvedValue(FILE);
  expect(await copyFigure(PAGE, CKA)).toContain('does not allow copying');
  drawFigure.mockRejectedValue(new Error('the browser has no 2d canvas'));
  expect(await copyFigure(PAGE, CKA)).toContain('could not be drawn');
});
