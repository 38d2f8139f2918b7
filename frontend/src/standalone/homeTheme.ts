/* Light or dark where Gradio does not say it: the theme of the notebook, else the one that the system prefers. */

const SCHEME = '(prefers-color-scheme: dark)';

export function prefersDark(body: HTMLElement, matches: boolean): boolean {
  const { jpThemeLight } = body.dataset; // JupyterLab
  if (jpThemeLight !== undefined) return jpThemeLight === 'false';
  if (body.classList.contains('vscode-dark') || body.classList.contains('vscode-high-contrast')) return true;
  return matches && !body.classList.contains('vscode-light');
}

/** Set the class `dark` of an element now and whenever the theme changes. Returns a function that ends it. */
export function followTheme(element: HTMLElement): () => void {
  const query = matchMedia(SCHEME);
  const update = () => element.classList.toggle('dark', prefersDark(document.body, query.matches));
  const observer = new MutationObserver(update);
  observer.observe(document.body, { attributes: true, attributeFilter: ['class', 'data-jp-theme-light'] });
  query.addEventListener('change', update);
  update();
  return () => {
    observer.disconnect();
    query.removeEventListener('change', update);
  };
}
