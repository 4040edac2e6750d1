// All learners, each one record of what settings, refusals and the training loop ask about it; all lists of learners
// follow from it. Its computation is in its recipe (training/learners). A learner is added by a name in `names.ts`, a
// record here and a recipe there.
import type { Settings } from '../base/errors.ts';
import type { Demand } from './field.ts';
import { agentCount, isOneForAll } from './protocolFacts.ts';
import { learnerNames, type CriticKind, type LearnerName } from './names.ts';

export interface LearnerFacts {
  label: string;
  /** Its name in the literature, and the paper's number on arXiv. */
  paper: string;
  /** The first term of the loss: the clipped policy loss, preferred against rejected, or cross-entropy. */
  loss: 'policy' | 'preference' | 'imitation';
  /** None, one that sees what one agent sees, or one network that reads the joint transcript and values states, or messages. */
  critic: 'none' | 'own' | 'joint' | 'mixing';
  /**
   * The members of a group that are compared: units by `learning.groupKey`, messages after the same words,
   * trajectories, or nothing.
   */
  groups: 'units' | 'messages' | 'dialogues' | 'none';
  /** The networks that learn are updated each on its own, or one after another with an eye on those before. */
  updates: 'each' | 'oneAfterAnother';
  /** Whose rewards it can learn from: the team's or an agent's own, or only the team's. */
  pay: 'any' | 'team';
  /** Its groups may be divided by their spread. */
  hasSpread?: true;
  /** It adds rewards up along the tokens of one agent. */
  hasTokenReturns?: true;
  /** The reference's log-probabilities enter the loss, wherever the KL is. */
  needsReference?: true;
  /** Its networks start as copies of one. */
  hasOneStart?: true;
  /** The worth of a round is a mix of that of its messages, not their sum. */
  hasMixer?: true;
  /** Settings that, beside `usualForm`, make it the learner of its paper; the first names it (`recipe.ts`). */
  published: Settings;
  /**
   * Settings that differ from the published form when it is chosen, where the paper has no form for agents that are
   * policies.
   */
  ours?: Settings;
}

/**
 * What a published form says where its record says nothing else: groups of eight, rewards against them as they are, one
 * advantage a dialogue, no KL, everybody learns. These are the schema's defaults, so that a record need not repeat them;
 * which preset a learner is chosen from makes no difference.
 */
export const usualForm = {
  'learning.groupSize': 8,
  'learning.normAdv': false,
  'learning.groupKey': 'problem',
  'learning.groupStd': true,
  'learning.outcomeShare': 1,
  'learning.filterGroups': false,
  'learning.clipLow': 0.2,
  'learning.clipHigh': 0.2,
  'learning.entCoef': 0.01,
  'learning.gaeLevel': 'token',
  'learning.switchEvery': 0,
  'learning.pairsFrom': 'rollouts',
  'agents.swapEvery': 0,
  'agents.candidates': 1,
  'kl.place': 'off',
  'kl.coef': 0.002,
  'kl.estimator': 'k3',
  'kl.isAdaptive': false,
  'kl.refreshEvery': 0,
} as const satisfies Settings;

/** Ratio, clip and weight token by token, as in PPO. */
const byToken = { 'learning.ratioLevel': 'token', 'learning.aggregation': 'token', 'learning.dualClip': 0 };
/** PPO, and those that are PPO but for their critic. */
const proximal = { ...byToken, 'learning.normAdv': true, 'learning.groupSize': 1 };
/** Where a critic sees what its agent sees: policy and value share no weights (section 6.1 of PPO). */
const ownTrunk = { 'learning.critic': 'network' };

/**
 * VDN and QMIX choose actions by their values; agents here are policies, so what is taken of the papers is their credit, learned
 * from by policy gradient: what a message adds to the value of its round, by the critic's word alone and from the first
 * iteration on. Teams here
 * come to ruin by it (docs/results.md), so where such a learner is chosen what the critic misses is paid too, and it
 * learns for a while first: its name says so.
 */
const divided = {
  published: { ...byToken, 'learning.mixingResidual': 0, 'learning.teamRewardIterations': 0 },
  ours: { 'learning.mixingResidual': 1, 'learning.teamRewardIterations': 4 },
};

const usual = { loss: 'policy', critic: 'none', groups: 'none', updates: 'each', pay: 'any' } as const;

