/* Colors as canvas pixels and as CSS. */

/** A pixel as canvas memory holds it (alpha, blue, green, red) -> CSS. */
export function cssColor(pixel: number) {
  return `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;
}

export { ThemeColors } from './theme.svelte';
