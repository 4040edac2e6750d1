// Computes rewards for the effect of a turn on other agents. Only the speaker of the turn gets these rewards. There are
// three kinds: influence-aware rewards, which replace the reward for the right answer (MAPoRL 2502.18439), a bonus if
// the answers of other agents improve (UMAD 2603.01221), and a reward for causal influence (Dr. MAMR 2511.02303), which
// is measured beforehand (influencePass.ts). Deviations: (1) a time step is a round, in which the leader of a summary
// answers after its members; (2) in UMAD, the improvement of the others is measured by the scores of their answers
// instead of their rewards, so that the order of the calculation does not matter.
import type { Config } from '../../config/schema.ts';
import type { Trajectory, Turn } from '../../records/trajectory.ts';
import { influenceAwareReward, influenceBonus, influenceSigns } from '../maths/credit.ts';
import { answerScore, answerWeight, isPaid } from './ownRewards.ts';

/**
 * [turn] the reward that the speaker of each turn gets for its effect on others, in addition to its own reward. Null if
 * all such rewards are disabled.
 */
export function creditPay(trajectory: Trajectory, config: Config): number[] | null {
  const { influence, umadInfluence, causal } = config.reward;
  if (influence === 'off' && umadInfluence === 0 && causal === 0) return null;
  const out = trajectory.turns.map(() => 0);
  if (!isPaid(trajectory, config)) return out;
  const add = (paid: readonly number[]) => paid.forEach((r, turn) => (out[turn] = (out[turn] as number) + r));
  if (influence !== 'off') add(influencePay(trajectory, config, influence));
  if (umadInfluence > 0) {
    const signs = influenceSigns(scoresByRound(trajectory, config));
    add(
      byTurn(
        trajectory,
        signs.map((row) => row.map((sign) => umadInfluence * sign)),
      ),
    );
  }
  if (causal > 0) add(trajectory.turns.map((turn) => causal * (turn.influence ?? 0)));
  return out;
}

/** [turn] the weighted influence-aware reward, with the bonuses for changed answers. */
function influencePay(trajectory: Trajectory, config: Config, horizon: 'last' | 'current' | 'discounted'): number[] {
  const { reward } = config;
  const worth = influenceAwareReward(scoresByRound(trajectory, config), {
    gamma: reward.influenceGamma,
    horizon,
    share: reward.influenceShare,
  });
  const bonus = influenceBonus(rightByRound(trajectory), {
    change: { wrong: reward.influenceAlpha0, right: reward.influenceAlpha1 },
    sway: { wrong: reward.influenceBeta0, right: reward.influenceBeta1 },
  });
  const weight = answerWeight(config);
  return byTurn(
    trajectory,
    worth.map((row, t) => row.map((s, agent) => weight * s + (bonus[t]?.[agent] as number))),
  );
}

type Answered = Pick<Trajectory, 'turns' | 'prompts'>;

/** [round][agent] the answer of each agent; null if the agent gave no answer. Rounds without answers have no row. */
export function answersByRound({ turns, prompts }: Answered): (Turn | null)[][] {
  const table: (Turn | null)[][] = [];
  for (const turn of turns) {
    if (turn.isRight === undefined) continue;
    const row = (table[turn.round] ??= prompts.map(() => null));
    row[turn.agent] = turn;
  }
  return table.filter(Boolean);
}

/** [round][agent] whether each answer was right; false for an agent without an answer. */
export function rightByRound(trajectory: Answered): boolean[][] {
  return answersByRound(trajectory).map((row) => row.map((turn) => turn?.isRight ?? false));
}

/** [round][agent] the score of each answer; 0 for an agent without an answer. */
export function scoresByRound(trajectory: Answered, config: Config): number[][] {
  return answersByRound(trajectory).map((row) => row.map((turn) => (turn ? answerScore(turn, config) : 0)));
}

/** Converts a table [round][agent] to one number per turn, with 0 for turns without an answer. */
export function byTurn(trajectory: Answered, table: readonly (readonly number[])[]): number[] {
  const out = trajectory.turns.map(() => 0);
  answersByRound(trajectory).forEach((row, round) =>
    row.forEach((turn, agent) => {
      if (turn) out[turn.index] = table[round]?.[agent] ?? 0;
    }),
  );
  return out;
}
