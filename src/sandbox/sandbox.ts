// Runs JavaScript that somebody else wrote: an agent, or a visitor. It finds nothing of the host: no network, no storage, no
// clock, no random numbers, and nothing that an earlier run left. What it may use is bounded; what it gives back is plain
// data, or a fault that says in which line. The same program always ends the same way: its steps are counted, and only what
// takes far longer than those steps ever do is ended by the clock.
import type { QuickJSHandle } from 'quickjs-emscripten-core';
import { Cell, tooDeep, type Fault, type Limits, type Outcome } from './cell.ts';

export type { Fault, Limits, Outcome };

let shared: Promise<Cell> | null = null;

/** What work in a cell gives; null where the interpreter itself broke down, and cannot be used any more. */
function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    // The stack of the host was full, or the interpreter ended itself.
    return null;
  }
}

/** The cell of programs. One that could not be opened is opened anew when the next program comes. */
function sharedCell(): Promise<Cell> {
  shared ??= Cell.open().catch((error: unknown) => {
    shared = null;
    throw error;
  });
  return shared;
}

/** The value of a program's last expression. Throws SandboxError where the interpreter cannot be loaded. */
export async function runProgram(source: string, limits: Limits): Promise<Outcome> {
  const cell = await sharedCell();
  const outcome = attempt((): Outcome => {
    cell.begin(limits);
    const { handle, fault } = cell.evaluate(source, 'global');
    return handle ? cell.read(handle, limits) : { fault };
  });
  if (outcome === null) shared = null;
  return outcome ?? { fault: tooDeep };
}

/** A module whose functions are called one by one, each within the limits; nothing stays of a call but what it gives. */
export class Room {
  readonly #cell: Cell;
  readonly #exports: QuickJSHandle;
  readonly #limits: Limits;
  #isWhole = true;

  constructor(cell: Cell, exported: QuickJSHandle, limits: Limits) {
    this.#cell = cell;
    this.#exports = exported;
    this.#limits = limits;
    cell.keep();
  }

  /** What an exported function gives for plain data. */
  call(name: string, ...given: readonly unknown[]): Outcome {
    return this.#attempt(() => this.#cell.call(this.#exports, name, { given }, this.#limits));
  }

  /** The same of a function that draws: its first argument is `random`, `random.below(n)`, `random.pick(list)`. */
  draw(name: string, seed: number, ...given: readonly unknown[]): Outcome {
    return this.#attempt(() => this.#cell.call(this.#exports, name, { given, seed }, this.#limits));
  }

  /** An exported value as plain data. */
  value(name: string): Outcome {
    return this.#attempt(() => this.#cell.valueOf(this.#exports, name, this.#limits));
  }

  /** Names of the functions that it exports. */
  functions(): Outcome {
    return this.#attempt(() => this.#cell.functionsOf(this.#exports));
  }

  #attempt(work: () => Outcome): Outcome {
    if (!this.#isWhole) return { fault: tooDeep };
    const outcome = attempt(() => {
      this.#cell.begin(this.#limits);
      return work();
    });
    this.#isWhole = outcome !== null;
    return outcome ?? { fault: tooDeep };
  }
}

type Opened = { room: Room; fault?: undefined } | { room?: undefined; fault: Fault };

/** Opens a module, or says why it cannot be. Throws SandboxError where the interpreter cannot be loaded. */
export async function openRoom(source: string, limits: Limits): Promise<Opened> {
  const cell = await Cell.open();
  const opened = attempt((): Opened => {
    cell.begin(limits);
    const { handle, fault } = cell.evaluate(source, 'module');
    return handle ? { room: new Room(cell, handle, limits) } : { fault };
  });
  return opened ?? { fault: tooDeep };
}
