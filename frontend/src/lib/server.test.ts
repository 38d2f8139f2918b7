import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isRefusal, NO_RESPONSE, post, stream, upload } from './server';

const fetchMock = vi.fn<(url: URL, init: RequestInit) => Promise<Response>>();

beforeEach(() => {
  vi.stubGlobal('fetch', fetchMock);
  vi.stubGlobal('document', { baseURI: 'https://vit.example.org/lab/?tab=learn' });
});

afterEach(() => {
  vi.unstubAllGlobals();
  fetchMock.mockReset();
});

const lines = (...parts: string[]) =>
  new Response(
    new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(new TextEncoder().encode(part));
        controller.close();
      },
    }),
  );

test('a request is JSON below the folder of the page', async () => {
  fetchMock.mockResolvedValue(Response.json({ facts: [] }));
  expect(await post('models/facts', { model: 'a' })).toEqual({ facts: [] });
  const [url, init] = fetchMock.mock.calls[0];
  expect(url.href).toBe('https://vit.example.org/lab/vitviz/api/models/facts');
  expect([init.method, init.body, init.headers]).toEqual([
    'POST',
    '{"model":"a"}',
    { 'Content-Type': 'application/json' },
  ]);
});

test('a refusal is returned with its field', async () => {
  const refusal = { field: 'model', problem: 'is missing', hint: '', error: 'model is missing.', busy: false };
  fetchMock.mockResolvedValue(Response.json(refusal, { status: 400 }));
  const reply = await post('models/facts', { model: 'a' });
  expect(reply).toEqual(refusal);
  expect(isRefusal(reply)).toBe(true);
});

test.each([
  ['an unreachable server', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['the page of a proxy', async () => new Response('<h1>Bad Gateway</h1>', { status: 502 })],
  ['JSON of a proxy', async () => Response.json({ detail: 'no' }, { status: 502 })],
])('%s is no response', async (_, respond) => {
  fetchMock.mockImplementation(respond);
  for (const reply of [
    await post('models', {}),
    await stream('data/gallery', {}, () => {}),
    await upload(new File(['x'], 'cat.png')),
  ]) {
    expect(reply).toMatchObject({ error: NO_RESPONSE });
  }
});

test('a stream reports progress, also from lines in several parts', async () => {
  fetchMock.mockImplementation(async () =>
    lines(
      '{"done":0,"total":0,"waiting":"1 request before yours"}\n{"do',
      'ne":1,"total":2,"waiting":""}\n{"reply":{"count":3',
      '}}\n',
    ),
  );
  const reported: unknown[] = [];
  const reply = await stream('data/gallery', {}, (progress) => reported.push(progress));
  expect(reply).toEqual({ count: 3 });
  expect(reported).toEqual([
    { done: 0, total: 0, waiting: '1 request before yours' },
    { done: 1, total: 2, waiting: '' },
  ]);
});

test('a stream ends with a refusal, or without its end', async () => {
  fetchMock.mockResolvedValueOnce(lines('{"done":0,"total":0,"waiting":""}\n', '{"error":"It failed."}\n'));
  expect(await stream('data/gallery', {}, () => {})).toEqual({ error: 'It failed.' });
  fetchMock.mockResolvedValueOnce(lines('{"done":0,"total":0,"waiting":""}\n', '{"rep'));
  expect(await stream('data/gallery', {}, () => {})).toMatchObject({ error: NO_RESPONSE });
});

test('an aborted request throws', async () => {
  fetchMock.mockImplementation(async (_, init) => Promise.reject(init.signal?.reason));
  const superseded = AbortSignal.abort(new Error('superseded'));
  await expect(post('models', {}, superseded)).rejects.toThrow('superseded');
  await expect(stream('data/gallery', {}, () => {}, superseded)).rejects.toThrow('superseded');
});

test('an upload is a form with the file', async () => {
  fetchMock.mockResolvedValue(Response.json({ id: 'abc' }));
  expect(await upload(new File(['x'], 'cat.png'))).toEqual({ id: 'abc' });
  const form = fetchMock.mock.calls[0][1].body as FormData;
  expect((form.get('file') as File).name).toBe('cat.png');
});
