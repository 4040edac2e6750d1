// A QuickJS context with its own interpreter, which is compiled to WebAssembly and loaded from this page's own files. A
// snapshot of the interpreter's memory is taken at its creation, and is restored before each use. Every program
// therefore starts as if no other program had run, and no memory has to be freed. For a module that is used repeatedly,
// a separate snapshot is taken. Restoring this snapshot takes only a quarter of the time in which a new interpreter
// could be created.
import wasmUrl from '@jitl/quickjs-wasmfile-release-sync/wasm?url';
import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from 'quickjs-emscripten-core';
import { SandboxError } from '../base/errors.ts';
import { nodeModule } from '../base/nodeModule.ts';
import { spoken } from '../base/spoken.ts';
import { prelude } from './prelude.ts';

export interface SandboxLimits {
  /** The maximum number of branches and calls that a program may execute, in units of ten thousand. */
  steps: number;
  /** The time limit in milliseconds. Programs should reach the limit of `steps` long before the time limit. */
  timeMs: number;
  /** The maximum number of characters of a result, written as JSON. */
  resultLength: number;
}

/** The reason why a program has no result. */
export interface Fault {
  /**
   * `program` means that the program threw an error or cannot be parsed. All other values are resources, and mean that
   * the program exceeded the limit of this resource.
   */
  cause: 'program' | 'time' | 'memory' | 'stack';
  /** The name of the error, such as `SyntaxError`. */
  name: string;
  message: string;
  /** Line of the program, from 1; null if the line is unknown. */
  line: number | null;
}

/** Plain data, or a fault. */
export type SandboxResult = { value: unknown; fault?: undefined } | { value?: undefined; fault: Fault };

type Evaluated = { handle: QuickJSHandle; fault?: undefined } | { handle?: undefined; fault: Fault };

/**
 * The size in bytes of the stack of the C code. If this stack were larger, the stack of the browser's own engine could
 * overflow first.
 */
const stackBytes = 64_000;
/** The limits that apply while a context is created, and while an error is described. */
const reserved: SandboxLimits = { steps: 10, timeMs: 5_000, resultLength: 10_000 };

/** The file name of the program in stack traces, which appears before the line numbers. */
const file = 'program.js';

/** The built-in features of JavaScript that programs can use. */
const intrinsics = {
  ...{ BaseObjects: true, Eval: true, StringNormalize: true, RegExp: true, JSON: true },
  ...{ MapSet: true, TypedArrays: true, Promise: true },
} as const;

const tooLong: Fault = { cause: 'time', name: 'Error', message: 'it ran too long', line: null };
const tooLarge: Fault = { cause: 'memory', name: 'Error', message: 'it took too much memory', line: null };
const awaited: Fault = {
  cause: 'program',
  name: 'Error',
  message: 'it awaits something before it is there; nothing is awaited here',
  line: null,
};
export const tooDeep: Fault = { cause: 'stack', name: 'Error', message: 'it went too deep', line: null };

/** The interpreter's initial memory and its maximum, in pages of 64 KiB. */
const [initial, maximum] = [256, 1024];

interface Interpreter {
  quickjs: QuickJSWASMModule;
  /** The memory with the entire state of the interpreter. */
  memory: WebAssembly.Memory;
}

/** Creates a separate interpreter. */
async function newInterpreter(): Promise<Interpreter> {
  const [{ newQuickJSWASMModuleFromVariant, newVariant }, { default: variant }] = await Promise.all([
    import('quickjs-emscripten-core'),
    import('@jitl/quickjs-wasmfile-release-sync'),
  ]);
  // QuickJS can limit its own allocations only on systems that report the size of each allocation. WebAssembly does
  // not, so the size of the whole memory is limited instead.
  const memory = new WebAssembly.Memory({ initial, maximum });
  // Node reads a file itself, because it cannot fetch one.
  const node = wasmUrl.startsWith('file:') && nodeModule<{ readFileSync: (file: URL) => Uint8Array }>('node:fs');
  const wasmBinary = node ? new Uint8Array(node.readFileSync(new URL(wasmUrl))).buffer : undefined;
  const own = newVariant(variant, {
    ...{ wasmLocation: wasmUrl, wasmMemory: memory },
    ...(wasmBinary && { wasmBinary }),
  });
  return { quickjs: await newQuickJSWASMModuleFromVariant(own), memory };
}

function notLoaded(error: unknown): never {
  const { message } = error as Error;
  throw new SandboxError(
    spoken`the interpreter of the sandbox could not be loaded: ${message}; try again when the server of this page can be reached.`,
  );
}

/**
 * The number of branches and calls between two interrupt checks of QuickJS: the default (`usual`), and the number that
 * is used here (`often`). Because a native function may take long, the default would make checks of the time limit too
 * rare.
 */
