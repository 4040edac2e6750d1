// ReMemR1 (2509.23040): an agent that reads in steps and keeps a memory is credited for the outcome, compared with
// other rollouts of its question, and for what each step did to its memory, compared at the same step.
import { ConfigError, ShapeError } from '../../base/errors.ts';
import { placesByKey } from '../../base/groups.ts';
import { mean } from '../../base/stats.ts';
import { groupAdvantage } from './advantage.ts';

/**
 * α·A_outcome + (1−α)·A_state, each a reward minus the mean of its group, without std; a lone member has 0.
 * An entry is one step of one rollout: `outcome` [N] the rollout's reward R, keyed by question; `state` [N] the step's
 * r_action + r_format, keyed by question and step. Every rollout has an entry of its first step, so both means run over
 * rollouts: a question's outcome over the entries of the step that most of its entries share, which is one a rollout.
 * Throws ShapeError when lengths differ, ConfigError for alpha outside [0, 1].
 */
// eslint-disable-next-line @typescript-eslint/max-params -- a public signature
export function mixedAdvantage(
  outcome: ArrayLike<number>,
  outcomeKeys: readonly string[],
  state: ArrayLike<number>,
  stateKeys: readonly string[],
  alpha: number,
): Float64Array {
  if (state.length !== outcome.length)
    throw new ShapeError(
      `mixedAdvantage: state must hold ${outcome.length} numbers, as outcome does, got ${state.length}; ` +
        'repeat the outcome for every step of its rollout.',
    );
  if (outcomeKeys.length !== outcome.length)
    throw new ShapeError(
      `mixedAdvantage: expected one question for each of ${outcome.length} entries, got ${outcomeKeys.length}.`,
    );
  if (!(alpha >= 0 && alpha <= 1))
    throw new ConfigError(`mixedAdvantage: alpha must lie in [0, 1], got ${alpha}; the paper has 0.8.`);
  const ofOutcome = lessMeanOfRollouts(outcome, outcomeKeys, stateKeys);
  const ofState = groupAdvantage(state, stateKeys, { std: false, lone: 'zero' });
  return ofOutcome.map((advantage, at) => alpha * advantage + (1 - alpha) * (ofState[at] as number));
}

/** Each outcome minus the mean outcome of the rollouts of its question; 0 where there is but one. */
function lessMeanOfRollouts(
  outcome: ArrayLike<number>,
  questions: readonly string[],
  steps: readonly string[],
): Float64Array {
  const out = new Float64Array(outcome.length);
  for (const places of placesByKey(questions).values()) {
    const ofSteps = [...placesByKey(places.map((at) => steps[at] as string)).values()];
    const rollouts = ofSteps.reduce((most, step) => (step.length > most.length ? step : most), []);
    const centre = mean(rollouts.map((i) => outcome[places[i] as number] as number));
    if (rollouts.length > 1) for (const at of places) out[at] = (outcome[at] as number) - centre;
  }
  return out;
}

/** What one step had before it, as the facts found there. */
export interface MemoryStep {
  /** m_{t−1}. */
  before: ReadonlySet<string>;
  /** m_t. */
  after: ReadonlySet<string>;
  /** Called back from older memories. */
  recalled: ReadonlySet<string>;
  /** Everything else in the step's prompt. */
  prompt: ReadonlySet<string>;
}

/** Share of the gold facts that are present, in [0, 1]. Throws ShapeError without gold facts. */
export function cover(present: ReadonlySet<string>, gold: readonly string[]): number {
  if (gold.length === 0) throw new ShapeError('cover: expected at least one gold fact, got none; name the facts.');
  return gold.filter((fact) => present.has(fact)).length / gold.length;
}

/**
 * r_action = [cover(m_t) − cover(m_{t−1})] + max(0, cover(recalled ∪ prompt) − cover(prompt)), in [−1, 2]: what the
 * new memory gained or lost, and what calling back added to what was in view. Throws as `cover`.
 */
export function memoryReward({ before, after, recalled, prompt }: MemoryStep, gold: readonly string[]): number {
  const inView = new Set([...recalled, ...prompt]);
  return cover(after, gold) - cover(before, gold) + Math.max(0, cover(inView, gold) - cover(prompt, gold));
}
