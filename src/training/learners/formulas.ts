// How each learner makes an advantage, as lines of terms and the numbers in them, for the page to fill in. The numbers
// come from the same functions as the advantages. A term that does not apply (the group of a lone member) is NaN.
import { mean, std } from '../../base/stats.ts';
import type { Config } from '../../config/schema.ts';
import type { LearnerName } from '../../config/names.ts';
import type { FormulaPart, TermName } from '../../records/formula.ts';
import type { Collected } from './learner.ts';
import { jointAdvantages, jointTurns } from './mappo.ts';
import { comparedMessages, withKey } from './mixed.ts';
import { ppoSpans } from './ppo.ts';
import { learners } from './registry.ts';
import { agentSequences } from './tokenRewards.ts';
import { gained, groupUnits } from './units.ts';

/** [B·T] each; what stands on masked tokens means nothing. */
export type TermColumns = Partial<Record<TermName, Float64Array>>;

export interface LearnerFormula {
  /** What the advantage equals. */
  advantage: (config: Config) => FormulaPart[];
  constants: (config: Config) => Partial<Record<TermName, number>>;
  terms: (collected: Collected) => TermColumns;
  /** Whether all tokens of a span have one advantage. */
  isUniform: (config: Config) => boolean;
}

const term = (name: TermName): FormulaPart => ({ term: name });
const noConstants = () => ({});
const isUniform = ({ learning }: Config) => learning.ratioLevel === 'turn' || learning.groupKey === 'problem';

/** Gives each token what `ofUnit` says of its unit and of all members of the unit's group. */
function unitTerms(
  collected: Collected,
  ofUnit: (reward: number, group: readonly number[]) => Partial<Record<TermName, number>>,
): TermColumns {
  const { rewards, keys, unitOf } = groupUnits(collected);
  const groups = new Map<string, number[]>();
  keys.forEach((key, unit) => groups.set(key, [...(groups.get(key) ?? []), rewards[unit] as number]));
  const found = keys.map((key, unit) => ofUnit(rewards[unit] as number, groups.get(key) as number[]));
  const names = Object.keys(found[0] ?? {}) as TermName[];
  return Object.fromEntries(
    names.map((name) => [name, Float64Array.from(unitOf, (unit) => found[unit]?.[name] ?? Number.NaN)]),
  );
}

const grpo: LearnerFormula = {
  advantage: ({ learning }) =>
    learning.groupStd
      ? ['(', term('reward'), ' − ', term('groupMean'), ') / (', term('groupSpread'), ' + 10⁻⁶)']
      : [term('reward'), ' − ', term('groupMean')],
  constants: noConstants,
  terms: (collected) =>
    unitTerms(collected, (reward, group) => ({
      reward,
      groupMean: group.length > 1 ? mean(group) : Number.NaN,
      ...(collected.config.learning.groupStd && { groupSpread: group.length > 1 ? std(group) : Number.NaN }),
    })),
  isUniform,
};

const rloo: LearnerFormula = {
  advantage: () => [term('reward'), ' − ', term('othersMean')],
  constants: noConstants,
  terms: (collected) =>
    unitTerms(collected, (reward, group) => ({
      reward,
      othersMean: (group.reduce((sum, other) => sum + other, 0) - reward) / (group.length - 1),
    })),
  isUniform,
};

/** The same where advantages count by how sure their units were (UMAD 2603.01221): that factor comes first. */
function withConfidence(plain: LearnerFormula): LearnerFormula {
  return {
    ...plain,
    advantage: (config) => {
      const parts = plain.advantage(config);
      return config.reward.umadConfidence > 0 ? [term('confidence'), ' · (', ...parts, ')'] : parts;
    },
    terms: (collected) => {
      const units = groupUnits(collected);
      if (!units.confidence) return plain.terms(collected);
      const factors = gained(units, new Float64Array(units.keys.length).fill(1));
      const confidence = Float64Array.from(units.unitOf, (unit) => factors[unit] ?? Number.NaN);
      return { ...plain.terms(collected), confidence };
    },
  };
}

const reinforcePlusPlus: LearnerFormula = {
  advantage: () => ['(', term('toGo'), ' − ', term('batchMean'), ') / (', term('batchSpread'), ' + 10⁻⁸)'],
  constants: ({ learning }) => ({ gamma: learning.gamma }),
  terms: (collected) => {
    const toGo = new Float64Array(collected.batch.ids.length);
    const all: number[] = [];
    for (const { at, rewards } of agentSequences(collected)) {
      let sum = 0;
      for (let i = at.length - 1; i >= 0; i--) {
        sum = (rewards[i] as number) + collected.config.learning.gamma * sum;
        toGo[at[i] as number] = sum;
        all.push(sum);
      }
    }
    const size = toGo.length;
    return {
      toGo,
      batchMean: new Float64Array(size).fill(mean(all)),
      batchSpread: new Float64Array(size).fill(std(all)),
    };
  },
  isUniform: () => false,
};