const records = {
  grpo: {
    ...usual,
    label: 'GRPO',
    paper: 'GRPO 2402.03300',
    groups: 'units',
    hasSpread: true,
    published: {
      'learning.ratioLevel': 'token',
      'learning.aggregation': 'trajectory',
      'learning.dualClip': 0,
      'learning.entCoef': 0,
      'kl.place': 'loss',
      'kl.coef': 0.04,
    },
  },
  rloo: {
    ...usual,
    label: 'RLOO',
    paper: 'RLOO 2402.14740',
    groups: 'units',
    published: {
      ...byToken,
      'learning.groupSize': 4,
      'learning.entCoef': 0,
      'kl.place': 'reward',
    },
  },
  reinforcePlusPlus: {
    ...usual,
    label: 'REINFORCE++',
    paper: 'REINFORCE++ 2501.03262',
    hasTokenReturns: true,
    published: { ...byToken, 'learning.groupSize': 1, 'learning.entCoef': 0, 'kl.place': 'reward' },
  },
  ppo: {
    ...usual,
    label: 'PPO',
    paper: 'PPO 1707.06347',
    critic: 'own',
    hasTokenReturns: true,
    published: { ...proximal, ...ownTrunk },
  },
  ippo: {
    ...usual,
    label: 'IPPO',
    paper: 'IPPO 2011.09533',
    critic: 'own',
    hasTokenReturns: true,
    published: { ...proximal, ...ownTrunk, 'agents.parameters': 'separate', 'reward.across': 'own' },
  },
  mappo: {
    ...usual,
    label: 'MAPPO',
    paper: 'MAPPO 2103.01955',
    critic: 'joint',
    pay: 'team',
    published: proximal,
  },
  happo: {
    ...usual,
    label: 'HAPPO',
    paper: 'HAPPO 2109.11251',
    critic: 'joint',
    updates: 'oneAfterAnother',
    pay: 'team',
    published: {
      ...proximal,
      'agents.parameters': 'separate',
      'learning.switchEvery': 0,
      'learning.sequentialRatio': 'product',
    },
  },
  cory: {
    ...usual,
    label: 'CORY',
    paper: 'CORY 2410.06101',
    groups: 'units',
    hasSpread: true,
    hasOneStart: true,
    published: {
      ...byToken,
      'agents.parameters': 'separate',
      'agents.count': 2,
      'agents.swapEvery': 5,
      'learning.switchEvery': 0,
      'reward.across': 'sum',
      'learning.groupKey': 'problem+agent',
      'learning.entCoef': 0,
      'kl.place': 'reward',
    },
  },
  dpo: {
    ...usual,
    label: 'DPO',
    paper: 'DPO 2305.18290',
    loss: 'preference',
    groups: 'dialogues',
    needsReference: true,
    published: {
      'learning.preferenceKind': 'sigmoid',
      'learning.preferenceSmoothing': 0,
      'learning.preferenceReference': true,
    },
  },
  sft: {
    ...usual,
    label: 'SFT',
    paper: 'STaR 2203.14465',
    loss: 'imitation',
    published: { 'learning.imitate': 'own' },
  },
  vdn: {
    ...usual,
    label: 'VDN',
    paper: 'VDN 1706.05296',
    critic: 'mixing',
    groups: 'messages',
    pay: 'team',
    hasSpread: true,
    ...divided,
  },
  qmix: {
    ...usual,
    label: 'QMIX',
    paper: 'QMIX 1803.11485',
    critic: 'mixing',
    groups: 'messages',
    pay: 'team',
    hasSpread: true,
    hasMixer: true,
    ...divided,
  },
} as const satisfies Record<LearnerName, LearnerFacts>;

export const learnerFacts: Record<LearnerName, LearnerFacts> = records;
/** The record of one learner, to the letter: its recipe says the same. */
export type FactsOf<N extends LearnerName> = (typeof records)[N];

/** The label of each learner on the page. */
export const learnerLabels = Object.fromEntries(learnerNames.map((name) => [name, records[name].label])) as Record<
  LearnerName,
  string
>;

/** GRPO over the candidates of single turns is a learner with a name of its own. */
export const treeFacts: Pick<LearnerFacts, 'label' | 'paper' | 'published'> = {
  label: 'AT-GRPO',
  paper: 'AT-GRPO 2510.11062',
  published: {
    ...byToken,
    'learning.groupSize': 1,
    'learning.groupKey': 'problem+agent+turn',
    'learning.entCoef': 0,
    'reward.across': 'own',
    'reward.over': 'dense',
  },
};

type Claim = (facts: LearnerFacts) => boolean | undefined;

/** The learners of which a claim is true. */
export const learnersWhere = (is: Claim): LearnerName[] => learnerNames.filter((name) => is(learnerFacts[name]));

/** The same as forms say it: one of so many, or none of the others where these are fewer. */
export function learnerIs(claim: Claim): Demand {
  const [are, others] = [learnersWhere(claim), learnersWhere((facts) => !claim(facts))];
  return others.length < are.length ? { not: others } : are;
}

/** The facts of the learner of a run. */
export const factsOf = ({ learning }: { learning: { learner: LearnerName } }): LearnerFacts =>
  learnerFacts[learning.learner];

/** The settings of a run that describe its critics. */
interface Criticised {
  learning: { learner: LearnerName; critic: CriticKind };
}

/**
 * The kind of critic that predicts returns in a run; the settings choose it where a critic sees what one agent sees.
 */
export function criticOf({ learning }: Criticised): 'none' | CriticKind | 'joint' | 'mixing' {
  const { critic } = learnerFacts[learning.learner];
  return critic === 'own' ? learning.critic : critic;
}

/** How many critics a run has that are networks of their own and predict returns: one that sees all agents, or one for each. */
export function criticCount(
  config: Criticised & { agents: Parameters<typeof agentCount>[0] & Parameters<typeof isOneForAll>[0] },
): number {
  const kind = criticOf(config);
  if (kind === 'network' && !isOneForAll(config.agents)) return agentCount(config.agents);
  return kind === 'network' || kind === 'joint' ? 1 : 0;
}

/** It may compare the candidates of a turn, each with a score of its own, with one another. */
export const comparesCandidates = ({ groups, pay }: LearnerFacts): boolean => groups === 'units' && pay === 'any';