const [usual, often] = [10_000, 10];

/**
 * The number of words before the stack that must be kept even if they are zero, because they may be variables that are
 * still zero.
 */
const beforeStack = 2 ** 16;

/** All words of the memory up to the last word that is not zero. The memory after this word has not been used. */
function writtenOf(memory: WebAssembly.Memory): Int32Array {
  // Compares two words at a time, as a float64. `Object.is` distinguishes 0 from −0, whose bits are not all zero.
  const pairs = new Float64Array(memory.buffer);
  let length = pairs.length;
  while (length > 0 && Object.is(pairs[length - 1], 0)) length--;
  return new Int32Array(memory.buffer, 0, 2 * length);
}

/**
 * The longest sequence of zeros that is followed by another word. This is the unused part of the stack, 5 MB between
 * the data and the heap.
 */
function longestZeros(words: Int32Array): { from: number; to: number } {
  let longest = { from: 0, to: 0 };
  for (let from = 0, i = 0; i < words.length; i++) {
    if (words[i] === 0) continue;
    if (i - from > longest.to - longest.from) longest = { from, to: i };
    from = i + 1;
  }
  return longest;
}

/**
 * The positions at which a word occurs in the memory. `indexOf` is used because it is fast: megabytes are searched each
 * time a cell is created.
 */
function placesOf(word: number, words: Int32Array): number[] {
  const places: number[] = [];
  for (let at = words.indexOf(word); at >= 0; at = words.indexOf(word, at + 1)) places.push(at);
  return places;
}

/** A copy of a memory, without the unused part of the stack. */
export type Image = readonly { from: number; words: Int32Array }[];

export class Cell {
  readonly #memory: WebAssembly.Memory;
  readonly #context: QuickJSContext;
  /** The functions of the prelude. */
  readonly #keep: QuickJSHandle;
  /** The range of words that is the unused part of the stack. */
  readonly #unreached: { from: number; to: number };
  /** The snapshot from which every program starts. */
  readonly #empty: Image;
  #isBroken = false;
  /** The number of interrupt checks that are left until the limit of `steps` is reached. */
  #left = 0;
  /** The position in memory of the counter with which QuickJS counts down to its next interrupt check. */
  readonly #countdown: number;
  #isSpent = false;
  #deadlineMs = 0;

  /** Throws SandboxError if the interpreter cannot be loaded. */
  static async open(): Promise<Cell> {
    return new Cell(await newInterpreter().catch(notLoaded));
  }

  private constructor({ quickjs, memory }: Interpreter) {
    this.#memory = memory;
    const runtime: QuickJSRuntime = quickjs.newRuntime();
    runtime.setMaxStackSize(stackBytes);
    this.#context = runtime.newContext({ intrinsics });
    this.#countdown = this.#findCountdown(runtime);
    runtime.setInterruptHandler(() => {
      this.#left -= often;
      this.#isSpent ||= this.#left < 0 || performance.now() > this.#deadlineMs;
      this.#askSoon();
      return this.#isSpent;
    });
    this.grant(reserved);
    this.#keep = this.#context.unwrapResult(this.#context.evalCode(prelude, 'prelude.js'));
    const { from, to } = longestZeros(writtenOf(memory));
    this.#unreached = { from: Math.min(from + beforeStack, to), to };
    this.#empty = this.keep();
  }

  /** Whether the cell cannot be used any more. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /**
   * Whether the memory has grown because a program needed more than the initial memory. The additional memory is never
   * released.
   */
  get hasGrown(): boolean {
    return this.#memory.buffer.byteLength > initial * 2 ** 16;
  }

