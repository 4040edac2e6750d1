// Settings that are possible alone and impossible together: one table, each row of which names the remedies.
import type { Refusal } from '../../base/errors.ts';
import type { Config } from '../schema.ts';
import { learnerRules, mixingRules, updateRules } from './learner.ts';
import { creditRules, shapingRules, verifierRules } from './reward.ts';
import { worldRules } from '../worlds/rules.ts';
import { ownRules } from './ownProtocol.ts';
import { refusalError, type RefusalRule } from './rule.ts';
import { adapterRules, curriculumRules, freezingRules, teamRules, treeRules, unequalRules } from './team.ts';

/** All rules, in the order in which they are reported: the agents, how they learn, what they are paid. */
export const combinationRules: readonly RefusalRule[] = [
  ...worldRules(),
  ...ownRules,
  ...teamRules,
  ...learnerRules,
  ...creditRules,
  ...shapingRules,
  ...adapterRules,
  ...curriculumRules,
  ...verifierRules,
  ...freezingRules,
  ...unequalRules,
  ...treeRules,
  ...mixingRules,
  ...updateRules,
];

/** The first of the rows that refuses a configuration; null where it is possible. */
export const refusalOf = (config: Config, rules = combinationRules): Refusal | null =>
  rules.find(({ when }) => when(config))?.refusal(config) ?? null;

/** Throws ConfigError, with its refusal, for the first impossible combination. */
export function refuseImpossible(config: Config): void {
  const refusal = refusalOf(config);
  if (refusal) throw refusalError(refusal);
}
