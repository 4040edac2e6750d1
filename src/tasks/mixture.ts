// Makes a mixture of several worlds or levels, all with the same vocabulary. Training problems are drawn from all of
// them, in proportion to their weights. All calls about a problem are passed to the world from which it was drawn.
// Accuracy is measured only on the first world.
import type { WorldPlace } from '../config/worlds/places.ts';
import { joinedForm } from '../config/worlds/registry.ts';
import type { Problem } from '../records/problem.ts';
import type { InWords, WorldLimits, World } from './world.ts';

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
    ...wordsOf(first, all, of),
    assess: (problem, ...given) => of(problem).assess(problem, ...given),
    ...(listens && {
      open: (problem) => of(problem).open?.(problem) ?? Promise.resolve({ state: null }),
      react: (problem, state, message) => of(problem).react?.(problem, state, message) ?? Promise.resolve({ state }),
    }),
  };
}

/** How the worlds of a mixture are put in plain words; nothing if one of the worlds cannot be put in plain words. */
function wordsOf(first: World, all: readonly World[], of: (problem: Problem) => World): Pick<World, 'inWords'> {
  const words = all.flatMap(({ inWords }) => inWords ?? []);
  if (!first.inWords || words.length < all.length) return {};
  const inWordsOf = (problem: Problem) => of(problem).inWords as InWords;
  return {
    inWords: {
      ...{ window: Math.max(...words.map(({ window }) => window)), prompts: first.inWords.prompts },
      chat: (problem, speaker, around) => {
        const sees = speaker.sees.filter((name) => name in problem.hidden);
        return inWordsOf(problem).chat(problem, { ...speaker, sees }, around);
      },
      fromWords: (problem, message) => inWordsOf(problem).fromWords(problem, message),
      toWords: (problem, message) => inWordsOf(problem).toWords(problem, message),
      observedInWords: (problem, text) => inWordsOf(problem).observedInWords(problem, text),
    },
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
