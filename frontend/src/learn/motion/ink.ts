/* The colors of the stage, those of the page. */

import type { ThemeColors } from '../../lib/theme.svelte';
import type { Ink } from './pen';

const VARIABLES = {
  page: '--page',
  fill: '--fill',
  line: '--hairline',
  control: '--control-line',
  text: '--ink',
  quiet: '--quiet',
  accent: '--color-accent',
} as const;

/** @param element in the page, whose style has the colors */
export function inkOf(theme: ThemeColors, element: Element): Ink {
  const style = getComputedStyle(element);
  const colors = Object.entries(VARIABLES).map(([name, variable]) => [name, style.getPropertyValue(variable).trim()]);
  return { ...Object.fromEntries(colors), font: style.fontFamily, seq: theme.table('seq'), div: theme.table('div') };
}
