// Makes a mixture of several worlds or levels, all with the same vocabulary. Training problems are drawn from all of
// them, in proportion to their weights. All calls about a problem are passed to the world from which it was drawn.
// Accuracy is measured only on the first world.
import type { WorldPlace } from '../config/worlds/places.ts';
import { joinedForm } from '../config/worlds/registry.ts';
import type { Problem } from '../records/problem.ts';
import type { WorldLimits, World } from './world.ts';

/**
 * Adds training problems from other worlds or levels to the world `first`. If there are no other worlds or levels,
 * `first` is returned unchanged.
 */
export function mixture(first: World, places: readonly (Omit<WorldPlace, 'name'> & { world: World })[]): World {
  if (places.length === 0) return first;
  const all = [first, ...places.map(({ world }) => world)];
  const of = ({ world }: Problem) => all.find(({ name }) => name === world) ?? first;
  const listens = all.some(({ react }) => react);
  const weights = places.reduce((sum, { weight }) => sum + weight, 1);
  return {
    ...all.reduce((joined, world) => joinedForm(joined, world)),
    draw: (level, draws, split) => {
      if (split !== 'training') return first.draw(level, draws, split);
      let left = draws.next() * weights;
      const place = places.find(({ weight }) => (left -= weight) < 0);
      return place ? place.world.draw(place.level, draws, split) : first.draw(level, draws, split);
    },
    // The world of this problem has only its own hidden texts, so the names of other hidden texts are left out.
    view: (problem, sees) =>
      of(problem).view(
        problem,
        sees.filter((name) => name in problem.hidden),
      ),
    ceiling: (level, sees) =>
      first.ceiling(
        level,
        sees.filter((seen) => first.hidden.some(({ name }) => name === seen)),
      ),
    limits: (level, protocol) =>
      [first.limits(level, protocol), ...places.map(({ world, level: at }) => world.limits(at, protocol))].reduce(
        wider,
      ),
    demonstrate: (problem, ...how) => of(problem).demonstrate(problem, ...how),
    judge: (problem, message) => of(problem).judge(problem, message),
    assess: (problem, ...given) => of(problem).assess(problem, ...given),
    ...(listens && {
      open: (problem) => of(problem).open?.(problem) ?? Promise.resolve({ state: null }),
      react: (problem, state, message) => of(problem).react?.(problem, state, message) ?? Promise.resolve({ state }),
    }),
  };
}

/** Limits that are large enough for both worlds. */
export function wider(one: WorldLimits, other: WorldLimits): WorldLimits {
  const observed = Math.max(one.observationWindow ?? 0, other.observationWindow ?? 0);
  return {
    roundLimit: Math.max(one.roundLimit, other.roundLimit),
    windows: one.windows.map((window, agent) => Math.max(window, other.windows[agent] ?? 0)),
    promptWindow: Math.max(one.promptWindow, other.promptWindow),
    ...(observed > 0 && { observationWindow: observed }),
  };
}
