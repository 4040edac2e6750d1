// How each learner makes an advantage, as lines of terms and the numbers in them, for the page to fill in. The numbers
// come from the same functions as the advantages. A term that does not apply (the group of a lone member) is NaN.
import { placesByKey } from '../../base/groups.ts';
import { mean, std } from '../../base/stats.ts';
import { comparesSteps } from '../collect/ownRewards.ts';
import type { Config } from '../../config/schema.ts';
import type { LearnerName } from '../../config/names.ts';
import { parts, type FormulaLine, type FormulaPart, type TermName, type TermValues } from '../../records/formula.ts';
import { groupAdvantage, looAdvantage, returnsToGo } from '../maths/advantage.ts';
import type { MessageWorth } from '../maths/mixing.ts';
import { eachAction } from '../rows/rows.ts';
import type { Collected } from './learner.ts';
import { jointAdvantages } from './mappo.ts';
import { comparedMessages, withKey } from './mixed.ts';
import { ppoSpans } from './ppo.ts';
import { learners } from './registry.ts';
import { whitenedTogether } from './reinforcePlusPlus.ts';
import { agentSequences } from './tokenRewards.ts';
import { gained, groupUnits, stepUnits, type Units } from './units.ts';

/** [B·T] each; what stands on masked tokens means nothing. */
export type TermColumns = Partial<Record<TermName, Float64Array>>;

export interface LearnerFormula {
  /** What the advantage is made of, each a line before it; absent: none. */
  before?: (config: Config) => FormulaLine[];
  /** What the advantage equals. */
  advantage: (config: Config) => FormulaPart[];
  constants: (config: Config) => TermValues;
  terms: (collected: Collected) => TermColumns;
  /** Whether all tokens of a span have one advantage, before it is whitened. */
  isUniform: (config: Config) => boolean;
}

const noConstants = () => ({});
const isUniform = ({ learning: { ratioLevel, groupKey } }: Config) =>
  ratioLevel === 'turn' || groupKey === 'problem' || (ratioLevel === 'trajectory' && groupKey === 'problem+agent');

/** [B·T] what is known of each token, as columns; NaN where nothing is. */
function columnsOf(known: readonly (TermValues | undefined)[], { batch }: Collected): TermColumns {
  const names = Object.keys(known.find((values) => values) ?? {}) as TermName[];
  const column = (name: TermName) => Float64Array.from(batch.ids, (_, at) => known[at]?.[name] ?? Number.NaN);
  return Object.fromEntries(names.map((name) => [name, column(name)]));
}

/** Gives each token what is known of its unit. */
function unitColumns({ keys, unitOf }: Units, of: (unit: number) => TermValues, collected: Collected): TermColumns {
  const found = keys.map((_, unit) => of(unit));
  const known = Array.from(unitOf, (unit) => found[unit]);
  return columnsOf(known, collected);
}

/** The names that a comparison goes by: of a unit with its group, or of a step with the same step. */
interface Compared {
  own: TermName;
  middle: TermName;
  spread: TermName;
  /** What comes of it, where both are compared. */
  result: TermName;
}

const stepTerms: Compared = { own: 'stepReward', middle: 'stepMean', spread: 'stepSpread', result: 'stepAdvantage' };

/** What a unit's reward is, and those of its group, itself included. */
interface InGroup {
  reward: number;
  group: readonly number[];
}

/** The units of a collection, each with its group. */
function inGroups({ rewards, keys }: Units): InGroup[] {
  const groups = placesByKey(keys);
  return keys.map((key, unit) => ({
    reward: rewards[unit] as number,
    group: groups.get(key)?.map((member) => rewards[member] as number) ?? [],
  }));
}

/** How a learner compares: in symbols, in the numbers of a unit, and as its advantages do. */
interface Comparison {
  unitTerms: Compared;
  formula: (config: Config, by: Compared) => FormulaPart[];
  termsOf: (unit: InGroup, config: Config, by: Compared) => TermValues;
  advantages: (units: Units, config: Config) => Float64Array;
}

/**
 * What a unit's reward is compared with in its group, and where steps are compared apart what its turn earned. Where
 * advantages count by how sure their units were (UMAD 2603.01221), that factor comes first.
 */
