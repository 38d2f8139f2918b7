/* The list of the model picker: what can be chosen, and what a search finds. */

import type { HubModels, ModelInfo, Suggestion } from '../routes';
import { counted } from '../words';

type Group = 'Shipped' | 'Runs' | 'Opened' | 'Suggested' | 'Hugging Face cache' | 'Open';

export interface Entry {
  /** As the page or `vitviz.load` takes it. */
  name: string;
  /** What the list shows instead of the name. */
  title?: string;
  group: Group;
  /** One line of family, size and classes. */
  detail: string;
  /** What it is good for. */
  use?: string;
  /** Whether the page has it already; others are opened first. */
  isListed: boolean;
}

const HUB = /^(hf|timm|hf[-_]hub|https?):/;

/** "2.7 M" */
export function quantity(count: number) {
  const [unit, scale] = count >= 1e9 ? ['B', 1e9] : count >= 1e6 ? ['M', 1e6] : ['K', 1e3];
  const scaled = count / scale;
  return `${scaled.toFixed(scaled < 10 ? 1 : 0)} ${unit}`;
}

/** "346 MB" */
export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;

/** "0.7 GB" */
export const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(bytes < 1e10 ? 1 : 0)} GB`;

const classesOf = (count: number) => (count ? `${count.toLocaleString('en-US')} classes` : 'no head');

/** "ViT · 2.7 M parameters · 10 classes · 6 layers, 12 heads" */
export function detailOf({ family, parameters, classes, layers, heads }: ModelInfo) {
  const size = `${counted(layers, 'layer', 'layers')}, ${counted(heads, 'head', 'heads')}`;
  return [family, `${quantity(parameters)} parameters`, classesOf(classes), size].join(' · ');
}

const GROUPS = { shipped: 'Shipped', run: 'Runs', opened: 'Opened' } as const;

const ORDER: Group[] = ['Shipped', 'Runs', 'Opened', 'Hugging Face cache', 'Suggested'];

/** "22 M parameters · 224 px · Apache-2.0 · 88 MB download · 0.7 GB memory" */
export function suggestionDetail(model: Suggestion, freeMemory: number | null) {
  const download = model.is_cached ? 'downloaded' : `${megabytes(model.bytes)} download`;
  const isShort = freeMemory !== null && freeMemory < model.memory;
  const memory = `${gigabytes(model.memory)} memory${isShort ? `, ${gigabytes(freeMemory)} free` : ''}`;
  return [`${quantity(model.parameters)} parameters`, `${model.img_size} px`, model.license, download, memory].join(
    ' · ',
  );
}

/** All models that can be chosen, by group; each once. */
export function entriesOf(models: readonly ModelInfo[], hub: Omit<HubModels, 'cache'>): Entry[] {
  const listed = models.map((model): Entry => {
    return { name: model.name, group: GROUPS[model.origin], detail: detailOf(model), isListed: true };
  });
  const suggested = hub.suggested.map((model): Entry => {
    const { name, title, use } = model;
    return { name, title, use, group: 'Suggested', detail: suggestionDetail(model, hub.free_memory), isListed: false };
  });
  const cached = hub.models.map(({ name, family, bytes, classes }): Entry => {
    const detail = [family, megabytes(bytes), ...(classes === null ? [] : [classesOf(classes)])].join(' · ');
    return { name, group: 'Hugging Face cache', detail, isListed: false };
  });
  const byName = new Map([...cached, ...suggested, ...listed].map((entry) => [entry.name, entry]));
  return [...byName.values()].sort((one, other) => ORDER.indexOf(one.group) - ORDER.indexOf(other.group));
}

/** The entries with all words of a search; and, where models may be opened, the text itself as a name or path. */
export function search(entries: readonly Entry[], text: string, canOpen: boolean): Entry[] {
  const query = text.trim();
  const words = query.toLowerCase().split(/\s+/);
  const matches = entries.filter(({ name, title = '', use = '', detail, group }) => {
    const all = [name, title, use, detail, group].join(' ').toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const isKnown = !query || entries.some(({ name }) => name === query);
  if (!canOpen || isKnown) return matches;
  const title = `Open “${query}”`;
  const open: Entry = { name: query, title, group: 'Open', detail: aboutName(query), isListed: false };
  const isStart = matches.some(({ name }) => name.startsWith(query));
  return looksLikeName(query) && !isStart ? [open, ...matches] : [...matches, open];
}

/** Whether a text is a name on the Hub or a path rather than words to search for. */
const looksLikeName = (text: string) => HUB.test(text) || /[/\\]|\.safetensors$/.test(text);

function aboutName(text: string) {
  return HUB.test(text) ? 'from the Hugging Face Hub' : 'path on this computer, or name on the Hub';
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
