/* Workers with the same model. Each computes one call at a time, so that a call that is aborted while it waits costs
   nothing. */

import { RefusedError } from '../lib/refused';
import type { Explainer } from './explainer';
import type { Answer, Call } from './worker';

export type Method = {
  [K in keyof Explainer]: Explainer[K] extends (...args: never[]) => unknown ? K : never;
}[keyof Explainer];
export type Args<M extends Method> = Parameters<Explainer[M]>;
export type Result<M extends Method> = ReturnType<Explainer[M]>;

/** A worker, or what stands for one. */
export interface Port {
  postMessage(message: unknown): void;
  onmessage: ((event: { data: Answer }) => void) | null;
  onerror: ((event: { message: string }) => void) | null;
  terminate(): void;
}

interface Waiting {
  call: Call;
  signal: AbortSignal;
  resolve: (result: never) => void;
  reject: (reason: unknown) => void;
}

class Worker {
  readonly #port: Port;
  readonly #waiting: Waiting[] = [];
  #current: Waiting | null = null;

  /** @param onstop called when it does not answer any more */
  constructor(port: Port, file: ArrayBuffer, onstop: () => void) {
    this.#port = port;
    port.onmessage = ({ data }) => {
      if ('result' in data) this.#current?.resolve(data.result as never);
      else this.#current?.reject(new RefusedError(data.refusal));
      this.#next();
    };
    port.onerror = ({ message }) => {
      onstop();
      for (const { reject } of [this.#current, ...this.#waiting].filter((one) => one !== null))
        reject(stopped(message));
    };
    port.postMessage({ file });
  }

  add(waiting: Waiting) {
    const { signal } = waiting;
    signal.addEventListener('abort', () => waiting.reject(signal.reason), { once: true });
    this.#waiting.push(waiting);
    if (!this.#current) this.#next();
  }

  #next() {
    do this.#current = this.#waiting.shift() ?? null;
    while (this.#current?.signal.aborted);
    if (this.#current) this.#port.postMessage(this.#current.call);
  }

  stop() {
    this.#port.terminate();
  }
}

export class WorkerPool {
  readonly #workers: Worker[] = [];

  /** @param start starts a worker */
  constructor(
    readonly file: ArrayBuffer,
    readonly count: number,
    readonly start: () => Port,
  ) {}

  #worker(i: number) {
    const forget = () => delete this.#workers[i]; // the next call starts another one
    try {
      this.#workers[i] ??= new Worker(this.start(), this.file, forget);
    } catch (error) {
      throw stopped(String(error)); // no workers, or a policy that forbids them
    }
    return this.#workers[i];
  }

  /** Call a method of `Explainer` in a worker, by default the first one. */
  call<M extends Method>(method: M, args: Args<M>, signal: AbortSignal, worker = 0): Promise<Result<M>> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      this.#worker(worker).add({ call: { method, args }, signal, resolve, reject });
    });
  }

  /** Map parts to results in all workers. */
  async share<T, R>(parts: readonly T[], run: (part: T, worker: number) => Promise<R>): Promise<R[]> {
    const results: R[] = [];
    let next = 0;
    const work = async (worker: number) => {
      while (next < parts.length) {
        const i = next++;
        results[i] = await run(parts[i], worker);
      }
    };
    await Promise.all(Array.from({ length: Math.min(this.count, parts.length) }, (_, worker) => work(worker)));
    return results;
  }

  /** End the workers. */
  stop() {
    for (const worker of this.#workers.splice(0)) worker?.stop();
  }
}

const stopped = (reason: string) =>
  new RefusedError(`The model stopped: ${reason || 'this browser did not start its worker'}.`);
