// The story that a first-time visitor sees next to the run. It has three stages: before the visitor starts, while the
// team learns, and at the end. The story exists only for the page's initial world. The story contains the numbers of
// the newest evaluation.
import { presetConfig } from '../../config/presets.ts';
import type { Config } from '../../config/schema.ts';
import type { RunView } from '../trainer/runView.ts';
import type { VerdictKind } from '../run/verdict.ts';

export type StoryPhase = 'before' | 'during' | 'after';

export interface StoryNumbers {
  /**
   * The accuracies in the story. `start` is the accuracy of the warm start, and `now` is the current accuracy, each
   * with its interval. `best` is the highest accuracy so far, and `ceiling` is the average accuracy of the best
   * possible strategy without messages.
   */
  start: number;
  startLow: number;
  startHigh: number;
  now: number;
  low: number;
  high: number;
  best: number;
  ceiling: number;
  iteration: number;
}

/**
 * The stage of the story; null if there is no story, because the world or the protocol is another one, or because the
 * run has failed.
 */
export function phaseOf(config: Config, view: Pick<RunView, 'state' | 'iteration'>): StoryPhase | null {
  const { world, agents } = config;
  if (
    world.name !== presetConfig('default').world.name ||
    world.also.length > 0 ||
    agents.protocol !== presetConfig('default').agents.protocol
  )
    return null;
  if (view.state === 'failed') return null;
  if (view.state === 'done') return 'after';
  return view.iteration === 0 && view.state !== 'training' ? 'before' : 'during';
}

/** The numbers of the story; null before the first measurement. */
export function numbersOf({ evaluations }: Pick<RunView, 'evaluations'>): StoryNumbers | null {
  const [first] = evaluations;
  const last = evaluations.at(-1);
  if (!first || !last) return null;
  const best = Math.max(...evaluations.map(({ accuracy }) => accuracy));
  const { accuracy: now, low, high, ceiling, iteration } = last;
  const { accuracy: start, low: startLow, high: startHigh } = first;
  return { start, startLow, startHigh, now, low, high, best, ceiling, iteration };
}

/** The sentence at the end. It reports a gain or a loss only if the intervals do not overlap. */
export function endOf({ low, high, startLow, startHigh }: StoryNumbers): 'gain' | 'loss' | 'same' {
  return low > startHigh ? 'gain' : high < startLow ? 'loss' : 'same';
}

/**
 * Whether the team is certainly better than any agent without the message. The expected accuracy of such an agent is at
 * most the ceiling. So if the whole interval lies above the ceiling, chance does not explain the difference.
 */
export const isProven = ({ low, ceiling }: StoryNumbers): boolean => low > ceiling;

/**
 * The sentence for the current state: the verdict and, if the team has learned, whether it certainly uses the message.
 */
export function sentenceOf(kind: VerdictKind, numbers: StoryNumbers) {
  const { iteration } = numbers;
  if (iteration === 0 || kind === 'waiting' || kind === 'failed') return 'measured';
  if (kind === 'learning' || kind === 'converged') return isProven(numbers) ? (`${kind}Proven` as const) : kind;
  return kind;
}
