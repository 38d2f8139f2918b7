/* A drawing as PDF: vector graphics, and text in Helvetica, which every reader has. Other characters (Chinese class names,
   arrows, Greek) have no font that could be embedded: they are glyphs of a Type 3 font, drawn by the browser as bitmaps of
   high resolution, so that they look right, and can be selected and found. PDF 1.7, ISO 32000-1. */

import {
  type Color,
  type Drawing,
  outlineOf,
  type Picture,
  type Pixels,
  type Primitive,
  type Segment,
  type Text,
} from './drawing';
import { BOLD, FIRST_CODE, REGULAR, SIGNS } from './helvetica';
import { encode, hex, number, numbers, Objects, utf16 } from './pdfObjects';
import { joined } from './png';

/** A text without a font, as a bitmap. Lengths are in 1/1000 em, from the origin on the baseline. */
export interface Glyph {
  advance: number;
  left: number;
  bottom: number;
  width: number;
  height: number;
  /** Bits, one per pixel, 1 where there is ink; rows start at whole bytes. */
  columns: number;
  rows: number;
  bits: Uint8Array<ArrayBuffer>;
}

export type Rasterize = (text: string, style: Pick<Text, 'isBold' | 'isItalic'>) => Glyph;

const POINTS = 0.75; // per CSS pixel
const IMAGE_SCALE = 300 / 96; // pixels per CSS pixel, since some readers smooth what they enlarge
const FONTS = ['Helvetica', 'Helvetica-Bold', 'Helvetica-Oblique', 'Helvetica-BoldOblique'];
const MAX_GLYPHS = 255; // of a font

/** Codes of Windows 1252 and of the added signs, by character. */
const CODES = new Map<string, number>([
  ...Array.from({ length: 256 }, (_, code) => code)
    .filter((code) => code >= FIRST_CODE && REGULAR[code - FIRST_CODE] > 0)
    .map((code): [string, number] => [new TextDecoder('windows-1252').decode(new Uint8Array([code])), code]),
  ...SIGNS.map(([code, character]): [string, number] => [character, code]),
  ...['\u2009', '\u202f'].map((space): [string, number] => [space, 32]),
]);

/** The pixels that a PDF file embeds. */
export const embedded = ({ pixels, isPixelated, width }: Picture) =>
  isPixelated ? enlarged(pixels, Math.round((IMAGE_SCALE * width) / pixels.width)) : pixels;

/** The bytes of a PDF file; `metadata` is JSON, or empty. */
export async function pdfOf(
  drawing: Drawing,
  metadata: string,
  rasterize: Rasterize,
): Promise<Uint8Array<ArrayBuffer>> {
  const objects = new Objects();
  const page = new Page(objects, rasterize);
  for (const one of drawing.primitives) await page.draw(one);
  const [width, height] = [POINTS * drawing.width, POINTS * drawing.height];
  const start = `${numbers(POINTS, 0, 0, -POINTS, 0, height)} cm\n`;
  const content = await objects.stream(encode(start + page.operators.join('\n')));
  const resources = await page.resources();
  const pages = objects.reserve();
  const box = `[0 0 ${numbers(width, height)}]`;
  const only = objects.add(
    `<< /Type /Page /Parent ${pages} 0 R /MediaBox ${box} /Contents ${content} 0 R /Resources ${resources} >>`,
  );
  objects.add(`<< /Type /Pages /Kids [${only} 0 R] /Count 1 >>`, pages);
  const packet = encode(xmp(drawing, metadata));
  const xml = objects.add(
    joined([
      encode(`<< /Type /Metadata /Subtype /XML /Length ${packet.length} >>\nstream\n`),
      packet,
      encode('\nendstream'),
    ]),
  );
  const info = objects.add(
    `<< /Title <feff${utf16(drawing.title)}> /Subject <feff${utf16(drawing.description)}> /Creator (vitviz) >>`,
  );
  const root = objects.add(
    `<< /Type /Catalog /Pages ${pages} 0 R /Metadata ${xml} 0 R /Lang (en) /ViewerPreferences << /DisplayDocTitle true >> >>`,
  );
  return objects.file(root, info);
}

/** The metadata of the document, with the JSON in its own element; not compressed, so that any tool finds it. */
function xmp({ title, description }: Drawing, metadata: string) {
  const escaped = (text: string) => text.replace(/[&<>]/g, (letter) => `&#${letter.charCodeAt(0)};`);
  const alternative = (text: string) => `<rdf:Alt><rdf:li xml:lang="x-default">${escaped(text)}</rdf:li></rdf:Alt>`;
  return `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:vitviz="urn:vitviz">
<dc:title>${alternative(title)}</dc:title>
<dc:description>${alternative(description)}</dc:description>
${metadata && `<vitviz:provenance>${escaped(metadata)}</vitviz:provenance>`}
</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>`;
}

