// Tests the pool with helpers that are slow, do not start, fail, or end unexpectedly.
import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { DeviceLostError } from '../../../base/errors.ts';
import type { WasmExports } from '../wasmExports.ts';
import { type Helper, startHelper } from './helpers.ts';
import { type PartedCall, Pool, type PoolOptions } from './pool.ts';
import type { HelperTask } from './serve.ts';
import { forSharedMemory } from './sharedModule.ts';

const [from, to, count] = [65536, 131072, 64];
const square = 3;
/** A call that squares numbers, eight in each part. */
const squares: PartedCall = {
  ...{ name: 'unary', args: [square, from, to, count], count: 3, rowsPerPart: 8 },
  moves: [
    [1, 4],
    [2, 4],
  ],
};
/** A call like `squares`, except that its later parts write beyond the end of the memory. */
const beyond: PartedCall = {
  ...squares,
  moves: [
    [1, 4],
    [2, 0x1000000],
  ],
};

let whole: PoolOptions;
let view: Float32Array;
const pools: Pool[] = [];

beforeAll(async () => {
  const bytes = forSharedMemory(await readFile(new URL('../kernels.wasm', import.meta.url))) as Uint8Array<ArrayBuffer>;
  const module = await WebAssembly.compile(bytes);
  const memory = new WebAssembly.Memory({ initial: 16, maximum: 16, shared: true });
  const exports = (await WebAssembly.instantiate(module, { env: { memory } })).exports as unknown as WasmExports;
  whole = { module, memory, exports, threads: 2, patienceMs: 20_000 };
  view = new Float32Array(memory.buffer, to, count);
  new Float32Array(memory.buffer, from, count).fill(3);
});
afterEach(() => {
  for (const pool of pools.splice(0)) pool.close();
});

async function open(more: Partial<PoolOptions> = {}): Promise<Pool> {
  const pool = await Pool.open({ ...whole, ...more });
  pools.push(pool);
  return pool;
}

/** A fake helper. `stopped` returns how often it was ended, and `die` simulates its unexpected end. */
function standIn(ready: Promise<void>): { start: () => Helper; stopped: () => number; die: () => void } {
  let stops = 0;
  const deaths: (() => void)[] = [];
  const helper: Helper = { ready, stop: () => void stops++, onDeath: (hear) => void deaths.push(hear) };
  return {
    start: () => helper,
    stopped: () => stops,
    die: () => {
      for (const hear of deaths) hear();
    },
  };
}

it('thousands of calls in a row are all complete, whether helpers are awake or asleep', async () => {
  const pool = await open({ threads: 3 });
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let call = 0; call < 5000; call++) {
    view.fill(NaN);
    if (call % 50 === 0) Atomics.wait(pause, 0, 0, 0.2);
    pool.run(squares);
    if (!view.every((value) => value === 9)) expect.unreachable(`call ${call} left a part undone`);
  }
  expect(pool.threads).toBe(3);
});

it('helpers without work sleep', async () => {
  const pool = await open({ threads: 3 });
  pool.run(squares);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const before = process.cpuUsage();
  await new Promise((resolve) => setTimeout(resolve, 300));
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(150);
});

it('a helper that never takes a part costs nothing but its share', async () => {
  const pool = await open({ start: standIn(Promise.resolve()).start });
  view.fill(NaN);
  pool.run(squares);
  expect(view.every((value) => value === 9)).toBe(true);
});

it('the pool waits for helpers that need seconds to start on a busy machine', async () => {
  vi.useFakeTimers();
  try {
    const late = standIn(new Promise((resolve) => setTimeout(resolve, 10_000)));
    const { patienceMs: _, ...usual } = whole;
    const opening = Pool.open({ ...usual, start: late.start });
    await vi.advanceTimersByTimeAsync(10_000);
    pools.push(await opening);
    expect(pools[0]?.threads).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});

it('helpers that do not start in time are ended and reported', async () => {
  const slow = standIn(new Promise(() => undefined));
  await expect(open({ start: slow.start, threads: 4, patienceMs: 20 })).rejects.toThrow('did not start in time');
  expect(slow.stopped()).toBe(3);
});

it('helpers that cannot start are ended and reported at once', async () => {
  const broken = standIn(Promise.reject(new Error('no worker-src')));
  await expect(open({ start: broken.start })).rejects.toThrow('no worker-src');
  expect(broken.stopped()).toBe(1);
});

it('a part that fails on any thread is an error that names the kernel, and the next call works', async () => {
  const pool = await open();
  for (let call = 0; call < 20; call++)
    expect(() => {
      pool.run(beyond);
    }).toThrow(/simd: a part of unary failed: RuntimeError/);
  view.fill(NaN);
  pool.run(squares);
  expect(view.every((value) => value === 9)).toBe(true);
});

it('a helper that dies leaves one thread', async () => {
  const mortal = standIn(Promise.resolve());
  const pool = await open({ start: mortal.start });
  expect(pool.threads).toBe(2);
  mortal.die();
  expect(pool.threads).toBe(1);
});

it('closing ends the threads, and may be repeated', async () => {
  const ends: Promise<void>[] = [];
  const start = (task: HelperTask): Helper => {
    const helper = startHelper(task);
    ends.push(
      new Promise((resolve) => {
        helper.onDeath(resolve);
      }),
    );
    return helper;
  };
  const pool = await open({ threads: 3, start });
  pool.close();
  pool.close();
  expect(pool.threads).toBe(1);
  expect(await Promise.all(ends)).toHaveLength(2);
});

it('a helper that ends during its part counts as a lost device', async () => {
  const thieves: Worker[] = [];
  const pool = await open({
    answerMs: 100,
    start: (task) => {
      const thief = new Worker(thiefText, { eval: true, workerData: task satisfies HelperTask });
      thieves.push(thief);
      const ready = new Promise<void>((resolve) => {
        thief.on('message', () => {
          resolve();
        });
      });
      return { ready, stop: () => void thief.terminate(), onDeath: () => undefined };
    },
  });
  const many: PartedCall = { ...squares, rowsPerPart: 1 };
  expect(() => {
    for (let call = 0; call < 10_000; call++) pool.run(many);
  }).toThrow(DeviceLostError);
  expect(pool.threads).toBe(1);
  await Promise.all(thieves.map((thief) => thief.terminate()));
});

/** The code of a thread that takes a part of a call and never completes it. */
const thiefText = `
  const { parentPort, workerData: { control, layout } } = require('node:worker_threads');
  const words = new Int32Array(control);
  parentPort.postMessage('ready');
  for (;;) {
    const ticket = Atomics.load(words, layout.ticket);
    if ((ticket & 65535) >= ticket >>> 16) continue;
    const taken = Atomics.add(words, layout.ticket, 1);
    if ((taken & 65535) < taken >>> 16) break;
  }
`;
