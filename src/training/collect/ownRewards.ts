// Computes each turn's own reward, before rewards are shared. A turn's own reward is the weighted sum of the reward
// parts in the world's assessment, minus the punishment for long turns. The score of an answer is one of these parts.
// With influence-aware rewards, this score is replaced by a reward that also depends on later answers (creditPay.ts).
import type { Config } from '../../config/schema.ts';
import { outcomeParts, stepParts, type WorldForm } from '../../config/worlds/form.ts';
import { partWeights } from '../../config/worlds/registry.ts';
import type { RolloutSettings } from '../../rollout/settings.ts';
import type { TurnAssessment } from '../../tasks/world.ts';
import type { RewardParts, Trajectory, Turn } from '../../records/trajectory.ts';

/**
 * The score of an answer, in [0, 1]. This is the verifier's score if this score is rewarded, and otherwise the world's
 * score.
 */
export function answerScore(turn: Turn, { verifier }: Config): number {
  return (verifier.reward > 0 ? turn.belief : turn.score) ?? 0;
}

/** The weight of the answer's score in the reward. */
export function answerWeight({ verifier, reward }: Config): number {
  return verifier.reward > 0 ? verifier.reward : reward.rightAnswer;
}

/** Whether a dialogue gets any rewards. With `agents.maskUnfinished`, unfinished dialogues get no rewards. */
export function isPaid({ finishCode }: Pick<Trajectory, 'finishCode'>, { agents }: Config): boolean {
  return !agents.maskUnfinished || finishCode === 0;
}

/** Stores the world's assessment in the turns, and the share of the token window that each turn left unused. */
export function noteAssessed(
  turns: readonly Turn[],
  found: readonly TurnAssessment[],
  { windows }: Pick<RolloutSettings, 'windows'>,
): void {
  turns.forEach((turn, t) => {
    const length = turn.isTruncated ? 0 : 1 - turn.tokens.length / windows[turn.role];
    const { parts, ...rest } = found[t] as TurnAssessment;
    Object.assign(turn, rest, { parts: { ...parts, length } });
  });
}

/** Whether the rewards of steps are compared separately from the rewards of outcomes (`learning.outcomeShare`). */
export const comparesSteps = ({ learning }: Pick<Config, 'learning'>): boolean => learning.outcomeShare < 1;

/**
 * The soft punishment for a long turn (DAPO 2503.14476, eq. 13), from 0 to 1: 0 until the last `share` of the window is
 * reached, 1 if the window is full. `unused` is the share of the window that the turn left unused, 0 for a turn that was
 * cut; a turn for which it is not known is not punished.
 */
export const softOverlong = (unused: number | undefined, share: number): number =>
  unused === undefined ? 0 : Math.min(1, Math.max(0, (share - unused) / share));

const punished = ({ parts }: Turn, { reward }: Config): number =>
  reward.overlong > 0 ? reward.overlong * softOverlong(parts['length'], reward.overlongShare) : 0;

/**
 * [turn] the weighted sum of those reward parts that assess steps, minus the punishment for long turns; 0 in a dialogue
 * without rewards.
 */
export function stepRewards(trajectory: Trajectory, config: Config, form: WorldForm): number[] {
  if (!isPaid(trajectory, config)) return trajectory.turns.map(() => 0);
  const weights = Object.entries(partWeights(config, form, stepParts(form)));
  return trajectory.turns.map((turn) => weighed(turn.parts, weights) - punished(turn, config));
}

const weighed = (parts: RewardParts, weights: readonly (readonly [string, number])[]) =>
  weights.reduce((sum, [name, weight]) => sum + weight * (parts[name] ?? 0), 0);

/**
 * [turn] the weighted sum of each turn's reward parts, minus the punishment for long turns; 0 in a dialogue without
 * rewards. If steps are compared separately, only the parts that assess the outcome are included.
 */
export function ownRewards(trajectory: Trajectory, config: Config, form: WorldForm): number[] {
  const { reward, verifier } = config;
  if (!isPaid(trajectory, config)) return trajectory.turns.map(() => 0);
  const isByInfluence = reward.influence !== 'off';
  const isByScore = isByInfluence && verifier.reward === 0;
  const ofAll = partWeights(config, form, comparesSteps(config) ? outcomeParts(form) : undefined);
  const weights = Object.entries(ofAll).filter(([name]) => !isByScore || name !== 'rightAnswer');
  return trajectory.turns.map((turn) => {
    const parts = weighed(turn.parts, weights) - (comparesSteps(config) ? 0 : punished(turn, config));
    return isByInfluence || verifier.reward === 0 ? parts : parts + verifier.reward * (turn.belief ?? 0);
  });
}
