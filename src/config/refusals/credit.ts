// What credit between agents needs: answers that are scored, others who hear them and speak again, turns that are paid
// one by one.
import type { Config } from '../schema.ts';
import { where, type Rule } from './rule.ts';

/** Learners that compare units of rollouts by their advantages. */
export const comparers: readonly string[] = ['grpo', 'rloo', 'cory'];

/** Learners of what the team earns together. */
const sharers: readonly string[] = ['mappo', 'happo', 'cory', 'vdn', 'qmix'];

const influenceParts = ['influenceAlpha0', 'influenceAlpha1', 'influenceBeta0', 'influenceBeta1'] as const;

const isShared = ({ learning }: Config) => sharers.includes(learning.learner);
const isOwnOnly = ({ learning }: Config) =>
  `${learning.learner} learns from what the team earns together, and this is each agent’s own`;

const grpo = { 'learning.learner': 'grpo' };
const debate = { 'agents.protocol': 'debate' };
const own = { 'reward.across': 'own' };
const dense = { 'reward.over': 'dense' };
const noShaping = { 'reward.shaping': 0 };

const influenceOff = { 'reward.influence': 'off', ...Object.fromEntries(influenceParts.map((name) => [`reward.${name}`, 0])) }; // prettier-ignore

const influence: Rule[] = [
  ...influenceParts.map((name): Rule => ({
    when: ({ reward }) => reward.influence === 'off' && reward[name] !== 0,
    path: `reward.${name}`,
    says: 'it is part of the influence-aware reward, which is off',
    remedies: [{ [`reward.${name}`]: 0 }, { 'reward.influence': 'discounted' }],
  })),
  ...where(
    ({ reward }) => reward.influence !== 'off',
    [
      {
        when: isShared,
        path: 'reward.influence',
        says: isOwnOnly,
        remedies: [influenceOff, grpo],
      },
      {
        when: ({ agents }) => !['debate', 'vote', 'summary'].includes(agents.protocol),
        path: 'reward.influence',
        says: ({ agents }) =>
          `it is made of the scores that several agents’ answers get, and ${agents.protocol} has none of them round by round`,
        remedies: [debate, influenceOff],
      },
      {
        when: ({ reward }) => reward.across !== 'own',
        path: 'reward.across',
        says: ({ reward }) =>
          `the influence-aware reward shares among agents itself, so ${reward.across} would share twice`,
        remedies: [own, influenceOff],
      },
      {
        when: ({ reward }) => reward.over !== 'dense',
        path: 'reward.over',
        says: ({ reward }) =>
          `the influence-aware reward pays each answer for what follows it, so ${reward.over} would count that twice or not at all`,
        remedies: [dense, influenceOff],
      },
      {
        when: ({ reward }) => reward.shaping > 0,
        path: 'reward.shaping',
        says: 'the influence-aware reward scores every answer already',
        remedies: [noShaping, influenceOff],
      },
    ],
  ),
];

const umad: Rule[] = [
  {
    when: ({ reward, learning }) => reward.umadConfidence > 0 && !comparers.includes(learning.learner),
    path: 'reward.umadConfidence',
    says: ({ learning }) => `${learning.learner} has no groups whose advantages it could weigh`,
    remedies: [grpo, { 'reward.umadConfidence': 0 }],
  },
  {
    when: ({ reward, learning }) => reward.umadConfidence > 0 && learning.groupSize === 1,
    path: 'learning.groupSize',
    says: 'in a group of one nobody is surer than another',
    remedies: [{ 'learning.groupSize': 2 }, { 'reward.umadConfidence': 0 }],
  },
  ...where(
    ({ reward }) => reward.umadInfluence > 0,
    [
      {
        when: isShared,
        path: 'reward.umadInfluence',
        says: isOwnOnly,
        remedies: [{ 'reward.umadInfluence': 0 }, grpo],
      },
      {
        when: ({ reward }) => reward.shaping > 0,
        path: 'reward.shaping',
        says: 'hints are the team’s, and this bonus is each agent’s own',
        remedies: [noShaping, { 'reward.umadInfluence': 0 }],
      },
      {
        when: ({ agents }) => agents.protocol !== 'debate' && agents.protocol !== 'summary',
        path: 'reward.umadInfluence',
        says: ({ agents }) => `in ${agents.protocol} nobody answers again after hearing others`,
        remedies: [debate, { 'reward.umadInfluence': 0 }],
      },
      {
        when: ({ agents }) => stepsOf(agents).rounds < 2,
        path: 'agents.roundLimit',
        says: 'in one round nobody answers again after hearing others',
        remedies: [{ 'agents.roundLimit': 2 }, { 'reward.umadInfluence': 0 }],
      },
      {
        when: ({ reward }) => reward.across !== 'own',
        path: 'reward.across',
        says: ({ reward }) => `the bonus of an answer is its speaker’s alone, which ${reward.across} is not`,
        remedies: [own, { 'reward.umadInfluence': 0 }],
      },
      {
        when: ({ reward }) => reward.over !== 'dense',
        path: 'reward.over',
        says: ({ reward }) => `the bonus is paid answer by answer, which ${reward.over} does not do`,
        remedies: [dense, { 'reward.umadInfluence': 0 }],
      },
    ],
  ),
];

const causal = where(
  ({ reward }) => reward.causal > 0,
  [
    {
      when: ({ agents }) => agents.protocol === 'single' || agents.protocol === 'vote',
      path: 'reward.causal',
      says: ({ agents }) => `in ${agents.protocol} nobody hears what is said`,
      remedies: [debate, { 'reward.causal': 0 }],
    },
    {
      when: ({ agents }) => stepsOf(agents).steps < 2,
      path: 'agents.roundLimit',
      says: 'in one round of a debate nobody speaks after hearing others',
      remedies: [{ 'agents.roundLimit': 2 }, { 'reward.causal': 0 }],
    },
    {
      when: ({ reward }) => reward.over !== 'dense',
      path: 'reward.over',
      says: ({ reward }) => `influence is paid turn by turn, which ${reward.over} does not do`,
      remedies: [dense, { 'reward.causal': 0 }],
    },
  ],
);

export const creditRules: readonly Rule[] = [...influence, ...umad, ...causal];

/** Rounds of a dialogue at most, and steps: sets of turns said at once. 0 rounds asked for: as the world has it, in short. */
export function stepsOf({ protocol, roundLimit }: Config['agents']): { rounds: number; steps: number } {
  const usual = protocol === 'single' || protocol === 'vote' || protocol === 'summary' ? 1 : 2;
  const isOneRound = protocol === 'single' || protocol === 'vote' || protocol === 'pioneerObserver';
  const rounds = isOneRound ? 1 : roundLimit || usual;
  const setsOfRound = protocol === 'reMA' || protocol === 'pioneerObserver' || protocol === 'summary' ? 2 : 1;
  return { rounds, steps: rounds * setsOfRound };
}
