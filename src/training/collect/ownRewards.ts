// What each turn earns by itself, before anybody shares it: the weighed components that the world found. What an answer
// is worth is one of them; with influence-aware rewards it is paid by what follows it instead (creditPay.ts).
import type { Config } from '../../config/schema.ts';
import { rewardNames, type Trajectory, type Turn } from '../../records/trajectory.ts';

/** What an answer scores, in [0, 1]: what the verifier believes of it where that is paid, else what the world says. */
export function answerScore(turn: Turn, { verifier }: Config): number {
  return (verifier.reward > 0 ? turn.belief : turn.score) ?? 0;
}

/** Weight of that score in the reward. */
export function answerWeight({ verifier, reward }: Config): number {
  return verifier.reward > 0 ? verifier.reward : reward.rightAnswer;
}

/** Whether a dialogue is paid at all. */
export function isPaid({ finishCode }: Pick<Trajectory, 'finishCode'>, { agents }: Config): boolean {
  return !agents.maskUnfinished || finishCode === 0;
}

/** [turn] the weighed components of each turn; nothing in a dialogue that is not paid. */
export function ownRewards(trajectory: Trajectory, config: Config): number[] {
  const { reward, verifier } = config;
  if (!isPaid(trajectory, config)) return trajectory.turns.map(() => 0);
  const isByInfluence = reward.influence !== 'off';
  const names = isByInfluence && verifier.reward === 0 ? rewardNames.filter((name) => name !== 'rightAnswer') : rewardNames; // prettier-ignore
  return trajectory.turns.map((turn) => {
    const parts = names.reduce((sum, name) => sum + reward[name] * turn.parts[name], 0);
    return isByInfluence || verifier.reward === 0 ? parts : parts + verifier.reward * (turn.belief ?? 0);
  });
}
