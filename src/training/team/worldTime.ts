// How long the world's own code has been at work: drawing, views, tools and sandbox, verifying. A running total of this
// thread, as the engine's counters are, so a profiler only takes it before and after.
import type { World } from '../../tasks/world.ts';

let totalMs = 0;
let pending = 0;
let since = 0;

/** Milliseconds so far in which some call of a world was under way; calls that overlap count once. */
export const worldMs = (): number => totalMs + (pending > 0 ? performance.now() - since : 0);

function begin(): void {
  if (pending++ === 0) since = performance.now();
}

function end(): void {
  if (--pending === 0) totalMs += performance.now() - since;
}

function timed<A extends unknown[], R>(call: (...given: A) => R): (...given: A) => R {
  return (...given) => {
    begin();
    let isPending = false;
    try {
      const result = call(...given);
      isPending = result instanceof Promise;
      return isPending ? ((result as Promise<unknown>).finally(end) as R) : result;
    } finally {
      if (!isPending) end();
    }
  };
}

const originals = new WeakMap<World, World>();

/** The world whose time is taken. */
export const untimedWorld = (world: World): World => originals.get(world) ?? world;

/** The same world, the time of whose calls is taken. */
export function timedWorld(world: World): World {
  const { open, react } = world;
  const timedOne: World = {
    ...world,
    draw: timed(world.draw.bind(world)),
    heldOut: timed(world.heldOut.bind(world)),
    view: timed(world.view.bind(world)),
    demonstrate: timed(world.demonstrate.bind(world)),
    judge: timed(world.judge.bind(world)),
    assess: timed(world.assess.bind(world)),
    ...(open && { open: timed(open.bind(world)) }),
    ...(react && { react: timed(react.bind(world)) }),
  };
  originals.set(timedOne, world);
  return timedOne;
}
