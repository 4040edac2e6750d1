// Credit between agents that answer in turn: which agents get credit for an answer, and rewards for changing the
// answers of others. These settings are part of the section `reward`, and all are off by default.
import { choice, real, type Condition } from '../field.ts';
import { influenceNames, influenceShares } from '../names.ts';
import { hasMessages, hasSecondAnswers, protocolIs } from '../protocols/registry.ts';
import { compared, several } from '../conditions.ts';

const group = 'Credit between agents';
const influenced: Condition = { 'reward.influence': { not: ['off'] } };

const bonus = { group, matters: [influenced], source: 'MAPoRL 2502.18439', min: 0, max: 2, step: 0.05 } as const;

export const creditFields = {
  influence: choice(influenceNames, 'off', {
    label: 'Influence-aware reward',
    help: 'The reward of an answer is computed from the scores of the agents’ answers, not from the team’s final answer. Last: the score of the last round. Current: the score of the answer’s own round. Discounted: the mean of the score of its own round and the discounted scores of all later rounds.',
    source: 'MAPoRL 2502.18439',
    group,
    matters: [several],
    labels: { off: 'off', last: 'last', current: 'current', discounted: 'discounted' },
  }),
  influenceShare: choice(influenceShares, 'all', {
    label: 'Whose scores count',
    help: 'Whether the reward of an answer is computed from its agent’s own scores or from the mean score of all agents. With Discounted, the score of the current round is always the agent’s own score.',
    source: 'MAPoRL 2502.18439',
    group,
    matters: [influenced],
    labels: { own: 'own', all: 'all' },
  }),
  influenceGamma: real(0.3, {
    label: 'Discount of later scores',
    help: 'The factor by which a score is discounted for each later round.',
    source: 'MAPoRL 2502.18439',
    group,
    matters: [{ 'reward.influence': ['discounted'] }],
    min: 0,
    max: 1,
    step: 0.05,
  }),
  influenceAlpha0: real(0, {
    ...bonus,
    label: 'Bonus for corrections against the majority α₀',
    help: 'An agent gets this bonus if it corrects its answer when most others were wrong. The bonus is deducted if the agent changes a right answer to a wrong one when most others were right.',
  }),
  influenceAlpha1: real(0, {
    ...bonus,
    label: 'Bonus for corrections towards the majority α₁',
    help: 'An agent gets this bonus if it corrects its answer when most others were right. The bonus is deducted if the agent changes a right answer to a wrong one when most others were wrong.',
  }),
  influenceBeta0: real(0, {
    ...bonus,
    label: 'Bonus if others improve after a wrong answer β₀',
    help: 'An agent gets this bonus if most others become right after its wrong answer. The bonus is deducted if most others become wrong after its right answer.',
  }),
  influenceBeta1: real(0, {
    ...bonus,
    label: 'Bonus if others improve after a right answer β₁',
    help: 'An agent gets this bonus if most others become right after its right answer. The bonus is deducted if most others become wrong after its wrong answer.',
  }),
  umadConfidence: real(0, {
    label: 'Gain of confidence',
    help: 'How much more an advantage counts if the agent was more certain of its tokens than the group was on average. UMAD uses 0.25. 0: off.',
    source: 'UMAD 2603.01221',
    group,
    matters: [compared],
    min: 0,
    max: 2,
    step: 0.05,
  }),
  umadInfluence: real(0, {
    label: 'Bonus if others improve',
    help: 'An answer gets this bonus if the other agents have higher scores in the next round. The bonus is deducted if the other agents have lower scores. UMAD uses 0.2. 0: off.',
    source: 'UMAD 2603.01221',
    group,
    matters: [{ 'agents.protocol': protocolIs(hasSecondAnswers) }],
    min: 0,
    max: 2,
    step: 0.05,
  }),
  causal: real(0, {
    label: 'Causal influence',
    help: 'Weight of a reward for causal influence: how much likelier, in nats per token, a turn made the next messages of the agents that heard it. 0: the influence is only measured.',
    source: 'Dr. MAMR 2511.02303',
    group,
    matters: [{ 'agents.protocol': protocolIs(hasMessages) }],
    min: 0,
    max: 2,
    step: 0.05,
  }),
};
