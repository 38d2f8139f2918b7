import { expect, test } from 'vitest';
import { ofField } from './files';
import { filesOf } from './zip';

const bytes = (text: string) => new TextEncoder().encode(text);
const numbers = (...values: [number, 2 | 4][]) =>
  values.flatMap(([value, size]) => Array.from({ length: size }, (_, k) => (value >>> (8 * k)) & 255));

async function deflate(text: string) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A zip of files, the first of them compressed. */
async function zipOf(files: Record<string, string>) {
  const [parts, directory]: [number[], number[]] = [[], []];
  for (const [k, [name, text]] of Object.entries(files).entries()) {
    const content = k ? bytes(text) : await deflate(text);
    const about = numbers([k ? 0 : 8, 2], [0, 4], [0, 4], [content.length, 4], [text.length, 4], [name.length, 2]);
    directory.push(
      ...numbers([0x02014b50, 4], [20, 2], [20, 2], [0, 2]),
      ...about,
      ...numbers([3, 2], [0, 2], [0, 4], [0, 4]),
    );
    directory.push(...numbers([parts.length, 4]), ...bytes(name), 1, 2, 3);
    parts.push(
      ...numbers([0x04034b50, 4], [20, 2], [0, 2]),
      ...about,
      ...numbers([2, 2]),
      ...bytes(name),
      9,
      9,
      ...content,
    );
  }
  const count = Object.keys(files).length;
  const end = numbers(
    [0x06054b50, 4],
    [0, 4],
    [count, 2],
    [count, 2],
    [directory.length, 4],
    [parts.length, 4],
    [4, 2],
  );
  return new File([new Uint8Array([...parts, ...directory, ...end, ...bytes('note')])], 'set.zip');
}

test('the files of a zip are read, compressed or not', async () => {
  const files = await filesOf(await zipOf({ 'a/1.png': 'first first first', 'b/2.png': 'second' }));
  expect(files.map(({ path }) => path)).toEqual(['a/1.png', 'b/2.png']);
  expect(await Promise.all(files.map(async ({ read }) => (await read()).text()))).toEqual([
    'first first first',
    'second',
  ]);
});

test.each([['too short'], ['x'.repeat(100)]])('what is no zip is refused', async (text) => {
  await expect(filesOf(new File([text], 'x.zip'))).rejects.toThrow('x.zip is not a zip');
});

test('folders name the classes; hidden files and what is no image are left out', async () => {
  const zip = await zipOf({
    'set/cat/1.PNG': '1',
    'set/cat/.2.png': '2',
    'set/dog/list.txt': '3',
    '__MACOSX/dog/3.jpg': '4',
    'set/dog/4.jpg': '5',
  });
  const alone = new File(['x'], 'alone.txt', { type: 'text/plain' });
  const found = await ofField([zip, alone]);
  expect(found.map(({ name, folder }) => [folder, name])).toEqual([
    ['cat', '1.PNG'],
    ['dog', '4.jpg'],
    ['', 'alone.txt'],
  ]);
  const file = await found[1].read();
  expect([file.name, file.type, await file.text()]).toEqual(['4.jpg', 'image/jpeg', '5']);
});
