/* Ablations of small models in the browser, at once, next to a server that is the reference: where the two differ on an
   image, the server explains it. */

import { bytesOf, floatsOf } from '../lib/base64';
import { post } from '../lib/server';
import { type Subject, wholeOf } from '../lib/view';
import type { Engine, Explained, Report } from '../session/engine';
import { BrowserEngine, type Request } from './browserEngine';

const TOLERANCE = 1e-4;
const MAX_KEPT = 8; // explanations of the server
const LOCAL: readonly Request[] = ['explain', 'attention', 'rows'];

const keyOf = (subject: Subject) => JSON.stringify(wholeOf(subject));

export function besideServer(server: Engine): Engine {
  const wholes = new Map<string, Explained>();
  const engines = new Map<string, Promise<Engine | null>>();
  const checked = new Map<string, Promise<Engine>>();

  const python = withExplain(server, async (subject: Subject, signal: AbortSignal, report?: Report) => {
    const known = wholes.get(JSON.stringify(subject));
    const reply = known ?? (await server.explain(subject, signal, report));
    if (!subject.ablations.length) wholes.set(keyOf(subject), reply);
    for (const oldest of wholes.keys()) if (wholes.size > MAX_KEPT) wholes.delete(oldest);
    return reply;
  });

  /** The model in the browser, or null if it cannot run there. */
  function open(model: string): Promise<Engine | null> {
    const found = engines.get(model) ?? openFrom(model).catch(() => null);
    engines.set(model, found);
    return found;
  }

  async function openFrom(model: string) {
    const [{ openModel }, { file }] = await Promise.all([import('./openModel'), post('models/weights', { model })]);
    return openModel(bytesOf(file).buffer, null, python, model);
  }

  /** The engine that explains the ablations of a subject: the one in the browser if it agrees with the server. */
  async function choose(subject: Subject): Promise<Engine> {
    const engine = await open(subject.model);
    if (!engine) return server;
    const whole = wholeOf(subject);
    const { signal } = new AbortController(); // of all who explain the image
    const [reference, own] = await Promise.all([
      python.explain(whole, signal),
      engine.explain(whole, signal).catch(() => null),
    ]);
    if (!own) return server; // its workers do not start
    const agrees = differenceOf(reference, own) <= TOLERANCE;
    const [answers, note] = agrees ? [engine, ''] : [server, ` · ${DIFFERS}`];
    return withExplain(answers, async (...request) => {
      const { image, ...found } = await answers.explain(...request);
      const shown = { ...image, note: `${image.note}${note}` };
      return { ...found, methods: reference.methods, credit: reference.credit, image: shown };
    });
  }

  return new BrowserEngine({
    python,
    files: null,
    answers: (request, subject) => !LOCAL.includes(request) || !subject.ablations.length,
    load(subject) {
      const key = keyOf(subject);
      const found = checked.get(key) ?? choose(subject);
      checked.set(key, found);
      for (const oldest of checked.keys()) if (checked.size > MAX_KEPT) checked.delete(oldest);
      return found;
    },
  });
}

/** An engine with another function that explains. */
function withExplain(engine: Engine, explain: Engine['explain']): Engine {
  return new Proxy(engine, {
    get(target, name) {
      if (name === 'explain') return explain;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const DIFFERS = 'the server computes the ablations, as this browser does so with another result';

/** Largest difference of probabilities and attention. */
function differenceOf(one: Explained, other: Explained): number {
  const [a, b] = [floatsOf(one.cls), floatsOf(other.cls)];
  const ofAttention = a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);
  return one.probabilities.reduce(
    (most, value, k) => Math.max(most, Math.abs(value - other.probabilities[k])),
    ofAttention,
  );
}
