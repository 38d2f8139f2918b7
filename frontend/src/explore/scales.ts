/* Scales of the maps. */

import type { MethodInfo } from '../lib/api';
import type { Scale } from '../lib/numbers';

/** The scale of a method's map: from 0 to its maximum, or symmetric about 0 for signed methods. */
export function methodScale(method: MethodInfo, values: number[]): Scale {
  const limit = Math.max(...values.map(Math.abs)) || 1;
  if (method.unit === 'logits') return { kind: 'signed', limit, isWeight: false };
  return { kind: 'linear', limit, clips: false, isWeight: method.unit === 'weights' };
}

/** The color table of a scale. */
export const tableKind = (scale: Scale) => (scale.kind === 'linear' ? 'seq' : 'div');
