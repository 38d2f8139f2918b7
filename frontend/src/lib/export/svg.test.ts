import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { onSlide } from './drawing';
import { DRAWING, METADATA } from './figure.testdata';
import { svgOf } from './svg';

test('text stays text, and title, caption and metadata are in the file', async () => {
  const svg = await svgOf(DRAWING, METADATA);
  expect(svg).toContain('>A → κ 猫</text>');
  expect(svg).toContain('<title id="title">Cat &#38; &#60;dog&#62;</title>');
  expect(svg).toContain('<desc id="desc">A caption with κ.</desc>');
  expect(svg).toContain('<metadata id="vitviz">{&#34;model&#34;:&#34;a&#60;b&#34;');
  expect(svg).not.toContain('foreignObject');
  expect(svg).toContain('width="100" height="80" viewBox="0 0 100 80"');
});

test('shapes have their colors, opacity and dashes', async () => {
  const svg = await svgOf(DRAWING, '{}');
  expect(svg).toContain('<rect x="1" y="2" width="30" height="20" fill="#0080ff" fill-opacity="0.5"/>');
  expect(svg).toContain('stroke-dasharray="4 2" stroke-linecap="round"');
});

test('a canvas is a PNG of exactly its pixels, not smoothed', async () => {
  const svg = await svgOf(DRAWING, '{}');
  expect(svg).toContain('<image id="map" x="40" y="10" width="20" height="10"');
  expect(svg).toContain('image-rendering: pixelated');
  const png = Buffer.from(/base64,([^"]*)/.exec(svg)?.[1] ?? '', 'base64');
  const start = png.indexOf('IDAT') + 4;
  const data = inflateSync(png.subarray(start, png.indexOf('IEND') - 8));
  expect([...data]).toEqual([0, 255, 0, 0, 255, 0, 0, 255, 255]);
});

test('a slide has the figure in its middle, as large as fits', () => {
  const slide = onSlide(DRAWING);
  expect([slide.width, slide.height]).toEqual([1280, 720]);
  expect(slide.primitives[0]).toMatchObject({ x: 190 + 9, y: 18, width: 270, height: 180 });
  expect(slide.primitives[2]).toMatchObject({
    strokeWidth: 9,
    dash: [36, 18],
    segments: [
      ['M', 190, 0],
      ['L', 280, 45],
    ],
  });
  expect(slide.primitives[4]).toMatchObject({ size: 108, width: 360 });
});