  /**
   * Runs `work` and returns its result, or null if the interpreter itself crashed. After a crash, the cell cannot be
   * used any more.
   */
  attempt<T>(work: () => T): T | null {
    if (this.#isBroken) return null;
    try {
      return work();
    } catch {
      // The stack of the browser's own engine overflowed, or the interpreter aborted.
      this.#isBroken = true;
      return null;
    }
  }

  /**
   * Finds the counter with which QuickJS counts down to its next interrupt check. The counter is the only word of the
   * memory that has the default value at every interrupt check, and another value between the checks.
   */
  #findCountdown(runtime: QuickJSRuntime): number {
    let found: number[] | null = null;
    runtime.setInterruptHandler(() => {
      const now = writtenOf(this.#memory);
      found = found?.filter((at) => now[at] === usual) ?? placesOf(usual, now);
      return false;
    });
    this.#context.unwrapResult(this.#context.evalCode('for (let i = 0; i < 25_000; i++);'));
    const now = new Int32Array(this.#memory.buffer);
    const [countdown, ...others] = (found ?? []).filter((at) => now[at] !== usual);
    if (countdown === undefined || others.length > 0)
      throw new SandboxError(
        'sandbox: the interrupt counter of this QuickJS build was not found; use the version in package-lock.json.',
      );
    return countdown;
  }

  #askSoon(): void {
    new Int32Array(this.#memory.buffer)[this.#countdown] = often;
  }

  /** Takes a snapshot of the memory. */
  keep(): Image {
    const words = writtenOf(this.#memory);
    const { from, to } = this.#unreached;
    return [
      { from: 0, words: words.slice(0, from) },
      { from: to, words: words.slice(to) },
    ];
  }

  /** Fills the whole memory with zeros, so that the next snapshot contains no earlier contents. */
  clear(): void {
    new Int32Array(this.#memory.buffer).fill(0);
  }

  /** Restores a snapshot, or the initial state, and sets the limits. */
  begin(limits: SandboxLimits, image: Image = this.#empty): void {
    const memory = new Int32Array(this.#memory.buffer);
    for (const { from, words } of image) memory.set(words, from);
    this.grant(limits);
  }

  private grant({ steps, timeMs }: SandboxLimits): void {
    this.#left = 10_000 * steps;
    this.#isSpent = false;
    this.#askSoon();
    this.#deadlineMs = performance.now() + timeMs;
  }

  /** The value of a program, or the exports of a module. */
  evaluate(source: string, type: 'global' | 'module'): Evaluated {
    const result = this.#context.evalCode(source, file, { type });
    if (result.error) return { fault: this.#faultOf(result.error) };
    const isAwaited = type === 'module' && !('notAPromise' in this.#context.getPromiseState(result.value));
    return isAwaited ? { fault: awaited } : { handle: result.value };
  }

  /** Converts the value of a QuickJS handle to plain data. */
  read(value: QuickJSHandle, { resultLength }: SandboxLimits): SandboxResult {
    return this.#ask('encode', value, this.#context.newNumber(resultLength));
  }

  /** Calls a function of an object with plain data, and returns its result. */
  call(of: QuickJSHandle, name: string, given: readonly unknown[], limits: SandboxLimits): SandboxResult {
    return this.#ask('call', of, ...this.#asked(name, given, limits));
  }

  /**
   * Calls a function that also receives random numbers, which start at an address. Returns a pair: the function's
   * result, and the number of random numbers that the function used.
   */
  draw(
    of: QuickJSHandle,
    name: string,
    { given, address }: { given: readonly unknown[]; address: number },
    limits: SandboxLimits,
  ): SandboxResult {
    return this.#ask('draw', of, ...this.#asked(name, given, limits), this.#context.newNumber(address));
  }

  #asked(name: string, given: readonly unknown[], { resultLength }: SandboxLimits): QuickJSHandle[] {
    const context = this.#context;
    return [context.newString(name), context.newString(JSON.stringify(given)), context.newNumber(resultLength)];
  }

  /** A property of an object as plain data. */
  valueOf(of: QuickJSHandle, name: string, limits: SandboxLimits): SandboxResult {
    return this.read(this.#context.getProp(of, name), limits);
  }

  /** The names of an object's functions. */
  functionsOf(of: QuickJSHandle): SandboxResult {
    return this.#ask('functions', of);
  }

  #ask(name: string, ...given: QuickJSHandle[]): SandboxResult {
    const context = this.#context;
    const result = context.callFunction(context.getProp(this.#keep, name), context.undefined, ...given);
    if (result.error) return { fault: this.#faultOf(result.error) };
    return { value: JSON.parse(context.getString(result.value)) as unknown };
  }

  /**
   * Describes an error. The limits apply to this description too, because code of the program may run when the
   * properties of the error are read.
   */
  #faultOf(error: QuickJSHandle): Fault {
    const context = this.#context;
    const wasSpent = this.#isSpent;
    this.grant(reserved);
    const describe = context.getProp(this.#keep, 'describe');
    const result = context.callFunction(describe, context.undefined, error, context.newString(file));
    const written = result.error ? '{}' : context.getString(result.value);
    const { name = 'Error', message = '', line: found } = JSON.parse(written) as Partial<Record<string, unknown>>;
    const line = typeof found === 'number' && Number.isSafeInteger(found) && found > 0 ? found : null;
    if (wasSpent) return { ...tooLong, line };
    // QuickJS reports this kind of error only with these names.
    if (name === 'InternalError' && message === 'out of memory') return { ...tooLarge, line };
    if (name === 'InternalError' && message === 'stack overflow') return { ...tooDeep, line };
    return { cause: 'program', name: String(name), message: String(message), line };
  }
}
