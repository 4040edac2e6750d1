// Settings that are possible individually but cannot be combined. They form one table, in which each row states the
// remedies.
import type { Refusal } from '../../base/errors.ts';
import type { Config } from '../schema.ts';
import { learnerRules, mixingRules, updateRules } from './learner.ts';
import { creditRules, shapingRules, verifierRules } from './reward.ts';
import { worldRules } from '../worlds/rules.ts';
import { extensionRules } from './extensions.ts';
import { ownRules } from './ownProtocol.ts';
import { refusalError, type RefusalRule } from './rule.ts';
import { adapterRules, curriculumRules, freezingRules, teamRules, treeRules, unequalRules } from './team.ts';

/**
 * All rules, in the order in which they are reported: rules about the agents, about how they learn, and about their
 * rewards.
 */
export const combinationRules: readonly RefusalRule[] = [
  ...worldRules(),
  ...ownRules,
  ...teamRules,
  ...learnerRules,
  ...extensionRules,
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

/** The first rule that refuses a configuration; null if the configuration is possible. */
export const refusalOf = (config: Config, rules = combinationRules): Refusal | null =>
  rules.find(({ when }) => when(config))?.refusal(config) ?? null;

/** Throws ConfigError if a rule refuses the configuration, with the first such refusal. */
export function refuseImpossible(config: Config): void {
  const refusal = refusalOf(config);
  if (refusal) throw refusalError(refusal);
}
