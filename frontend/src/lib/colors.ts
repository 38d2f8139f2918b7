/* Colors as canvas pixels and as CSS. */

/** A pixel as canvas memory holds it (alpha, blue, green, red) -> CSS. */
export function cssColor(pixel: number) {
  return `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;
}

/** Black or white, whichever has more contrast on a color (relative luminance as in WCAG 2).
    @param pixel alpha, blue, green, red, as canvas memory holds them */
export function inkOn(pixel: number): string {
  const linear = (shift: number) => {
    const value = ((pixel >>> shift) & 255) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(0) + 0.7152 * linear(8) + 0.0722 * linear(16) > 0.179 ? '#000' : '#fff';
}
