// Settings that are fine alone and impossible together: one table, of which each row names the ways out.
import type { Refusal } from '../base/errors.ts';
import { adapterRules } from './refusals/adapters.ts';
import { creditRules } from './refusals/credit.ts';
import { freezingRules } from './refusals/freezing.ts';
import { heterogeneousRules } from './refusals/heterogeneous.ts';
import { rulesOfLearners } from './refusals/learner.ts';
import { mixingRules } from './refusals/mixing.ts';
import { refusalBy, refusalError, type Rule } from './refusals/rule.ts';
import { shapingRules } from './refusals/shaping.ts';
import { teamRules } from './refusals/team.ts';
import { treeRules } from './refusals/trees.ts';
import { updateRules } from './refusals/update.ts';
import { verifierRules } from './refusals/verifier.ts';
import type { Config } from './schema.ts';

/** What comes first is told first: who there is, how they learn, what they are paid. */
export const combinationRules: readonly Rule[] = [
  ...teamRules,
  ...rulesOfLearners,
  ...creditRules,
  ...shapingRules,
  ...adapterRules,
  ...verifierRules,
  ...freezingRules,
  ...heterogeneousRules,
  ...treeRules,
  ...mixingRules,
  ...updateRules,
];

/** The first of the rows that refuses a configuration; null where it is possible. */
export function refusalOf(config: Config, rules = combinationRules): Refusal | null {
  const rule = rules.find(({ when }) => when(config));
  return rule ? refusalBy(rule, config) : null;
}

/** Throws ConfigError, with its refusal, for the first impossible combination. */
export function refuseImpossible(config: Config): void {
  const refusal = refusalOf(config);
  if (refusal) throw refusalError(refusal);
}
