// Two worlds at once that speak in the same words: a share of the training problems comes from the second one, and each
// problem is asked, answered and verified by its own. What is measured is the first.
import { joinedForm } from '../config/worlds/registry.ts';
import type { Problem } from '../records/problem.ts';
import type { Limits, World } from './world.ts';

interface MixtureSettings {
  secondLevel: number;
  /** Share of the training problems, in [0, 1]. */
  secondShare: number;
}

export function mixture(first: World, second: World, { secondLevel, secondShare }: MixtureSettings): World {
  const of = ({ world }: Problem) => (world === second.name ? second : first);
  const listens = first.react !== undefined || second.react !== undefined;
  return {
    ...joinedForm(first, second),
    draw: (level, draws, split) =>
      split === 'training' && draws.next() < secondShare
        ? second.draw(secondLevel, draws, split)
        : first.draw(level, draws, split),
    // Each world knows the names of its own hidden texts alone.
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
    limits: (level, protocol) => wider(first.limits(level, protocol), second.limits(secondLevel, protocol)),
    demonstrate: (problem, ...how) => of(problem).demonstrate(problem, ...how),
    judge: (problem, message) => of(problem).judge(problem, message),
    assess: (problem, ...talk) => of(problem).assess(problem, ...talk),
    ...(listens && {
      open: (problem) => of(problem).open?.(problem) ?? Promise.resolve({ state: null }),
      react: (problem, state, message) => of(problem).react?.(problem, state, message) ?? Promise.resolve({ state }),
    }),
  };
}

/** Room for both. */
export function wider(one: Limits, other: Limits): Limits {
  const observed = Math.max(one.observationWindow ?? 0, other.observationWindow ?? 0);
  return {
    roundLimit: Math.max(one.roundLimit, other.roundLimit),
    windows: one.windows.map((window, agent) => Math.max(window, other.windows[agent] ?? 0)),
    promptWindow: Math.max(one.promptWindow, other.promptWindow),
    ...(observed > 0 && { observationWindow: observed }),
  };
}
