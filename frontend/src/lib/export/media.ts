/* Media queries of the page's styles, answered for a figure: as on a light sheet of paper, 1,120 px wide. */

export const WIDTH = 1120; // px

const SIZE = /\((min|max)-width:\s*([\d.]+)px\)/;

/** Whether a media query holds on the sheet. Other features than the width are those of a device. */
export function holds(query: string): boolean {
  return query.split(/\s+and\s+/).every((part) => {
    const [, bound, size] = part.match(SIZE) ?? [];
    if (bound) return bound === 'min' ? WIDTH >= Number(size) : WIDTH <= Number(size);
    return part.trim() === 'print';
  });
}

/** Styles whose media queries are decided. */
export const onPaper = (css: string) =>
  css.replace(/@media([^{]+)\{/g, (_, query) => `@media ${holds(query.trim()) ? 'all' : 'not all'} {`);
