/* The theme of the page, a class of the body. It is stored in the browser; a theme of the link overrides it. */

const KEY = 'vitviz-theme';

export const isDark = () => document.body.classList.contains('dark');

function storedTheme(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function storeTheme(name: string): void {
  try {
    localStorage.setItem(KEY, name);
  } catch {
    // a private window
  }
}

export function restoreTheme(): void {
  const stored = storedTheme();
  const isLinked = new URLSearchParams(location.search).has('__theme');
  if (!isLinked && stored) document.body.classList.toggle('dark', stored === 'dark');
}

export function switchTheme(): void {
  document.body.classList.toggle('dark');
  storeTheme(isDark() ? 'dark' : 'light');
}
