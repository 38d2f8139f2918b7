import { expect, test } from 'vitest';
import { RefusedError } from '../lib/refused';
import { ModelEngine } from './modelEngine';
import { serve } from './worker';
import { type Port, WorkerPool } from './workerPool';

interface Sent {
  method?: string;
  args?: unknown[];
}

/** Ports that keep the messages sent to them, without their files. */
function ports() {
  const sent: { worker: number; message: Sent; port: Port }[] = [];
  let count = 0;
  const start = (): Port => {
    const worker = count++;
    const port: Port = {
      onmessage: null,
      onerror: null,
      terminate: () => {},
      postMessage: (message) => {
        if ('method' in (message as Sent)) sent.push({ worker, message: message as Sent, port });
      },
    };
    return port;
  };
  return { sent, pool: new WorkerPool(new ArrayBuffer(0), 2, start) };
}

const { signal } = new AbortController();
const GIVEN = { key: 'a', pixels: new Float32Array(0), ablations: [] };

test('a call that is aborted while it waits is not sent', async () => {
  const { sent, pool } = ports();
  const first = pool.call('similarity', [GIVEN, { patch: 1 }], signal);
  const abort = new AbortController();
  const second = pool.call('similarity', [GIVEN, { patch: 2 }], abort.signal);
  const third = pool.call('similarity', [GIVEN, { patch: 3 }], signal);
  abort.abort();
  await expect(second).rejects.toThrow('abort');
  sent[0].port.onmessage?.({ data: { result: 'first' } });
  await expect(first).resolves.toBe('first');
  expect(sent.map(({ message }) => message.args?.[1])).toEqual([{ patch: 1 }, { patch: 3 }]);
  sent[1].port.onmessage?.({ data: { refusal: 'No.' } });
  await expect(third).rejects.toEqual(new RefusedError('No.'));
});

test('the workers share parts, whose results keep their order', async () => {
  const { sent, pool } = ports();
  const all = pool.share([0, 1, 2], (part, worker) => pool.call('logits', [GIVEN, [[part]]], signal, worker));
  expect(sent.map(({ worker }) => worker)).toEqual([0, 1]);
  sent[1].port.onmessage?.({ data: { result: 'b' } });
  await new Promise(setImmediate); // all promises are settled
  expect(sent.length).toBe(3);
  sent[2].port.onmessage?.({ data: { result: 'c' } });
  sent[0].port.onmessage?.({ data: { result: 'a' } });
  await expect(all).resolves.toEqual(['a', 'b', 'c']);
});

test('a worker that stops refuses all of its calls, and the next call starts another one', async () => {
  const { sent, pool } = ports();
  const calls = [1, 2].map((patch) => pool.call('similarity', [GIVEN, { patch }], signal));
  sent[0].port.onerror?.({ message: '' });
  for (const call of calls) await expect(call).rejects.toThrow('did not start its worker');
  const next = pool.call('similarity', [GIVEN, { patch: 3 }], signal);
  expect(sent.map(({ worker }) => worker)).toEqual([0, 1]);
  sent[1].port.onmessage?.({ data: { result: 'third' } });
  await expect(next).resolves.toBe('third');
  pool.stop();
});

test('where workers are forbidden, a call is refused by a sentence', async () => {
  const start = () => {
    throw new DOMException('forbidden', 'SecurityError');
  };
  const call = new WorkerPool(new ArrayBuffer(0), 1, start).call('similarity', [GIVEN, { patch: 1 }], signal);
  await expect(call).rejects.toEqual(new RefusedError('The model stopped: SecurityError: forbidden.'));
});

test('a damaged file is refused, by the engine and by a worker', () => {
  const file = new TextEncoder().encode('<!doctype html>').buffer;
  const image = () => Promise.reject(new Error('no image'));
  expect(() => new ModelEngine({ file, image })).toThrow('complete checkpoint');
  const answers: unknown[] = [];
  const answer = serve((message) => answers.push(message));
  answer({ file });
  answer({ method: 'explain', args: [] });
  expect(answers).toEqual([{ refusal: expect.stringContaining('complete checkpoint') }]);
});
