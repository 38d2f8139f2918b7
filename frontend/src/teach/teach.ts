/* Teach your own classes, a view of the Train page. */

import type { Host } from '../lib/host';
import { Teaching } from './teaching.svelte';
import '../lib/stage.css';
import './teach.css';

export { default } from './Teach.svelte';

/** Make the state; the model of a link may be newer than the page's first lists. */
export async function open(host: Host) {
  const model = new URLSearchParams(location.search).get('model');
  if (model && !host.catalog.model(model)) await host.catalog.refresh();
  return new Teaching(host);
}
