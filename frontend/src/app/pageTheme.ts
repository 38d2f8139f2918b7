/* The theme of the page, a class of the body. It is stored in the browser; a theme of the link overrides it. */

const KEY = 'vitviz-theme';

const isDark = () => document.body.classList.contains('dark');

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

/** Print in light colors. */
export function printLight(): void {
  let wasDark = false;
  window.addEventListener('beforeprint', () => {
    wasDark = isDark();
    document.body.classList.remove('dark');
  });
  window.addEventListener('afterprint', () => {
    document.body.classList.toggle('dark', wasDark);
  });
}

export function switchTheme(): void {
  document.body.classList.toggle('dark');
  storeTheme(isDark() ? 'dark' : 'light');
}
