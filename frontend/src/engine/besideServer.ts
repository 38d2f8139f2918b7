/* Ablations of small models in the browser, at once, next to a server that is the reference: where the two differ on an
   image, the server explains it. */

import { bytesOf, floatsOf } from '../lib/base64';
import { post } from '../lib/server';
import { type Subject, wholeOf } from '../lib/view';
import type { Engine, Explained, ReplyTo, Report } from '../session/engine';
import { BrowserEngine } from './browserEngine';

const TOLERANCE = 1e-4;
const MAX_KEPT = 8; // explanations of the server

const keyOf = (subject: Subject) => JSON.stringify(wholeOf(subject));

export function besideServer(server: Engine): Engine {
  const wholes = new Map<string, Explained>();
  const engines = new Map<string, Promise<Engine | null>>();
  const checked = new Map<string, Promise<Engine>>();

  const python = withExplain(server, async (subject, signal, report) => {
    const known = wholes.get(JSON.stringify(subject));
    const reply = known ?? (await server.request('explanations', { subject }, signal, report));
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
      python.request('explanations', { subject: whole }, signal, () => {}),
      engine.request('explanations', { subject: whole }, signal, () => {}).catch(() => null),
    ]);
    if (!own) return server; // its workers do not start
    const agrees = differenceOf(reference, own) <= TOLERANCE;
    const [answers, note] = agrees ? [engine, ''] : [server, ` · ${DIFFERS}`];
    return withExplain(answers, async (subject, ...rest) => {
      const { image, ...found } = await answers.request('explanations', { subject }, ...rest);
      const shown = { ...image, note: `${image.note}${note}` };
      return { ...found, methods: reference.methods, credit: reference.credit, image: shown };
    });
  }

  return new BrowserEngine({
    python,
    files: null,
    answers: (_, request) => !(request as { subject: Subject }).subject.ablations.length,
    load(subject) {
      const key = keyOf(subject);
      const found = checked.get(key) ?? choose(subject);
      checked.set(key, found);
      for (const oldest of checked.keys()) if (checked.size > MAX_KEPT) checked.delete(oldest);
      return found;
    },
  });
}

type Explain = (subject: Subject, signal: AbortSignal, report: Report) => Promise<Explained>;

/** An engine with another function that explains. */
const withExplain = (engine: Engine, explain: Explain): Engine => ({
  isLive: true,
  openImage: (...file) => engine.openImage(...file),
  request: async (route, request, signal, ...report) =>
    route === 'explanations'
      ? (explain((request as { subject: Subject }).subject, signal, ...(report as [Report])) as ReplyTo<never>)
      : engine.request(route, request, signal, ...report),
});

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
