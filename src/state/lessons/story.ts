// The stage of a first visit's story: before the visitor starts, while the team learns, and at the end. It exists only
// for the world that the page opens with, and uses the numbers of the newest evaluation.
import { presetConfig } from '../../config/presets.ts';
import type { Config } from '../../config/schema.ts';
import type { RunView } from '../trainer/runView.ts';
import type { VerdictKind } from '../run/verdict.ts';

export type StoryPhase = 'before' | 'during' | 'after';

export interface StoryNumbers {
  /** Shares right: of the warm start and now, each with its interval, at best, and of the best possible without messages, on average. */
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

/** Null if there is no such story: another world or protocol, a failed run, or one that another tab shows. */
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

/** Null before the first measurement. */
export function numbersOf({ evaluations }: Pick<RunView, 'evaluations'>): StoryNumbers | null {
  const [first] = evaluations;
  const last = evaluations.at(-1);
  if (!first || !last) return null;
  const best = Math.max(...evaluations.map(({ accuracy }) => accuracy));
  const { accuracy: now, low, high, ceiling, iteration } = last;
  const { accuracy: start, low: startLow, high: startHigh } = first;
  return { start, startLow, startHigh, now, low, high, best, ceiling, iteration };
}

/** The sentence that is true at the end: one says more or less only if the intervals do not overlap. */
export function endOf({ low, high, startLow, startHigh }: StoryNumbers): 'gain' | 'loss' | 'same' {
  return low > startHigh ? 'gain' : high < startLow ? 'loss' : 'same';
}

/**
 * Whether the team is right more often than an agent without the message, whose average is at most the ceiling: the
 * interval lies above it, so chance does not explain it.
 */
export const isProven = ({ low, ceiling }: StoryNumbers): boolean => low > ceiling;

/**
 * The sentence that is true now: the verdict and, for a team that has learned, whether the use of the message is
 * proven.
 */
export function sentenceOf(kind: VerdictKind, numbers: StoryNumbers) {
  const { iteration } = numbers;
  if (iteration === 0 || kind === 'waiting' || kind === 'failed') return 'measured';
  if (kind === 'learning' || kind === 'converged') return isProven(numbers) ? (`${kind}Proven` as const) : kind;
  return kind;
}
