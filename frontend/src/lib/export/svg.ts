/* A drawing as SVG: text is text, canvases are embedded PNG images. */

import { base64Of } from '../base64';
import { type Color, type Drawing, FONT, outlineOf, type Picture, type Primitive, pathText, short } from './drawing';
import { pngOf } from './png';

const escaped = (text: string) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

const attributes = (values: Record<string, string | number | undefined>) =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => ` ${name}="${typeof value === 'number' ? short(value) : escaped(String(value))}"`)
    .join('');

/** The text of an SVG file; `metadata` is JSON, or empty. */
export async function svgOf(drawing: Drawing, metadata: string): Promise<string> {
  const { width, height, title, description } = drawing;
  const parts = await Promise.all(drawing.primitives.map(elementOf));
  const size = attributes({ width, height, viewBox: `0 0 ${width} ${height}` });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg"${size} role="img" aria-labelledby="title desc"${attributes({ 'font-family': FONT })}>`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="desc">${escaped(description)}</desc>`,
    ...(metadata ? [`<metadata id="vitviz">${escaped(metadata)}</metadata>`] : []),
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

async function elementOf(one: Primitive): Promise<string> {
  if (one.kind === 'image') return imageOf(one);
  if (one.kind === 'text') {
    const { text, x, y, size, width, isBold, isItalic, halo } = one;
    const style = {
      'font-size': size,
      'font-weight': isBold ? 'bold' : undefined,
      'font-style': isItalic ? 'italic' : undefined,
    };
    const outline = halo && { ...paint('stroke', halo.color), 'stroke-width': halo.width, 'paint-order': 'stroke' };
    const length = text.length > 1 ? width : undefined; // keeps the layout in another font
    return `<text${attributes({ x, y, ...style, ...paint('fill', one.color), ...outline, textLength: length, lengthAdjust: length && 'spacingAndGlyphs', 'xml:space': / {2}|^ | $/.test(text) ? 'preserve' : undefined })}>${escaped(text)}</text>`;
  }
  const line = one.stroke && {
    ...paint('stroke', one.stroke),
    'stroke-width': one.strokeWidth,
    'stroke-dasharray': one.dash?.map(short).join(' '),
    'stroke-linecap': one.isRound ? 'round' : undefined,
    'stroke-linejoin': one.isRound ? 'round' : undefined,
  };
  const look = attributes({ ...(one.fill ? paint('fill', one.fill) : { fill: 'none' }), ...line });
  if (one.kind === 'path') return `<path d="${pathText(one.segments)}"${look}/>`;
  if (one.radius) return `<path d="${pathText(outlineOf(one))}"${look}/>`;
  return `<rect${attributes({ x: one.x, y: one.y, width: one.width, height: one.height })}${look}/>`;
}

function paint(name: 'fill' | 'stroke', [red, green, blue, opacity]: Color) {
  const hex = [red, green, blue].map((part) => Math.round(part).toString(16).padStart(2, '0')).join('');
  return { [name]: `#${hex}`, [`${name}-opacity`]: opacity < 1 ? opacity : undefined };
}

async function imageOf({ x, y, width, height, pixels, isPixelated, opacity, name }: Picture): Promise<string> {
  const style = isPixelated ? 'image-rendering: pixelated' : undefined;
  const href = `data:image/png;base64,${base64Of(await pngOf(pixels))}`;
  return `<image${attributes({ id: name, x, y, width, height, opacity: opacity < 1 ? opacity : undefined, preserveAspectRatio: 'none', style })} href="${href}"/>`;
}