const ppo: LearnerFormula = {
  advantage: () => [
    ...[term('paid'), ' + ', term('gamma'), ' · ', term('nextValue'), ' − ', term('value')],
    ...[' + ', term('gamma'), ' · ', term('lambda'), ' · ', term('nextAdvantage')],
  ],
  constants: ({ learning, reward }) =>
    learning.gaeLevel === 'turn'
      ? { gamma: reward.gammaTurn, lambda: learning.lambdaTurn }
      : { gamma: learning.gamma, lambda: learning.gaeLambda },
  terms: (collected) => {
    const column = () => new Float64Array(collected.batch.ids.length);
    const columns = { paid: column(), value: column(), nextValue: column(), nextAdvantage: column() };
    for (const sequence of agentSequences(collected)) {
      const spans = ppoSpans(collected, sequence);
      spans.forEach(({ at, reward, value }, i) => {
        const next = spans[i + 1];
        for (const flat of at) {
          columns.paid[flat] = reward;
          columns.value[flat] = value;
          columns.nextValue[flat] = next?.value ?? 0;
          columns.nextAdvantage[flat] = next?.advantage ?? 0;
        }
      });
    }
    return columns;
  },
  isUniform: ({ learning }) => learning.gaeLevel === 'turn' && learning.ratioLevel === 'turn',
};

/** The same over all turns of the team: turns said at once are one step of it. */
const mappo: LearnerFormula = {
  advantage: ppo.advantage,
  constants: ({ learning, reward }) => ({ gamma: reward.gammaTurn, lambda: learning.lambdaTurn }),
  terms: (collected) => {
    const estimate = jointAdvantages(collected);
    const ofTurns = jointTurns(collected).map(({ rewards, values, sets }, i) => {
      const steps = [...new Set(sets)].map((set) => {
        const turns = [...sets.keys()].filter((turn) => sets[turn] === set);
        return {
          paid: turns.reduce((sum, turn) => sum + mean(rewards[turn] as readonly number[]), 0),
          value: mean(turns.map((turn) => values[turn] as number)),
          advantage: estimate[i]?.advantages[turns[0] as number] as number,
        };
      });
      return sets.map((set) => {
        const at = [...new Set(sets)].indexOf(set);
        const [{ paid, value }, next] = [steps[at] as (typeof steps)[number], steps[at + 1]];
        return { paid, value, nextValue: next?.value ?? 0, nextAdvantage: next?.advantage ?? 0 };
      });
    });
    const column = () => new Float64Array(collected.batch.ids.length);
    const columns = { paid: column(), value: column(), nextValue: column(), nextAdvantage: column() };
    const { batch } = collected;
    batch.actionMask.forEach((is, flat) => {
      if (is === 0) return;
      const trajectory = batch.trajectoryIds[Math.floor(flat / batch.length)] as number;
      const found = ofTurns[trajectory]?.[batch.turnIds[flat] as number];
      if (found) for (const name of Object.keys(columns) as (keyof typeof columns)[]) columns[name][flat] = found[name];
    });
    return columns;
  },
  isUniform: ({ learning }) => learning.ratioLevel === 'turn',
};

/** A message's Q_i against those of the messages it is compared with. */
const mixed: LearnerFormula = {
  advantage: ({ learning }) =>
    learning.groupStd
      ? ['(', term('worth'), ' − ', term('othersWorth'), ') / (', term('batchSpread'), ' + 10⁻⁶)']
      : [term('worth'), ' − ', term('othersWorth')],
  constants: noConstants,
  terms: (collected) => {
    const { units, centred, spreadOfAll } = comparedMessages(collected, collected.mixed?.q ?? []);
    const column = (of: (unit: number) => number) =>
      Float64Array.from(units.unitOf, (unit) => (unit < 0 ? Number.NaN : of(unit)));
    return {
      worth: column((unit) => units.rewards[unit] as number),
      othersWorth: column((unit) => (units.rewards[unit] as number) - (centred[unit] as number)),
      batchSpread: column(() => spreadOfAll),
    };
  },
  isUniform: ({ learning }) => learning.ratioLevel === 'turn',
};

/** While the mixing critic only learns: the plain team reward, dialogue against dialogue. */
const plain: LearnerFormula = {
  ...grpo,
  terms: (collected) => grpo.terms(withKey(collected, 'problem')),
  isUniform: () => true,
};

/** The card of a learner in an iteration; null for one without. `collected.mixed` tells the phase of VDN and QMIX. */
export function learnerFormulaOf(
  { learning }: Config,
  { mixed: worth }: Pick<Collected, 'mixed'>,
): LearnerFormula | null {
  if (learners[learning.learner].critic === 'mixing') return worth ? mixed : plain;
  return learnerFormulas[learning.learner] ?? null;
}

/** Learners of a policy loss that have a card. */
const learnerFormulas: Partial<Record<LearnerName, LearnerFormula>> = {
  ...{ grpo: withConfidence(grpo), rloo: withConfidence(rloo), reinforcePlusPlus, ppo, mappo },
  ...{ cory: withConfidence(grpo), ippo: ppo, happo: mappo },
};
