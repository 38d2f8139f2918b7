import { afterEach, expect, test, vi } from 'vitest';
import { post } from '../lib/server';
import { isStored, keyOf, useReplies } from './replies';

const REQUEST = {
  subject: { model: 'ti4', image: { kind: 'sample', name: 'Überblick' }, ablations: [] },
  layer: 1,
  crop: 0.5,
};

afterEach(() => vi.unstubAllGlobals());

test('a key is that of Python, whatever the order of the fields', () => {
  const { subject, ...rest } = REQUEST;
  expect(keyOf('explanations/lesson/head', REQUEST)).toBe('5597885c');
  expect(keyOf('explanations/lesson/head', { ...rest, subject })).toBe('5597885c');
  expect(keyOf('explanations', REQUEST)).not.toBe('5597885c');
});

test('a static page has the replies that were written, and refuses other requests', async () => {
  const fetched = vi.fn().mockResolvedValue(Response.json({ models: [] }));
  vi.stubGlobal('fetch', fetched);
  vi.stubGlobal('document', { baseURI: 'https://example.org/vit/?tab=learn' });
  useReplies([keyOf('models', {})]);
  expect(isStored('models', {})).toBe(true);
  expect(await post('models', {})).toEqual({ models: [] });
  expect(String(fetched.mock.calls[0][0])).toBe(`https://example.org/vit/replies/${keyOf('models', {})}.json`);
  await expect(post('models/facts', { model: 'a' })).rejects.toThrow('running vitviz');
});
