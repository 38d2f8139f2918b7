import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NO_RESPONSE, RefusedError } from './refused';
import { post, stream, upload } from './server';

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

test('a refusal has its field', async () => {
  const refusal = { field: 'model', problem: 'is missing', hint: '', error: 'model is missing.', busy: true };
  fetchMock.mockImplementation(async () => Response.json(refusal, { status: 400 }));
  const failed = post('models/facts', { model: 'a' });
  await expect(failed).rejects.toThrow(RefusedError);
  await expect(failed).rejects.toMatchObject({ field: 'model', message: 'model is missing.', isBusy: true });
});

test.each([
  ['an unreachable server', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['the page of a proxy', async () => new Response('<h1>Bad Gateway</h1>', { status: 502 })],
  ['JSON of a proxy', async () => Response.json({ detail: 'no' }, { status: 502 })],
])('%s is not a response', async (_, respond) => {
  fetchMock.mockImplementation(respond);
  for (const request of [
    () => post('models', {}),
    () => stream('data/gallery', {}, () => {}),
    () => upload(new File(['x'], 'cat.png')),
  ]) {
    await expect(request()).rejects.toMatchObject({ message: NO_RESPONSE, isUnreachable: true });
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

test('a stream that ends with a refusal, or too early, throws', async () => {
  fetchMock.mockResolvedValueOnce(lines('{"done":0,"total":0,"waiting":""}\n', '{"error":"It failed."}\n'));
  await expect(stream('data/gallery', {}, () => {})).rejects.toMatchObject({ message: 'It failed.' });
  fetchMock.mockResolvedValueOnce(lines('{"done":0,"total":0,"waiting":""}\n', '{"rep'));
  await expect(stream('data/gallery', {}, () => {})).rejects.toMatchObject({ isUnreachable: true });
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
