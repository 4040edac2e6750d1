// Credit between agents that answer in turn: the agents to which an answer is credited, and the pay for changing the
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
    help: 'The reward of an answer comes from the scores of answers, not from the right answer at the end. Last: the score of the last round. Current: the score of the answer’s own round. Discounted: the score of its own round, averaged with the scores of all later rounds.',
    source: 'MAPoRL 2502.18439',
    group,
    matters: [several],
    labels: { off: 'off', last: 'last', current: 'current', discounted: 'discounted' },
  }),
  influenceShare: choice(influenceShares, 'all', {
    label: 'Whose scores count',
    help: 'Whether an answer is rewarded by its agent’s own scores or by the mean score of all agents. With Discounted, the score of the current round is always the agent’s own.',
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
    label: 'Bonus for changing against the others α₀',
    help: 'A bonus if an agent corrects its answer when most others were wrong; deducted if it changes a right answer to a wrong one when most were right.',
  }),
  influenceAlpha1: real(0, {
    ...bonus,
    label: 'Bonus for changing with the others α₁',
    help: 'A bonus if an agent corrects its answer when most others were right; deducted if it changes a right answer to a wrong one when most were wrong.',
  }),
  influenceBeta0: real(0, {
    ...bonus,
    label: 'Bonus for persuading others while wrong β₀',
    help: 'A bonus if most others become right after a wrong answer; deducted if they become wrong after a right one.',
  }),
  influenceBeta1: real(0, {
    ...bonus,
    label: 'Bonus for persuading others while right β₁',
    help: 'A bonus if most others become right after a right answer; deducted if they become wrong after a wrong one.',
  }),
  umadConfidence: real(0, {
    label: 'Gain of confidence',
    help: 'How much more an advantage counts if its tokens were more certain than the tokens of its group. UMAD uses 0.25. 0: off.',
    source: 'UMAD 2603.01221',
    group,
    matters: [compared],
    min: 0,
    max: 2,
    step: 0.05,
  }),
  umadInfluence: real(0, {
    label: 'Bonus for better answers of others',
    help: 'A bonus for an answer after which the other debaters score better; deducted if they score worse. UMAD uses 0.2. 0: off.',
    source: 'UMAD 2603.01221',
    group,
    matters: [{ 'agents.protocol': protocolIs(hasSecondAnswers) }],
    min: 0,
    max: 2,
    step: 0.05,
  }),
  causal: real(0, {
    label: 'Causal influence',
    help: 'A turn is rewarded for how much likelier, in nats per token, it made the next messages of those who heard it. 0: this is only measured.',
    source: 'Dr. MAMR 2511.02303',
    group,
    matters: [{ 'agents.protocol': protocolIs(hasMessages) }],
    min: 0,
    max: 2,
    step: 0.05,
  }),
};
