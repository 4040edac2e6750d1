// Tests which requests wait for the engine, and what happens when a client disconnects.
import { expect, it } from 'vitest';
import { BusyError, LeftError } from './http.ts';
import { Line } from './line.ts';

/** A task that ends when the test calls `end`. */
function work() {
  let end: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (end = resolve));
  return { end, begin: () => done };
}

it('the queue serves one client after the other, and continues after work that fails', async () => {
  const line = new Line();
  const served: number[] = [];
  const first = line.join(() => Promise.reject(new Error('no')));
  const others = [1, 2].map((n) => line.join(() => Promise.resolve(served.push(n))));
  await expect(first).rejects.toThrow('no');
  await Promise.all(others);
  expect(served).toEqual([1, 2]);
});

it('a client that leaves the queue is never served, and the next one takes its place immediately', async () => {
  const line = new Line();
  const long = work();
  const served = line.join(long.begin);
  const clients = Array.from({ length: 63 }, () => new AbortController());
  const gone = clients.map(({ signal }) => line.join(() => Promise.reject(new Error('served')), signal));
  await expect(line.join(() => Promise.resolve())).rejects.toThrow(BusyError);
  for (const client of clients) client.abort();
  for (const one of gone) await expect(one).rejects.toThrow(LeftError);
  await expect(line.join(() => Promise.resolve(), AbortSignal.abort())).rejects.toThrow(LeftError);
  const next = line.join(() => Promise.resolve('next'));
  long.end();
  await served;
  expect(await next).toBe('next');
});
