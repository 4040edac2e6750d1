// Builds the formula card for learners that compare the reward of each unit with the rewards of the unit's group.
import { placesByKey } from '../../base/groups.ts';
import type { Config } from '../../config/schema.ts';
import { parts, type FormulaPart, type TermName, type TermValues } from '../../records/formula.ts';
import { comparesSteps } from '../collect/ownRewards.ts';
import { unitColumns, type LearnerFormula } from './formula.ts';
import { gained, groupUnits, stepUnits, type Units } from './units.ts';

const isUniform = ({ learning: { ratioLevel, groupKey } }: Config) =>
  ratioLevel === 'turn' || groupKey === 'problem' || (ratioLevel === 'trajectory' && groupKey === 'problem+agent');

/**
 * The names of the terms in a comparison. A unit is compared with the units of its group, and a step is compared with
 * the steps at the same position.
 */
interface Compared {
  own: TermName;
  middle: TermName;
  spread: TermName;
  /** The name of the result, which the card shows if both units and steps are compared. */
  result: TermName;
}

const stepTerms: Compared = { own: 'stepReward', middle: 'stepMean', spread: 'stepSpread', result: 'stepAdvantage' };

/** The reward of a unit, and all rewards and numbers of tokens of its group, including those of the unit. */
interface InGroup {
  reward: number;
  group: readonly number[];
  lengths: readonly number[];
}

/** The units of a collection, each with its group. */
function inGroups({ rewards, keys, lengths }: Units): InGroup[] {
  const groups = placesByKey(keys);
  return keys.map((key, unit) => {
    const members = groups.get(key) ?? [];
    return {
      reward: rewards[unit] as number,
      group: members.map((member) => rewards[member] as number),
      lengths: members.map((member) => lengths[member] as number),
    };
  });
}

/**
 * Describes how a learner compares units: the symbols of the formula, the numbers in the formula for one unit, and the
 * function that computes the advantages.
 */
interface Comparison {
  unitTerms: Compared;
  formula: (config: Config, by: Compared) => FormulaPart[];
  termsOf: (unit: InGroup, config: Config, by: Compared) => TermValues;
  advantages: (units: Units, config: Config) => Float64Array;
}

/**
 * The formula that compares a unit's reward with the rewards of its group. If steps are compared separately, the
 * formula also compares the reward of the unit's turn. If advantages are weighted by the confidence of their units
 * (UMAD 2603.01221), the confidence is the first factor.
 */
export function comparisonFormula({ unitTerms, formula, termsOf, advantages }: Comparison): LearnerFormula {
  return {
    before: (config) =>
      comparesSteps(config)
        ? [
            { title: 'Outcome', left: unitTerms.result, right: formula(config, unitTerms) },
            { title: 'Step', left: stepTerms.result, right: formula(config, stepTerms) },
          ]
        : [],
    advantage: (config) => {
      if (comparesSteps(config))
        return parts`${'outcomeShare'} · ${unitTerms.result} + (1 − ${'outcomeShare'}) · ${stepTerms.result}`;
      const ofUnit = formula(config, unitTerms);
      return config.reward.umadConfidence > 0 ? parts`${'confidence'} · (${ofUnit})` : ofUnit;
    },
    constants: (config) => (comparesSteps(config) ? { outcomeShare: config.learning.outcomeShare } : {}),
    terms: (collected) => {
      const { config, steps } = collected;
      const units = groupUnits(collected);
      const columns = (of: Units, by: Compared) => {
        const known = inGroups(of);
        const results = steps && advantages(of, config);
        const terms = (unit: number) => ({
          ...termsOf(known[unit] as InGroup, config, by),
          ...(results && { [by.result]: results[unit] }),
        });
        return unitColumns(of, terms, collected);
      };
      const factors = units.confidence && gained(units, new Float64Array(units.keys.length).fill(1));
      return {
        ...columns(units, unitTerms),
        ...(factors && unitColumns(units, (unit) => ({ confidence: factors[unit] as number }), collected)),
        ...(steps && columns(stepUnits(collected), stepTerms)),
      };
    },
    isUniform: (config) => isUniform(config) && !(comparesSteps(config) && config.learning.ratioLevel !== 'turn'),
  };
}
