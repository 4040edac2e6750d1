// VDN (1706.05296) and QMIX (1803.11485): a critic divides the value of a round among its messages. The contribution of
// a message to the value of its round is used instead of a reward (mixingLearning.ts). The contribution is compared
// with the contributions of other messages that the same agent generated in the same context. If there is no message to
// compare with, the advantage is 0 and the message counts as a lone member. The spread is computed over all compared
// messages, because in a small group with nearly equal values, a division by the group's own spread would turn rounding
// errors into large advantages. In the first iterations, in which the critic is trained but not used yet, the advantage
// is computed with the formula of GRPO from the plain team reward.
import { std } from '../../base/stats.ts';
import { ShapeError } from '../../base/errors.ts';
import { placesByKey } from '../../base/groups.ts';
import { parts, type TermValues } from '../../records/formula.ts';
import { groupAdvantage } from '../maths/advantage.ts';
import type { MessageWorth } from '../maths/mixing.ts';
import { columnsOf, type LearnerFormula } from './formula.ts';
import { groupMeanAdvantages, groupMeanFormula } from './groupMean.ts';
import type { Advantages, Collected } from './learner.ts';
import { eachAction } from '../rows/rows.ts';
import { groupUnits, inLossOf, spread, type Units } from './units.ts';

export const messageDeviations = [
  '1. Only the credit assignment is taken from the paper. In the paper, agents choose actions by their values. In Cothink, agents are policies that are trained by the clipped policy gradient, a step is a round, and the amount that a message adds to Q_tot replaces the reward of the message.',
  '2. In the first learning.teamRewardIterations iterations, the critic is trained but not used; the advantage is computed from the reward of the team as in GRPO.',
  '3. The return of the round minus Q_tot is also part of the credit of a message (learning.mixingResidual, mixingLearning.ts).',
];

/** Computes the advantages of VDN and QMIX. */
export function messageAdvantages(collected: Collected): Advantages {
  const { mixed, config } = collected;
  if (!mixed) return groupMeanAdvantages(withKey(collected, 'problem'));
  const { units, centred, spreadOfAll } = comparedMessages(collected, mixed.worth);
  const scale = config.learning.groupStd ? spreadOfAll + 1e-6 : 1;
  return spread(
    units,
    centred.map((x) => x / scale),
    inLossOf(collected),
  );
}

/** The same collected data with another setting `learning.groupKey`. */
const withKey = (collected: Collected, groupKey: Collected['config']['learning']['groupKey']): Collected => ({
  ...collected,
  config: { ...collected.config, learning: { ...collected.config.learning, groupKey } },
});

const worthOf = ({ total, without, missed }: MessageWorth, turn: number): number =>
  (total[turn] as number) - (without[turn] as number) + (missed[turn] as number);

/**
 * Units that consist of single messages, with the value of the message instead of its reward. The key contains all
 * earlier messages.
 */
function messageUnits(collected: Collected, worth: readonly MessageWorth[]): Units {
  const { trajectories, config } = collected;
  const rewards = trajectories.map(({ turns, prompts }, i) => {
    const own = worth[i];
    if (own?.total.length !== turns.length)
      throw new ShapeError(
        `mixed: expected a worth for each of ${turns.length} messages, got ${own?.total.length ?? 'none'}.`,
      );
    return turns.map((_, turn) => prompts.map(() => worthOf(own, turn)));
  });
  const keyed = withKey({ ...collected, rewards }, 'problem+agent+turn');
  return groupUnits({
    ...keyed,
    config: { ...keyed.config, reward: { ...config.reward, over: 'accumulated' } }, // a turn has its own value
  });
}

interface ComparedMessages {
  units: Units;
  /** The value of each message minus the mean value in its group; 0 if the group has no other message. */
  centred: Float64Array;
  /**
   * The unbiased standard deviation of the centred values of all compared messages; 0 if there are no such messages.
   */
  spreadOfAll: number;
}

/** Compares all messages of a collection. */
function comparedMessages(collected: Collected, worth: readonly MessageWorth[]): ComparedMessages {
  const units = messageUnits(collected, worth);
  const { rewards, keys } = units;
  const centred = groupAdvantage(rewards, keys, { std: false, lone: 'zero' });
  const compared = [...placesByKey(keys).values()].flatMap((members) => (members.length > 1 ? members : []));
  const spreadOfAll = compared.length > 0 ? std(compared.map((unit) => centred[unit] as number)) : 0;
  return { units, centred, spreadOfAll };
}

/**
 * The formula card for iterations in which the mixing critic is trained but not used yet. In these iterations, whole
 * dialogues are compared by the plain team reward.
 */
const plainFormula: LearnerFormula = {
  ...groupMeanFormula,
  terms: (collected) => groupMeanFormula.terms(withKey(collected, 'problem')),
  isUniform: () => true,
};

/**
 * The formula card of VDN and QMIX: the contribution of a message to the value of its round is compared with the
 * contributions of the same agent's messages in the same context.
 */
export const messageFormula: LearnerFormula = {
  before: () => [{ title: 'Worth', left: 'worth', right: parts`${'roundValue'} − ${'roundWithout'} + ${'missed'}` }],
  advantage: ({ learning }) =>
    learning.groupStd
      ? parts`(${'worth'} − ${'othersWorth'}) / (${'comparedSpread'} + 10⁻⁶)`
      : parts`${'worth'} − ${'othersWorth'}`,
  constants: () => ({}),
  terms: (collected) => {
    const ofTrajectories = collected.mixed?.worth ?? [];
    const { units, centred, spreadOfAll } = comparedMessages(collected, ofTrajectories);
    const known: TermValues[] = [];
    eachAction(collected.batch, ({ at, trajectory, turn }) => {
      const unit = units.unitOf[at] as number;
      const worth = units.rewards[unit] as number;
      const { total, without } = ofTrajectories[trajectory] as MessageWorth;
      const [roundValue, roundWithout] = [total[turn] as number, without[turn] as number];
      known[at] = {
        ...{ roundValue, roundWithout, missed: worth - roundValue + roundWithout, worth },
        ...{ othersWorth: worth - (centred[unit] as number), comparedSpread: spreadOfAll },
      };
    });
    return columnsOf(known, collected);
  },
  isUniform: ({ learning }) => learning.ratioLevel === 'turn',
  early: plainFormula,
};
