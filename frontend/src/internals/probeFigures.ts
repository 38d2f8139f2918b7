import type { Probes } from '../lib/routes';
import type { Probe } from './captions';
import { decision, distance, effective, heads, lens, norms, sinks } from './charts';
import type { Figure } from './figure';
import { cka, cosine, divergence, filters, positions } from './maps';

/** The figure of each probe, for a stage of given width. */
export const FIGURES: Record<Probe, (reply: Probes, width: number) => Figure> = {
  filters,
  positions,
  distance,
  effective,
  divergence,
  norms,
  lens,
  cosine,
  cka,
  sinks,
  heads,
  decision,
};
