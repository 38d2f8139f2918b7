/* The syntax of PDF: numbers, strings, and numbered objects with a table of their places. */

import { deflate, joined } from './png';

/** A number with three decimals at most. */
export const number = (value: number) => String(Math.round(1000 * value) / 1000);
export const numbers = (...values: number[]) => values.map(number).join(' ');
export const hex = (code: number, digits = 2) => code.toString(16).padStart(digits, '0');
/** A text as hexadecimal UTF-16. */
export const utf16 = (text: string) =>
  Array.from({ length: text.length }, (_, i) => hex(text.charCodeAt(i), 4)).join('');
export const encode = (text: string) => new TextEncoder().encode(text);

/** The objects of a file, numbered from 1. */
export class Objects {
  readonly #bodies: Uint8Array[] = [];

  /** Reserve a number. */
  reserve() {
    return this.#bodies.push(encode('null'));
  }

  add(body: string | Uint8Array, id = this.reserve()) {
    this.#bodies[id - 1] = typeof body === 'string' ? encode(body) : body;
    return id;
  }

  /** Add a compressed stream. */
  async stream(content: Uint8Array<ArrayBuffer>, entries = '', id?: number) {
    const data = await deflate(content);
    const head = encode(`<< /Length ${data.length} /Filter /FlateDecode ${entries} >>\nstream\n`);
    return this.add(joined([head, data, encode('\nendstream')]), id);
  }

  /** The file, with a table of the places of all objects. */
  file(root: number, info: number) {
    const parts: Uint8Array[] = [encode('%PDF-1.7\n%\u00e2\u00e3\n')];
    const places: number[] = [];
    let length = parts[0].length;
    for (const [i, body] of this.#bodies.entries()) {
      places.push(length);
      const part = joined([encode(`${i + 1} 0 obj\n`), body, encode('\nendobj\n')]);
      length += part.length;
      parts.push(part);
    }
    const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
    const size = places.length + 1;
    const trailer = `trailer\n<< /Size ${size} /Root ${root} 0 R /Info ${info} 0 R >>\nstartxref\n${length}\n%%EOF\n`;
    return joined([...parts, encode(`xref\n0 ${size}\n0000000000 65535 f \n${table}${trailer}`)]);
  }
}
