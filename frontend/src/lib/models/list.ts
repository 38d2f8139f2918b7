/* The list of the model picker: what can be chosen, and what a search finds. */

import type { FoundModel, ModelInfo } from '../routes';
import { counted } from '../words';

export interface Entry {
  /** As the page or `vitviz.load` takes it. */
  name: string;
  group: 'Shipped' | 'Runs' | 'Opened' | 'Hugging Face cache' | 'Open';
  /** One line of family, size and classes. */
  detail: string;
  /** Whether the page has it already; others are opened first. */
  isListed: boolean;
}

const HUB = /^(hf|timm):/;

/** "2.7 M" */
export function quantity(count: number) {
  const [unit, scale] = count >= 1e9 ? ['B', 1e9] : count >= 1e6 ? ['M', 1e6] : ['K', 1e3];
  const scaled = count / scale;
  return `${scaled.toFixed(scaled < 10 ? 1 : 0)} ${unit}`;
}

/** "346 MB" */
export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;

const classesOf = (count: number) => (count ? `${count.toLocaleString('en-US')} classes` : 'no head');

/** "ViT · 2.7 M parameters · 10 classes · 6 layers, 12 heads" */
export function detailOf({ family, parameters, classes, layers, heads }: ModelInfo) {
  const size = `${counted(layers, 'layer', 'layers')}, ${counted(heads, 'head', 'heads')}`;
  return [family, `${quantity(parameters)} parameters`, classesOf(classes), size].join(' · ');
}

const GROUPS = { shipped: 'Shipped', run: 'Runs', opened: 'Opened' } as const;

/** All models that can be chosen, by group.
    @param found models of the cache */
export function entriesOf(models: readonly ModelInfo[], found: readonly FoundModel[]): Entry[] {
  const listed = models.map((model): Entry => {
    return { name: model.name, group: GROUPS[model.origin], detail: detailOf(model), isListed: true };
  });
  const names = new Set(models.map(({ name }) => name));
  const cached = found
    .filter(({ name }) => !names.has(name))
    .map(({ name, family, bytes, classes }): Entry => {
      const detail = [family, megabytes(bytes), ...(classes === null ? [] : [classesOf(classes)])].join(' · ');
      return { name, group: 'Hugging Face cache', detail, isListed: false };
    });
  const order: Entry['group'][] = ['Shipped', 'Runs', 'Opened', 'Hugging Face cache'];
  return [...listed, ...cached].sort((one, other) => order.indexOf(one.group) - order.indexOf(other.group));
}

/** The entries with all words of a search; and, where models may be opened, the text itself as a name or path. */
export function search(entries: readonly Entry[], text: string, canOpen: boolean): Entry[] {
  const query = text.trim();
  const words = query.toLowerCase().split(/\s+/);
  const matches = entries.filter(({ name, detail, group }) => {
    const all = `${name} ${detail} ${group}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const isKnown = !query || entries.some(({ name }) => name === query);
  if (!canOpen || isKnown) return matches;
  const open: Entry = { name: query, group: 'Open', detail: aboutName(query), isListed: false };
  const isStart = matches.some(({ name }) => name.startsWith(query));
  return looksLikeName(query) && !isStart ? [open, ...matches] : [...matches, open];
}

/** Whether a text is a name on the Hub or a path rather than words to search for. */
const looksLikeName = (text: string) => HUB.test(text) || /[/\\]|\.safetensors$/.test(text);

function aboutName(text: string) {
  return HUB.test(text) ? 'from the Hugging Face Hub' : 'file or folder on this computer';
}

/** The index of the option that a key leads to; undefined for other keys. */
export function optionAfter(key: string, at: number, count: number): number | undefined {
  if (!count) return undefined;
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return (at - 1 + count) % count;
  if (key === 'PageDown') return Math.min(at + 5, count - 1);
  if (key === 'PageUp') return Math.max(at - 5, 0);
  return undefined;
}
