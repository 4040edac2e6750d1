// Measures the time that the world's own code takes: drawing problems, views, tools, the sandbox and verifying. The
// times are added up for each team. A profiler reads this sum before and after the measured work. Errors of the world's
// code are also converted to a WorldError that contains the problem.
import { isNamedError, WorldError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import type { Problem } from '../../records/problem.ts';
import type { World } from '../../tasks/world.ts';

export class WorldClock {
  #totalMs = 0;
  #pending = 0;
  #sinceMs = 0;

  /**
   * The milliseconds so far during which at least one call of the world was running. The time of overlapping calls is
   * counted only once.
   */
  get ms(): number {
    return this.#totalMs + (this.#pending > 0 ? performance.now() - this.#sinceMs : 0);
  }

  begin(): void {
    if (this.#pending++ === 0) this.#sinceMs = performance.now();
  }

  end(): void {
    if (--this.#pending === 0) this.#totalMs += performance.now() - this.#sinceMs;
  }
}

/**
 * The error that is thrown after a failed call. If the original error is not one of the program's named errors, it is
 * replaced by a WorldError that contains the name of the call and the problem.
 */
function told(error: unknown, label: string, call: string, [first]: readonly unknown[]): unknown {
  if (isNamedError(error)) return error;
  const { id, level } = (typeof first === 'object' && first !== null ? first : {}) as Partial<Problem>;
  const where = id === undefined ? '' : ` on the problem ${id} of level ${level}`;
  return new WorldError(
    spoken`${label}: ${call} threw “${String(error)}”${where}; correct the world, then continue from the last checkpoint.`,
  );
}

/**
 * Returns a function that calls the given function and measures the time of each call. `label` is the world's label.
 */
function timed<A extends unknown[], R>(
  { label, clock }: { label: string; clock: WorldClock },
  name: string,
  call: (...given: A) => R,
): (...given: A) => R {
  const end = () => clock.end();
  return (...given) => {
    clock.begin();
    try {
      const result = call(...given);
      if (result instanceof Promise)
        return result
          .finally(end)
          .catch((error: unknown) => Promise.reject(told(error, label, name, given) as Error)) as R;
      end();
      return result;
    } catch (error) {
      end();
      throw told(error, label, name, given);
    }
  };
}

const originals = new WeakMap<World, World>();

/** The original world, without time measurement. */
export const untimedWorld = (world: World): World => originals.get(world) ?? world;

/**
 * The same world, with measurement of the time of its calls. If a call throws an error that is not a named error of the
 * program, the error is replaced by a WorldError.
 */
export function timedWorld(world: World, clock: WorldClock): World {
  const { label, open, react } = world;
  const by = { label, clock };
  const timedOne: World = {
    ...world,
    draw: timed(by, 'draw', world.draw.bind(world)),
    heldOut: timed(by, 'heldOut', world.heldOut.bind(world)),
    view: timed(by, 'view', world.view.bind(world)),
    demonstrate: timed(by, 'demonstrate', world.demonstrate.bind(world)),
    judge: timed(by, 'judge', world.judge.bind(world)),
    assess: timed(by, 'assess', world.assess.bind(world)),
    ...(open && { open: timed(by, 'open', open.bind(world)) }),
    ...(react && { react: timed(by, 'react', react.bind(world)) }),
  };
  originals.set(timedOne, world);
  return timedOne;
}
