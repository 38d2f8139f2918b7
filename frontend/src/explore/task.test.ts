import { expect, test, vi } from 'vitest';
import type { Explorer } from './state.svelte';
import { CANCELLED, Task } from './task.svelte';

/** A task whose server answers when told to. */
function taskWith() {
  const answers: ((reply: unknown) => void)[] = [];
  const request = vi.fn((name: string, _: unknown) =>
    name === 'task_progress' ? Promise.resolve({ done: 1, total: 4 }) : new Promise((resolve) => answers.push(resolve)),
  );
  const explorer = { host: { request }, reply: { key: 'k' }, shown: {}, ablation: null };
  return { task: new Task(explorer as unknown as Explorer), request, answers };
}

test('a second request cancels the first one, whose reply is dropped', async () => {
  const { task, request, answers } = taskWith();
  const first = task.run('nearest', {});
  const second = task.run('nearest', {});
  const [id, other] = request.mock.calls.filter(([name]) => name === 'nearest').map(([, argument]) => argument);
  expect(id).not.toEqual(other);
  expect(request).toHaveBeenCalledWith('task_progress', { task: (id as { task: string }).task, cancel: true });
  answers[0]({ images: [], count: 1 });
  answers[1]({ images: [], count: 2 });
  expect(await first).toBe(CANCELLED);
  expect(await second).toEqual({ images: [], count: 2 });
  expect(task.progress).toBeNull();
});

test('leaving the page cancels it', async () => {
  const listeners = new Map<string, () => void>();
  vi.stubGlobal('addEventListener', (type: string, listener: () => void) => listeners.set(type, listener));
  vi.stubGlobal('removeEventListener', (type: string) => listeners.delete(type));
  const { task, request, answers } = taskWith();
  const running = task.run('nearest', {});
  listeners.get('pagehide')?.();
  expect(request).toHaveBeenLastCalledWith('task_progress', { task: expect.any(String), cancel: true });
  answers[0]({ error: 'Cancelled.' });
  expect(await running).toBe(CANCELLED);
  expect(listeners.size).toBe(0);
  vi.unstubAllGlobals();
});

test('a task that is not running cancels nothing, and has no progress', () => {
  const { task, request } = taskWith();
  task.cancel();
  expect(request).not.toHaveBeenCalled();
  expect(task.fraction).toBe(0);
});