interface BitmapFont {
  id: number;
  glyphs: { text: string; glyph: Glyph }[];
}

class Page {
  readonly operators: string[] = [];
  readonly #objects: Objects;
  readonly #rasterize: Rasterize;
  readonly #images: number[] = [];
  readonly #opacities = new Map<number, string>();
  readonly #bitmapFonts: BitmapFont[] = [];
  readonly #places = new Map<string, { font: number; code: number; glyph: Glyph }>();

  constructor(objects: Objects, rasterize: Rasterize) {
    this.#objects = objects;
    this.#rasterize = rasterize;
  }

  async draw(one: Primitive) {
    if (one.kind === 'image') await this.#drawImage(one);
    else if (one.kind === 'text') this.#drawText(one);
    else {
      const outline = pathOperators(one.kind === 'path' ? one.segments : outlineOf(one));
      if (one.fill) this.#add(`${this.#color(one.fill, 'rg')} ${outline} f`);
      if (one.stroke) {
        const ends = one.isRound ? '1 J 1 j' : '0 J 0 j';
        const line = `${number(one.strokeWidth ?? 1)} w ${ends} [${numbers(...(one.dash ?? []))}] 0 d`;
        this.#add(`${this.#color(one.stroke, 'RG')} ${line} ${outline} S`);
      }
    }
  }

  #add(operators: string) {
    this.operators.push(`q ${operators} Q`);
  }

  #color([red, green, blue, opacity]: Color, operator: 'rg' | 'RG') {
    return `${this.#opacity(opacity)}${numbers(red / 255, green / 255, blue / 255)} ${operator}`;
  }

  #opacity(opacity: number) {
    if (opacity >= 1) return '';
    const rounded = Math.round(1000 * opacity) / 1000;
    if (!this.#opacities.has(rounded)) this.#opacities.set(rounded, `G${this.#opacities.size}`);
    return `/${this.#opacities.get(rounded)} gs `;
  }

  async #drawImage(picture: Picture) {
    const { x, y, width, height, opacity } = picture;
    const shown = embedded(picture);
    const size = `/Type /XObject /Subtype /Image /Width ${shown.width} /Height ${shown.height} /BitsPerComponent 8`;
    const channels = (wanted: readonly number[]) => {
      const data = new Uint8Array((shown.data.length / 4) * wanted.length);
      for (let i = 0; i < data.length; i++)
        data[i] = shown.data[4 * Math.floor(i / wanted.length) + wanted[i % wanted.length]];
      return data;
    };
    const alpha = channels([3]);
    const isOpaque = alpha.every((value) => value === 255);
    const mask = isOpaque ? '' : `/SMask ${await this.#objects.stream(alpha, `${size} /ColorSpace /DeviceGray`)} 0 R`;
    this.#images.push(await this.#objects.stream(channels([0, 1, 2]), `${size} /ColorSpace /DeviceRGB ${mask}`));
    this.#add(
      `${this.#opacity(opacity)}${numbers(width, 0, 0, -height, x, y + height)} cm /I${this.#images.length - 1} Do`,
    );
  }

  #drawText(one: Text) {
    const { text, x, y, size, width, isBold, color, halo } = one;
    const widths = isBold ? BOLD : REGULAR;
    const shown: string[] = [];
    let natural = 0; // in 1/1000 em
    for (const { codes, unknown } of runsOf(text.normalize('NFC'))) {
      if (unknown) {
        const { font, code, glyph } = this.#bitmap(unknown, one);
        shown.push(`/T${font} ${number(size)} Tf <${hex(code)}> Tj`);
        natural += glyph.advance;
      } else {
        shown.push(
          `/F${Number(isBold) + 2 * Number(one.isItalic)} ${number(size)} Tf <${codes.map((code) => hex(code)).join('')}> Tj`,
        );
        natural += codes.reduce((sum, code) => sum + widths[code - FIRST_CODE], 0);
      }
    }
    const stretch = natural ? (100 * width) / ((natural * size) / 1000) : 100; // keeps the layout of another font
    const start = `BT ${Math.abs(stretch - 100) > 0.5 ? `${number(stretch)} Tz ` : ''}${numbers(1, 0, 0, -1, x, y)} Tm`;
    if (halo)
      this.#add(`${this.#color(halo.color, 'RG')} ${number(halo.width)} w 1 j ${start} 1 Tr ${shown.join(' ')} ET`);
    this.#add(`${this.#color(color, 'rg')} ${start} ${shown.join(' ')} ET`);
  }

  /** The place of a text among the glyphs of the bitmap fonts. */
  #bitmap(text: string, style: Text) {
    const key = `${style.isBold} ${style.isItalic} ${text}`;
    let found = this.#places.get(key);
    if (found) return found;
    if (this.#places.size % MAX_GLYPHS === 0) this.#bitmapFonts.push({ id: this.#objects.reserve(), glyphs: [] });
    const font = this.#bitmapFonts.length - 1;
    const { glyphs } = this.#bitmapFonts[font];
    const glyph = this.#rasterize(text, style);
    found = { font, code: glyphs.push({ text, glyph }), glyph };
    this.#places.set(key, found);
    return found;
  }

  /** The dictionary of what the operators name. */
  async resources() {
    for (const font of this.#bitmapFonts) await this.#addBitmapFont(font);
    const differences = SIGNS.map(([code, , glyph]) => `${code} /${glyph}`).join(' ');
    const encoding = `<< /Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [${differences}] >>`;
    const fonts = FONTS.map(
      (name, i) => `/F${i} << /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding ${encoding} >>`,
    );
    const bitmaps = this.#bitmapFonts.map(({ id }, i) => `/T${i} ${id} 0 R`);
    const images = this.#images.map((id, i) => `/I${i} ${id} 0 R`);
    const states = [...this.#opacities].map(([opacity, name]) => `/${name} << /ca ${opacity} /CA ${opacity} >>`);
    return `<< /Font << ${[...fonts, ...bitmaps].join(' ')} >> /XObject << ${images.join(' ')} >> /ExtGState << ${states.join(' ')} >> >>`;
  }

  async #addBitmapFont({ id, glyphs }: BitmapFont) {
    const [procedures, images]: string[][] = [[], []];
    for (const [i, { glyph }] of glyphs.entries()) {
      const { advance, left, bottom, width, height, columns, rows, bits } = glyph;
      const mask = `/Type /XObject /Subtype /Image /ImageMask true /Width ${columns} /Height ${rows} /BitsPerComponent 1 /Decode [1 0]`;
      images.push(`/I${i} ${await this.#objects.stream(bits, mask)} 0 R`);
      const box = numbers(advance, 0, left, bottom, left + width, bottom + height);
      const operators = `${box} d1 ${numbers(width, 0, 0, height, left, bottom)} cm /I${i} Do`;
      procedures.push(`/g${i + 1} ${await this.#objects.stream(encode(operators))} 0 R`);
    }
    const mapping = glyphs.map(({ text }, i) => `1 beginbfchar <${hex(i + 1)}> <${utf16(text)}> endbfchar`).join('\n');
    const unicode = await this.#objects.stream(
      encode(`/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /vitviz def /CMapType 2 def
1 begincodespacerange <00> <ff> endcodespacerange\n${mapping}\nendcmap end end`),
    );
    const names = glyphs.map((_, i) => `/g${i + 1}`).join(' ');
    const widths = glyphs.map(({ glyph }) => number(glyph.advance)).join(' ');
    const entries = [
      '/Type /Font /Subtype /Type3 /FontBBox [0 0 0 0] /FontMatrix [.001 0 0 .001 0 0]',
      `/FirstChar 1 /LastChar ${glyphs.length} /Widths [${widths}] /ToUnicode ${unicode} 0 R`,
      `/Encoding << /Type /Encoding /Differences [1 ${names}] >>`,
      `/CharProcs << ${procedures.join(' ')} >> /Resources << /XObject << ${images.join(' ')} >> >>`,
    ];
    this.#objects.add(`<< ${entries.join(' ')} >>`, id);
  }
}

