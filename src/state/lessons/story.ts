// Where the story of a first visit stands: before anything was pressed, while the team learns, and when it is over. Told of
// the world that the page opens with alone, by the numbers of the newest evaluation.
import { presetConfig } from '../../config/presets.ts';
import type { Config } from '../../config/schema.ts';
import type { RunView } from '../run/runView.ts';
import type { VerdictKind } from '../run/verdict.ts';

export type StoryPhase = 'before' | 'during' | 'after';

export interface StoryNumbers {
  /** Shares right: of the warm start, now and the least it may be by its interval, at best, with the plan hidden, and of the best possible without messages. */
  start: number;
  now: number;
  low: number;
  best: number;
  masked: number;
  ceiling: number;
  iteration: number;
}

/** Null where there is no such story: another world or protocol, a run that failed, or one that another tab shows. */
export function phaseOf(config: Config, view: Pick<RunView, 'state' | 'iteration'>): StoryPhase | null {
  const { world, agents } = config;
  if (world.name !== presetConfig('default').world.name || world.also.length > 0 || agents.protocol !== 'reMA')
    return null;
  if (view.state === 'failed') return null;
  if (view.state === 'done') return 'after';
  return view.iteration === 0 && view.state !== 'training' ? 'before' : 'during';
}

/** Null before anything was measured. */
export function numbersOf({ evaluations }: Pick<RunView, 'evaluations'>): StoryNumbers | null {
  const [first] = evaluations;
  const last = evaluations.at(-1);
  if (!first || !last) return null;
  const best = Math.max(...evaluations.map(({ accuracy }) => accuracy));
  const { accuracy: now, low, maskedMessage: masked = now, ceiling, iteration } = last;
  return { start: first.accuracy, now, low, best, masked, ceiling, iteration };
}

/** Whether more comes out right than anybody could get without the message, by as much as the verdict asks for. */
export const isProven = ({ low, ceiling }: StoryNumbers): boolean => low > ceiling;

/** Which sentence is true now: what the verdict says, and of a team that has learned whether the message is proven. */
export function sentenceOf(kind: VerdictKind, numbers: StoryNumbers) {
  const { iteration } = numbers;
  if (iteration === 0 || kind === 'waiting' || kind === 'failed') return 'measured';
  if (kind === 'learning' || kind === 'converged') return isProven(numbers) ? (`${kind}Proven` as const) : kind;
  return kind;
}
