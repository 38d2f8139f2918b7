import { afterEach, expect, test, vi } from 'vitest';
import { dismiss, isDismissed, STOPS, stopAfter } from './tour';

afterEach(() => vi.unstubAllGlobals());

test('keys move through the tour and end it', () => {
  expect(stopAfter('ArrowRight', 0)).toBe(1);
  expect(stopAfter('ArrowRight', STOPS.length - 1)).toBe(STOPS.length - 1);
  expect(stopAfter('ArrowLeft', 0)).toBe(0);
  expect(stopAfter('Escape', 2)).toBeNull();
  expect(stopAfter('x', 2)).toBeUndefined();
});

test('the introduction is dismissed for good', () => {
  const stored = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  });
  expect(isDismissed()).toBe(false);
  dismiss();
  expect(isDismissed()).toBe(true);
});

test('without storage it is offered each time', () => {
  vi.stubGlobal('localStorage', undefined);
  dismiss();
  expect(isDismissed()).toBe(false);
});

test('four stops are read in forty seconds', () => {
  expect(STOPS).toHaveLength(4);
  const words = STOPS.flatMap(({ title, text }) => `${title} ${text}`.split(' '));
  expect(words.length).toBeLessThan(160); // 4 words a second
});
