/* A figure: what is drawn, how it is read, and its sentences. */

import type { Line } from '../lib/words';
import type { DotChart } from './dots';
import type { LayerCurves } from './layerCurves';
import type { Places } from './places';
import type { SquareMatrix } from './square';
import type { Stacks } from './stacks';
import type { TilePlan } from './tiles';

export type Chart =
  | { kind: 'tiles'; plan: TilePlan }
  | { kind: 'dots'; dots: DotChart }
  | { kind: 'curves'; curves: LayerCurves }
  | { kind: 'stacks'; stacks: Stacks }
  | { kind: 'square'; square: SquareMatrix };

/** A color bar, and the words at its ends. */
export interface Bar {
  kind: 'seq' | 'div';
  words: string[];
}

export interface Figure {
  chart: Chart;
  places: Places;
  /** The summary. */
  finding: Line;
  /** The value at a place. */
  read: (index: number) => Line;
  bar?: Bar;
  /** The head of a place, which a click opens in Explore. */
  headOf?: (index: number) => Head;
}

export interface Head {
  layer: number;
  head: number;
}

export const bold = (text: string) => ({ strong: text });