/** A text as runs of character codes, and of characters that have none. */
export function runsOf(text: string): { codes: number[]; unknown: string }[] {
  const runs: { codes: number[]; unknown: string }[] = [];
  for (const character of text) {
    const code = CODES.get(character);
    const last = runs[runs.length - 1];
    if (last && (code === undefined) === (last.unknown !== '')) {
      if (code === undefined) last.unknown += character;
      else last.codes.push(code);
    } else runs.push(code === undefined ? { codes: [], unknown: character } : { codes: [code], unknown: '' });
  }
  return runs;
}

const pathOperators = (segments: readonly Segment[]) =>
  segments
    .map(([command, ...values]) =>
      command === 'Z' ? 'h' : `${numbers(...values)} ${{ M: 'm', L: 'l', C: 'c' }[command]}`,
    )
    .join(' ');

/** Pixels repeated a whole number of times. */
function enlarged({ width, height, data }: Pixels, factor: number): Pixels {
  if (factor <= 1) return { width, height, data };
  const pixels = new Uint32Array(data.buffer, data.byteOffset, width * height);
  const [columns, rows] = [width * factor, height * factor];
  const repeated = new Uint32Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    const from = Math.floor(row / factor) * width;
    for (let column = 0; column < columns; column++)
      repeated[row * columns + column] = pixels[from + Math.floor(column / factor)];
  }
  return { width: columns, height: rows, data: new Uint8ClampedArray(repeated.buffer) };
}
