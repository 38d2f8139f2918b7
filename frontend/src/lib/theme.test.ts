import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cssColor, inkOn } from './colors';
import { ThemeColors } from './theme.svelte';

const solid = (value: number) => btoa(String.fromCharCode(...new Uint8Array(3 * 256).fill(value)));
const colors = { light: { seq: solid(1), div: solid(2) }, dark: { seq: solid(3), div: solid(4) } };

let page: { dark: boolean };
let notify: () => void;
let isObserved: boolean;

beforeEach(() => {
  page = { dark: false };
  isObserved = false;
  vi.stubGlobal('document', { body: 'body', documentElement: 'html' });
  vi.stubGlobal(
    'MutationObserver',
    class {
      constructor(callback: () => void) {
        notify = callback;
      }
      observe() {
        isObserved = true;
      }
      disconnect() {
        isObserved = false;
      }
    },
  );
});

afterEach(() => {
  vi.unstubAllGlobals();
});

const elementIn = () => ({ isConnected: true, closest: () => (page.dark ? {} : null) }) as unknown as HTMLElement;
const red = (theme: ThemeColors, kind: 'seq' | 'div') => theme.table(kind)[0] & 255;

test('a pixel as a CSS color', () => {
  expect(cssColor(0xff332211)).toBe('rgb(17 34 51)');
});

test('tables follow the theme', () => {
  const theme = new ThemeColors(elementIn(), colors);
  expect([theme.isDark, red(theme, 'seq'), red(theme, 'div')]).toEqual([false, 1, 2]);
  expect(theme.table('seq')).toBe(theme.table('seq'));
  notify(); // another class of the page
  page.dark = true;
  notify();
  expect([theme.isDark, red(theme, 'seq'), red(theme, 'div')]).toEqual([true, 3, 4]);
});

test('a removed component no longer follows the theme', () => {
  const element = elementIn();
  const theme = new ThemeColors(element, colors);
  expect(isObserved).toBe(true);
  Object.assign(element, { isConnected: false });
  page.dark = true;
  notify();
  expect(isObserved).toBe(false);
  expect(theme.isDark).toBe(false);
});

test('numbers have the ink with more contrast on their color', () => {
  expect(inkOn(0xff_ff_ff_ff)).toBe('#000');
  expect(inkOn(0xff_00_00_00)).toBe('#fff');
  expect(inkOn(0xff_00_80_ff)).toBe('#000'); // orange
  expect(inkOn(0xff_00_00_c0)).toBe('#fff'); // dark red
});
