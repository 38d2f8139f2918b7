/* What the Prediction column shows. */

export const LISTED = 5; // rows of classes

export const MANY_CLASSES = 50; // more are searched instead of listed

/** Names of the classes, each with its number if another class has the same. */
export function uniqueNames(classes: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of classes) counts.set(name, (counts.get(name) ?? 0) + 1);
  return classes.map((name, k) => (counts.get(name) === 1 ? name : `${name} (${k})`));
}

/** The class that a text names: its name, else the first name with that text; -1 for none. */
export function findClass(names: readonly string[], text: string): number {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return -1;
  const lower = names.map((name) => name.toLowerCase());
  const exact = lower.indexOf(wanted);
  return exact >= 0 ? exact : lower.findIndex((name) => name.includes(wanted));
}

/** The classes with a row: the four most likely for the unchanged image, whose order stays fixed under ablations, and the
    explained class or, if that is one of them, the most likely of the others. */
export function listedClasses(old: readonly number[], now: readonly number[], explained = -1): number[] {
  const order = old.map((_, k) => k).sort((a, b) => old[b] - old[a]);
  const others = order.splice(LISTED - 1).sort((a, b) => now[b] - now[a]);
  return [...order, ...(others.includes(explained) ? [explained] : others.slice(0, 1))];
}
