// Runs JavaScript written by an agent or a visitor. The program has no access to the host: it has no network, no
// storage, no clock, no random numbers, and no data from an earlier run. Its resources are limited. The result of a
// program is plain data, or the description of an error with its line number. The same program always has the same
// result, because the main limit is a number of steps. A time limit stops only programs that take far longer than this
// number of steps should take.
import type { QuickJSHandle } from 'quickjs-emscripten-core';
import { Cell, tooDeep, type Fault, type Image, type SandboxLimits, type SandboxResult } from './cell.ts';

export type { Fault, SandboxLimits, SandboxResult };

/**
 * Returns a function that creates a cell at its first call. A later call creates another cell if the first creation
 * failed, or if the cell can no longer be used (`isUnfit`).
 */
function cellOnDemand(isUnfit: (cell: Cell) => boolean): () => Promise<Cell> {
  let opened: Promise<Cell> | null = null;
  return async () => {
    const cell = await opened;
    if (cell && isUnfit(cell)) opened = null;
    opened ??= Cell.open().catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  };
}

const cellOfPrograms = cellOnDemand(({ isBroken }) => isBroken);
/**
 * The whole memory is filled with zeros for each module. This takes longer if the memory has grown, so a cell whose
 * memory has grown is replaced.
 */
const cellOfModules = cellOnDemand(({ isBroken, hasGrown }) => isBroken || hasGrown);

/** The value of a program's last expression. Throws SandboxError if the interpreter cannot be loaded. */
export async function runProgram(source: string, limits: SandboxLimits): Promise<SandboxResult> {
  const cell = await cellOfPrograms();
  const outcome = cell.attempt((): SandboxResult => {
    cell.begin(limits);
    const { handle, fault } = cell.evaluate(source, 'global');
    return handle ? cell.read(handle, limits) : { fault };
  });
  return outcome ?? { fault: tooDeep };
}

/**
 * A module with functions that can be called separately. The limits apply to each call. A call does not change the
 * state of the module. If an interpreter crashes, all of its modules become unusable.
 */
export class SandboxModule {
  readonly #cell: Cell;
  readonly #exports: QuickJSHandle;
  readonly #limits: SandboxLimits;
  readonly #image: Image;

  constructor(cell: Cell, exported: QuickJSHandle, limits: SandboxLimits, image = cell.keep()) {
    this.#cell = cell;
    this.#exports = exported;
    this.#limits = limits;
    this.#image = image;
  }

  /** The same module, with other limits for each call. */
  within(limits: SandboxLimits): SandboxModule {
    return new SandboxModule(this.#cell, this.#exports, limits, this.#image);
  }

  /** Calls an exported function with plain data and returns its result. */
  call(name: string, ...given: readonly unknown[]): SandboxResult {
    return this.#attempt(() => this.#cell.call(this.#exports, name, given, this.#limits));
  }

  /**
   * Like `call`, but for a function that draws random numbers. The function receives `random` as its first argument,
   * and its random numbers begin at the given address (base/random.ts). `drawn` is the number of random numbers that
   * the function used.
   */
  draw(name: string, address: number, ...given: readonly unknown[]): SandboxResult & { drawn?: number } {
    const { value, fault } = this.#attempt(() =>
      this.#cell.draw(this.#exports, name, { given, address }, this.#limits),
    );
    if (fault) return { fault };
    const [result, drawn] = value as [unknown, number];
    return { value: result, drawn };
  }

  /** An exported value as plain data. */
  value(name: string): SandboxResult {
    return this.#attempt(() => this.#cell.valueOf(this.#exports, name, this.#limits));
  }

  /** The names of the functions that the module exports. */
  functions(): SandboxResult {
    return this.#attempt(() => this.#cell.functionsOf(this.#exports));
  }

  #attempt(work: () => SandboxResult): SandboxResult {
    const outcome = this.#cell.attempt(() => {
      this.#cell.begin(this.#limits, this.#image);
      return work();
    });
    return outcome ?? { fault: tooDeep };
  }
}

type Opened = { room: SandboxModule; fault?: undefined } | { room?: undefined; fault: Fault };

/**
 * Opens a module, or returns the reason why it cannot be opened. Throws SandboxError if the interpreter cannot be
 * loaded.
 */
export async function openRoom(source: string, limits: SandboxLimits): Promise<Opened> {
  const cell = await cellOfModules();
  const opened = cell.attempt((): Opened => {
    cell.clear();
    cell.begin(limits);
    const { handle, fault } = cell.evaluate(source, 'module');
    return handle ? { room: new SandboxModule(cell, handle, limits) } : { fault };
  });
  return opened ?? { fault: tooDeep };
}
