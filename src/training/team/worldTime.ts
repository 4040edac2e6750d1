// Measures the time spent in the world's own code: drawing, views, tools and sandbox, verifying. The time is a running
// total of one team, so a profiler only reads it before and after its work. Errors of the world's code are also
// wrapped, together with the problem that led to them.
import { isNamedError, WorldError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import type { Problem } from '../../records/problem.ts';
import type { World } from '../../tasks/world.ts';

export class WorldClock {
  #totalMs = 0;
  #pending = 0;
  #sinceMs = 0;

  /** The milliseconds so far during which any call of a world was running. Overlapping calls count once. */
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
 * The error to throw after a failed call. An error without a name of its own is wrapped together with the call and its
 * problem.
 */
function told(error: unknown, label: string, call: string, [first]: readonly unknown[]): unknown {
  if (isNamedError(error)) return error;
  const { id, level } = (typeof first === 'object' && first !== null ? first : {}) as Partial<Problem>;
  const where = id === undefined ? '' : ` on the problem ${id} of level ${level}`;
  return new WorldError(
    spoken`${label}: ${call} threw “${String(error)}”${where}; correct the world, then continue from the last checkpoint.`,
  );
}

/** The same function, whose calls are timed. `label` is the world's label. */
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

/** The original world, without the timer. */
export const untimedWorld = (world: World): World => originals.get(world) ?? world;

/** The same world, whose calls are timed. Errors without a name of their own become a WorldError. */
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
