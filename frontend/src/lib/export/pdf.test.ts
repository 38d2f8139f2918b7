import { inflateSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { DRAWING, METADATA } from './figure.testdata';
import { pdfOf, runsOf } from './pdf';

const GLYPH = {
  advance: 600,
  left: 0,
  bottom: 0,
  width: 500,
  height: 700,
  columns: 8,
  rows: 1,
  bits: new Uint8Array([0b10101010]),
};

/** The text of a file with its streams decompressed. */
function readable(file: Uint8Array) {
  const text = Buffer.from(file).toString('latin1');
  return text.replace(/stream\n([\s\S]*?)\nendstream/g, (whole, data: string) => {
    const bytes = Buffer.from(data, 'latin1');
    return bytes[0] === 0x78 ? `stream\n${inflateSync(bytes).toString('latin1')}\nendstream` : whole;
  });
}

test('the table of the file has the places of its objects', async () => {
  const file = Buffer.from(await pdfOf(DRAWING, METADATA, () => GLYPH)).toString('latin1');
  const start = Number(/startxref\n(\d+)/.exec(file)?.[1]);
  const places = [...file.slice(start).matchAll(/(\d{10}) 00000 n/g)].map(([, place]) => Number(place));
  expect(places.length).toBeGreaterThan(8);
  for (const [i, place] of places.entries()) expect(file.slice(place)).toMatch(new RegExp(`^${i + 1} 0 obj\n`));
});

test('usual text is in Helvetica, in the width of the layout', async () => {
  const text = readable(await pdfOf(DRAWING, METADATA, () => GLYPH));
  expect(text).toContain('/BaseFont /Helvetica-Bold');
  const codes = Buffer.from([...'a '].map((letter) => letter.charCodeAt(0)).concat(0x81)).toString('hex');
  expect(text).toContain(`/F0 12 Tf <${codes}`); // with a true minus sign
  expect(text).toMatch(/BT [\d.]+ Tz 1 0 0 -1 10 60 Tm/);
});

test('other characters are glyphs that can be found as text', async () => {
  const rasterize = vi.fn(() => GLYPH);
  const text = readable(await pdfOf(DRAWING, METADATA, rasterize));
  expect(rasterize.mock.calls.map(([character]: unknown[]) => character)).toEqual(['→', 'κ', '猫']);
  for (const code of ['2192', '03ba', '732b']) expect(text).toContain(`<${code}> endbfchar`);
  expect(text).toContain('/Subtype /Type3');
});

test('the file carries title, caption and metadata', async () => {
  const file = Buffer.from(await pdfOf(DRAWING, METADATA, () => GLYPH)).toString('utf8');
  expect(file).toContain('<vitviz:provenance>{"model":"a&#60;b","name":"猫"}</vitviz:provenance>');
  expect(file).toContain('<rdf:li xml:lang="x-default">Cat &#38; &#60;dog&#62;</rdf:li>');
});

test('small maps keep sharp patches: their pixels are repeated', async () => {
  const text = readable(await pdfOf(DRAWING, METADATA, () => GLYPH));
  expect(text).toContain('/Width 62 /Height 31'); // 300 dpi
  expect(text).toContain('20 0 0 -10 40 20 cm /I0 Do');
});

test('a text is divided into runs that a font has and others', () => {
  expect(runsOf('a→→b').map(({ codes, unknown }) => unknown || codes)).toEqual([[97], '→→', [98]]);
  expect(runsOf('1\u202f×\u00a0é')).toEqual([{ codes: [49, 32, 0xd7, 0xa0, 0xe9], unknown: '' }]);
});
