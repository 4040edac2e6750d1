// The code that every thread runs. Both functions use only their arguments and functions that every JavaScript engine
// has, because Node starts a helper from the source text of these functions: a worker in Node can load neither
// TypeScript nor a bundled file.
import type { Layout } from './layout.ts';

export interface HelperTask {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  control: SharedArrayBuffer;
  layout: Layout;
  /** The names of the kernels; the caller refers to a kernel by its index in this list. */
  names: string[];
  /** The number of the thread; 0 is the caller. */
  thread: number;
  /** How long a helper without work checks for a new call before it sleeps, in milliseconds. */
  spinMs: number;
}

type Kernel = (...args: number[]) => number | undefined;

/** Creates a function that takes parts of the current call until none is left. */
export function partTaker(
  kernels: Kernel[],
  { control, layout, thread }: Pick<HelperTask, 'control' | 'layout' | 'thread'>,
): () => void {
  const words = new Int32Array(control);
  const numbers = new Float64Array(control);
  const lists = kernels.map((kernel) => Array.from({ length: kernel.length }, () => 0));
  const word = (at: number): number => words[at] as number;

  const runPart = (part: number): void => {
    const index = word(layout.kernel);
    const list = lists[index] as number[];
    const firstRow = part * word(layout.rowsPerPart);
    for (let i = 0; i < list.length; i++) {
      const move = numbers[layout.moves + i] as number;
      list[i] = (numbers[layout.args + i] as number) + firstRow * move;
    }
    list[word(layout.count)] = Math.min(word(layout.rowsPerPart), word(layout.rows) - firstRow);
    if (word(layout.scratchAt) >= 0) list[word(layout.scratchAt)] = word(layout.scratch + thread);
    const result = (kernels[index] as Kernel)(...list) ?? -1;
    if (word(layout.namesBadRow) === 0 || result < 0) return;
    const bad = firstRow + result;
    for (let seen = Atomics.load(words, layout.badRow); bad < seen; seen = Atomics.load(words, layout.badRow))
      Atomics.compareExchange(words, layout.badRow, seen, bad);
  };

  return () => {
    for (;;) {
      const ticket = Atomics.add(words, layout.ticket, 1);
      const part = ticket & 65535;
      if (part >= ticket >>> 16) return;
      try {
        runPart(part);
      } catch (error) {
        const text = String(error).slice(0, layout.faultLength);
        for (let i = 0; i < text.length; i++) words[layout.fault + 1 + i] = text.charCodeAt(i);
        words[layout.fault] = text.length;
      }
      Atomics.add(words, layout.done, 1);
      if (thread > 0 && Atomics.load(words, layout.isCallerAsleep) === 1) Atomics.notify(words, layout.done);
    }
  };
}

/** The main loop of a helper: it reports that it is ready, then takes part in every call until the pool is closed. */
export function serve(makeTaker: typeof partTaker, task: HelperTask, tellReady: () => void): void {
  const { module, memory, control, layout, names, spinMs } = task;
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const take = makeTaker(
    names.map((name) => exports[name] as Kernel),
    task,
  );
  const words = new Int32Array(control);
  let seen = Atomics.load(words, layout.generation);
  tellReady();
  for (;;) {
    const idleSince = performance.now();
    let looks = 0;
    while (Atomics.load(words, layout.generation) === seen) {
      // The clock is read only at every 256th check, because reading it takes as long as many checks.
      if (++looks % 256 > 0 || performance.now() - idleSince < spinMs) continue;
      Atomics.add(words, layout.sleepers, 1);
      Atomics.wait(words, layout.generation, seen);
      Atomics.sub(words, layout.sleepers, 1);
    }
    seen = Atomics.load(words, layout.generation);
    if (Atomics.load(words, layout.isClosing) === 1) return;
    take();
  }
}
