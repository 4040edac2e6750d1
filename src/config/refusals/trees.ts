// What trees of dialogues ask for: candidates of one turn are compared with each other, by their own scores, and by
// nothing else.
import type { Config } from '../schema.ts';
import { ownPay } from './ownPay.ts';
import { where, type Rule } from './rule.ts';

const oneCandidate = { 'agents.candidates': 1 };

/** What else would change the pay of turns, of which candidates left behind know nothing. */
const otherPay = ['shaping', 'umadConfidence', 'umadInfluence', 'causal'] as const;

const isByTrajectory = ({ learning }: Config) =>
  learning.ratioLevel === 'trajectory' || learning.aggregation === 'trajectory';

export const treeRules: readonly Rule[] = where(
  ({ agents }) => agents.candidates > 1,
  [
    {
      when: ({ learning }) => learning.learner !== 'grpo' && learning.learner !== 'rloo',
      path: 'learning.learner',
      says: ({ learning }) => `${learning.learner} does not compare candidates of one turn`,
      remedies: [{ 'learning.learner': 'grpo' }, oneCandidate],
    },
    {
      when: ({ learning }) => learning.groupKey !== 'problem+agent+turn',
      path: 'learning.groupKey',
      says: ({ learning }) => `candidates are compared with those said in the same place, not by ${learning.groupKey}`,
      remedies: [{ 'learning.groupKey': 'problem+agent+turn' }, oneCandidate],
    },
    {
      when: ({ reward }) => reward.over !== 'dense',
      path: 'reward.over',
      says: ({ reward }) =>
        `a candidate that is left behind has no later turns to earn by, so ${reward.over} cannot pay it`,
      remedies: [{ 'reward.over': 'dense' }, oneCandidate],
    },
    {
      when: ({ reward }) => reward.across !== 'own',
      path: 'reward.across',
      says: ({ reward }) =>
        `the score of a candidate holds the team’s part already, so ${reward.across} would share it twice`,
      remedies: (config) => [ownPay(config), oneCandidate],
    },
    {
      when: isByTrajectory,
      path: 'learning.aggregation',
      says: 'trajectory would weigh a single candidate as much as a whole dialogue',
      remedies: [{ 'learning.aggregation': 'turn', 'learning.ratioLevel': 'turn' }, oneCandidate],
    },
    {
      when: ({ verifier }) => verifier.isTrained,
      path: 'verifier.isTrained',
      says: 'it would read answers that candidates share again and again',
      remedies: [{ 'verifier.isTrained': false }, oneCandidate],
    },
    {
      when: ({ reward }) => reward.influence !== 'off',
      path: 'reward.influence',
      says: 'a candidate that is left behind influences nobody',
      remedies: [{ 'reward.influence': 'off' }, oneCandidate],
    },
    ...otherPay.map((name): Rule => ({
      when: ({ reward }) => reward[name] > 0,
      path: `reward.${name}`,
      says: 'candidates are paid their scores and nothing else',
      remedies: [{ [`reward.${name}`]: 0 }, oneCandidate],
    })),
  ],
);
