// Manages the helper threads and distributes the caller's work among them. A call is divided into parts. The caller and
// the helpers each take the next free part until none is left, so if a helper is late or gets no processor time, the
// others process more parts.
import { DeviceLostError } from '../../../base/errors.ts';
import { spoken } from '../../../base/spoken.ts';
import { type Helper, startHelper } from './helpers.ts';
import { controlBytes, layout, maxThreads, noRow } from './layout.ts';
import { type HelperTask, partTaker } from './serve.ts';
import type { WasmExports } from '../wasmExports.ts';

type Kernel = (...args: number[]) => number | undefined;

export interface PoolOptions {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  /** The exports of the kernels' instance in the calling thread. */
  exports: WasmExports;
  /** The number of threads, including the caller; at least 2. */
  threads: number;
  /** Time limit for the start of the helpers, in milliseconds. */
  patienceMs?: number;
  /**
   * Time limit for one part in milliseconds, without time in which the machine is suspended. A part usually takes a few
   * milliseconds.
   */
  answerMs?: number;
  start?: (task: HelperTask) => Helper;
}

/** One call of a kernel, divided into parts of several rows. */
export interface PartedCall {
  name: string;
  /** Arguments of the whole call. */
  args: readonly number[];
  /** The index of the argument that is the number of rows. */
  count: number;
  rowsPerPart: number;
  /** The indices of the arguments that change from row to row, and the change of each in bytes. */
  moves: readonly (readonly [index: number, bytes: number])[];
  /** One address for each thread, which replaces the last argument; undefined if the kernel needs no scratch memory. */
  scratch?: readonly number[] | undefined;
  /** Whether the kernel returns the first row that it refused (−1 if there is none). */
  namesBadRow?: boolean | undefined;
}

/** Helpers without work, and a caller that waits for parts, check repeatedly for this long before they sleep. */
const spinMs = 0.05;
/**
 * On a busy machine, helpers may need seconds to start while the page opens. Helpers that cannot be loaded report this
 * immediately.
 */
const startMs = 15_000;
/**
 * The caller sleeps in short intervals and counts them, so that time in which the machine is suspended does not count
 * as waiting.
 */
const sliceMs = 1000;
const answerMs = 20 * sliceMs;

export class Pool {
  readonly #words: Int32Array;
  readonly #numbers: Float64Array;
  readonly #take: () => void;
  readonly #names: Map<string, number>;
  readonly #helpers: readonly Helper[];
  readonly #answerMs: number;
  #isOpen = true;
  /** Whether the helpers sleep. While they do, the caller processes all calls alone. */
  isResting = false;

  private constructor(control: SharedArrayBuffer, helpers: readonly Helper[], options: PoolOptions) {
    const { exports } = options;
    const names = kernelNames(exports);
    this.#names = new Map(names.map((name, index) => [name, index]));
    this.#words = new Int32Array(control);
    this.#numbers = new Float64Array(control);
    const kernels = names.map((name) => (exports as unknown as Record<string, Kernel>)[name] as Kernel);
    this.#take = partTaker(kernels, { control, layout, thread: 0 });
    this.#helpers = helpers;
    this.#answerMs = options.answerMs ?? answerMs;
    for (const helper of helpers) {
      helper.onDeath(() => {
        this.close();
      });
    }
  }

