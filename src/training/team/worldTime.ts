// Time spent in the world's own code: drawing, views, tools and sandbox, verifying. The time is a running total for
// this thread, like the engine's counters, so a profiler only reads it before and after its work. Errors of the world's
// code are also wrapped, with the problem that led to them.
import { isNamedError, WorldError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import type { Problem } from '../../records/problem.ts';
import type { World } from '../../tasks/world.ts';

let totalMs = 0;
let pending = 0;
let since = 0;

/** Milliseconds so far during which some call of a world was running; overlapping calls count once. */
export const worldMs = (): number => totalMs + (pending > 0 ? performance.now() - since : 0);

function begin(): void {
  if (pending++ === 0) since = performance.now();
}

function end(): void {
  if (--pending === 0) totalMs += performance.now() - since;
}

/** The error that a call throws; an error without a name is wrapped together with the call and its problem. */
function told(error: unknown, label: string, call: string, [first]: readonly unknown[]): unknown {
  if (isNamedError(error)) return error;
  const { id, level } = (typeof first === 'object' && first !== null ? first : {}) as Partial<Problem>;
  const where = id === undefined ? '' : ` on the problem ${id} of level ${level}`;
  return new WorldError(
    spoken`${label}: ${call} threw “${String(error)}”${where}; correct the world, then continue from the last checkpoint.`,
  );
}

/** The same function with its calls timed; `label` is the world's label. */
function timed<A extends unknown[], R>(label: string, name: string, call: (...given: A) => R): (...given: A) => R {
  return (...given) => {
    begin();
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

/** The same world with its calls timed; errors without a name of their own become a WorldError. */
export function timedWorld(world: World): World {
  const { label, open, react } = world;
  const timedOne: World = {
    ...world,
    draw: timed(label, 'draw', world.draw.bind(world)),
    heldOut: timed(label, 'heldOut', world.heldOut.bind(world)),
    view: timed(label, 'view', world.view.bind(world)),
    demonstrate: timed(label, 'demonstrate', world.demonstrate.bind(world)),
    judge: timed(label, 'judge', world.judge.bind(world)),
    assess: timed(label, 'assess', world.assess.bind(world)),
    ...(open && { open: timed(label, 'open', open.bind(world)) }),
    ...(react && { react: timed(label, 'react', react.bind(world)) }),
  };
  originals.set(timedOne, world);
  return timedOne;
}