function compared({ unitTerms, formula, termsOf, advantages }: Comparison): LearnerFormula {
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

const grpo = compared({
  unitTerms: { own: 'reward', middle: 'groupMean', spread: 'groupSpread', result: 'outcomeAdvantage' },
  formula: ({ learning }, { own, middle, spread }) =>
    learning.groupStd ? parts`(${own} − ${middle}) / (${spread} + 10⁻⁶)` : parts`${own} − ${middle}`,
  termsOf: ({ reward, group }, { learning }, { own, middle, spread }) => ({
    [own]: reward,
    [middle]: group.length > 1 ? mean(group) : Number.NaN,
    ...(learning.groupStd && { [spread]: group.length > 1 ? std(group) : Number.NaN }),
  }),
  advantages: ({ rewards, keys }, { learning }) =>
    groupAdvantage(rewards, keys, { std: learning.groupStd, lone: 'zero' }),
});

const rloo = compared({
  unitTerms: { own: 'reward', middle: 'othersMean', spread: 'groupSpread', result: 'outcomeAdvantage' },
  formula: (_, { own, middle }) => parts`${own} − ${middle}`,
  termsOf: ({ reward, group }, _, { own, middle }) => ({
    [own]: reward,
    [middle]: (group.reduce((sum, other) => sum + other, 0) - reward) / (group.length - 1),
  }),
  advantages: ({ rewards, keys }) => looAdvantage(rewards, keys, { lone: 'zero' }),
});

const reinforcePlusPlus: LearnerFormula = {
  advantage: () => parts`(${'toGo'} − ${'batchMean'}) / √(${'batchSpread'}² + 10⁻⁸)`,
  constants: ({ learning }) => ({ gamma: learning.gamma }),
  terms: (collected) => {
    const sequences = agentSequences(collected);
    const returns = sequences.map(({ rewards, discounts }) => returnsToGo(rewards, discounts));
    const known: TermValues[] = [];
    for (const together of whitenedTogether(sequences, collected)) {
      const all = together.flatMap((place) => [...(returns[place] as Float64Array)]);
      const ofBatch = { batchMean: mean(all), batchSpread: std(all) };
      for (const place of together)
        sequences[place]?.at.forEach((flat, i) => (known[flat] = { toGo: returns[place]?.[i] as number, ...ofBatch }));
    }
    return columnsOf(known, collected);
  },
  isUniform: () => false,
};

/** What stands in the line of a generalised advantage estimate, step by step. */
const estimateTerms = (steps: readonly { reward: number; value: number; advantage: number }[]): TermValues[] =>
  steps.map(({ reward, value }, i) => {
    const next = steps[i + 1];
    return { paid: reward, value, nextValue: next?.value ?? 0, nextAdvantage: next?.advantage ?? 0 };
  });

const ppo: LearnerFormula = {
  advantage: () =>
    parts`${'paid'} + ${'gamma'} · ${'nextValue'} − ${'value'} + ${'gamma'} · ${'lambda'} · ${'nextAdvantage'}`,
  constants: ({ learning, reward }) =>
    learning.gaeLevel === 'turn'
      ? { gamma: reward.gammaTurn, lambda: learning.lambdaTurn }
      : { gamma: learning.gamma, lambda: learning.gaeLambda },
  terms: (collected) => {
    const known: TermValues[] = [];
    for (const sequence of agentSequences(collected)) {
      const spans = ppoSpans(collected, sequence);
      estimateTerms(spans).forEach((terms, i) => spans[i]?.at.forEach((flat) => (known[flat] = terms)));
    }
    return columnsOf(known, collected);
  },
  isUniform: ({ learning }) => learning.gaeLevel === 'turn' && learning.ratioLevel === 'turn',
};

/** The same over all turns of the team: turns said at once are one step of it. */
const mappo: LearnerFormula = {
  advantage: ppo.advantage,
  constants: ({ learning, reward }) => ({ gamma: reward.gammaTurn, lambda: learning.lambdaTurn }),
  terms: (collected) => {
    const ofTurns = jointAdvantages(collected).map(({ steps }) => {
      const known: TermValues[] = [];
      estimateTerms(steps).forEach((terms, s) => steps[s]?.turns.forEach((turn) => (known[turn] = terms)));
      return known;
    });
    const known: (TermValues | undefined)[] = [];
    eachAction(collected.batch, ({ at, trajectory, turn }) => (known[at] = ofTurns[trajectory]?.[turn]));
    return columnsOf(known, collected);
  },
  isUniform: ({ learning }) => learning.ratioLevel === 'turn',
};

/** What a message added to its round against what those it is compared with added. */
const mixed: LearnerFormula = {
  before: () => [{ title: 'Worth', left: 'worth', right: parts`${'roundValue'} − ${'roundWithout'} + ${'missed'}` }],
  advantage: ({ learning }) =>
    learning.groupStd
      ? parts`(${'worth'} − ${'othersWorth'}) / (${'comparedSpread'} + 10⁻⁶)`
      : parts`${'worth'} − ${'othersWorth'}`,
  constants: noConstants,
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
  const card = learnerFormulas[learning.learner] ?? null;
  return card && learning.ownFormula !== '' ? written(card) : card;
}

/** The card where a visitor's formula takes the place of the learner's: what it makes of the rewards only it knows. */
const written = (card: LearnerFormula): LearnerFormula => ({
  ...card,
  before: () => [],
  advantage: () => ['what your own formula gives'],
});

/** Learners of a policy loss that have a card. */
const learnerFormulas: Partial<Record<LearnerName, LearnerFormula>> = {
  grpo,
  rloo,
  reinforcePlusPlus,
  ppo,
  mappo,
  cory: grpo,
  ippo: ppo,
  happo: mappo,
};