  /** Starts the helpers. If one is not ready in time, the promise rejects, and all helpers are ended. */
  static async open(options: PoolOptions): Promise<Pool> {
    const { module, memory, exports, threads, patienceMs = startMs, start = startHelper } = options;
    const control = new SharedArrayBuffer(controlBytes);
    const names = kernelNames(exports);
    const helpers: Helper[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      for (let thread = 1; thread < Math.min(threads, maxThreads); thread++)
        helpers.push(start({ module, memory, control, layout, names, thread, spinMs }));
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          reject(new Error(spoken`the helper threads did not start in time`));
        }, patienceMs);
      });
      await Promise.race([Promise.all(helpers.map(({ ready }) => ready)), late]);
    } catch (error) {
      for (const { ready, stop } of helpers) {
        ready.catch(() => undefined); // told once is enough
        stop();
      }
      throw error;
    } finally {
      clearTimeout(timer);
    }
    return new Pool(control, helpers, options);
  }

  /** The number of threads that process calls, including the caller. */
  get threads(): number {
    return this.#isOpen && !this.isResting ? this.#helpers.length + 1 : 1;
  }

  /** Ends the helpers. After that, the caller processes every call alone. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    Atomics.store(this.#words, layout.isClosing, 1);
    Atomics.add(this.#words, layout.generation, 1);
    Atomics.notify(this.#words, layout.generation);
    for (const { stop } of this.#helpers) stop();
  }

  /**
   * Processes all parts of a call, in no particular order, and returns when they are done.
   * @returns the first row that the kernel refused, −1 if it accepted all
   * @throws Error if a part threw an error, DeviceLostError if a helper does not respond any more
   */
  run(call: PartedCall): number {
    const parts = Math.ceil((call.args[call.count] as number) / call.rowsPerPart);
    this.#publish(call, parts);
    this.#take();
    this.#awaitDone(parts);
    this.#throwFault(call.name);
    const badRow = Atomics.load(this.#words, layout.badRow);
    return badRow === noRow ? -1 : badRow;
  }

  #publish({ name, args, count, rowsPerPart, moves, scratch, namesBadRow }: PartedCall, parts: number): void {
    const words = this.#words;
    const numbers = this.#numbers;
    for (let i = 0; i < args.length; i++) {
      numbers[layout.args + i] = args[i] as number;
      numbers[layout.moves + i] = 0;
    }
    for (const [index, bytes] of moves) numbers[layout.moves + index] = bytes;
    words[layout.kernel] = this.#names.get(name) as number;
    words[layout.count] = count;
    words[layout.rows] = args[count] as number;
    words[layout.rowsPerPart] = rowsPerPart;
    words[layout.scratchAt] = scratch ? args.length - 1 : -1;
    if (scratch) for (let i = 0; i < scratch.length; i++) words[layout.scratch + i] = scratch[i] as number;
    words[layout.namesBadRow] = namesBadRow ? 1 : 0;
    words[layout.badRow] = noRow;
    words[layout.fault] = 0;
    Atomics.store(words, layout.done, 0);
    Atomics.store(words, layout.ticket, parts << 16);
    Atomics.add(words, layout.generation, 1);
    if (Atomics.load(words, layout.sleepers) > 0) Atomics.notify(words, layout.generation, parts - 1);
  }

  #awaitDone(count: number): void {
    const words = this.#words;
    if (Atomics.load(words, layout.done) === count) return;
    const since = performance.now();
    let looks = 0;
    let sleptMs = 0;
    for (;;) {
      const done = Atomics.load(words, layout.done);
      if (done === count) return;
      if (++looks % 256 > 0 || performance.now() - since < spinMs) continue;
      Atomics.store(words, layout.isCallerAsleep, 1);
      const slice = Math.min(sliceMs, this.#answerMs);
      if (Atomics.wait(words, layout.done, done, slice) === 'timed-out') sleptMs += slice;
      Atomics.store(words, layout.isCallerAsleep, 0);
      if (sleptMs < this.#answerMs) continue;
      this.close();
      throw new DeviceLostError(spoken`simd: a helper thread stopped responding. Resume from the last checkpoint.`);
    }
  }

  #throwFault(name: string): void {
    const length = this.#words[layout.fault] as number;
    if (length === 0) return;
    const text = String.fromCharCode(...this.#words.slice(layout.fault + 1, layout.fault + 1 + length));
    throw new Error(`simd: a part of ${name} failed: ${text}`);
  }
}

/** The names of the kernels, in the same order on every thread. */
function kernelNames(exports: WasmExports): string[] {
  return Object.entries(exports).flatMap(([name, kernel]) => (typeof kernel === 'function' ? [name] : []));
}
