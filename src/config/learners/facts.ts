// The facts of a learner that settings, refusals, the page and the training loop read, without its code. A learner states it in
// `extensions/learners/NAME/facts.ts`; all lists of learners follow from that (registry.ts). Its code is beside
// it, in `learner.ts`.
import type { Settings } from '../../base/errors.ts';
import type { ProtocolName } from '../protocols/facts.ts';

/** The name of a learner and its form in the literature. */
export interface PublishedForm {
  label: string;
  /** Its name in the literature, and the paper's number on arXiv. */
  paper: string;
  /** Settings that, beside `usualForm`, make it the learner of its paper; the first names it (`recipe.ts`). */
  published: Settings;
}

export interface LearnerFacts extends PublishedForm {
  /** One sentence for the glossary. */
  meaning: string;
  /** The name of its folder. */
  name: string;
  /** Its place in lists, lowest first. */
  order: number;
  /** The first term of the loss: the clipped policy loss, preferred against rejected, or cross-entropy. */
  loss: 'policy' | 'preference' | 'imitation';
  /** None, one that sees what one agent sees, or one network that reads the joint transcript and values states, or messages. */
  critic: 'none' | 'own' | 'joint' | 'mixing';
  /** The members of a group that are compared: units by `learning.groupKey`, messages after the same words, dialogues, or nothing. */
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
  /** The protocol of its paper, where it adds up the rewards of several agents and so cannot learn from one alone. */
  protocol?: ProtocolName;
  /** The exercise whose right solution gives its advantages: a visitor's own text may take their place. */
  exercise?: string;
  /** Its name and form where it compares the candidates of single turns, if that is a learner of another paper. */
  ofTrees?: PublishedForm;
  /** Where other trainers have it: the estimator of advantages in verl, the trainer in TRL. */
  elsewhere?: { verl?: string; trl?: 'GRPO' | 'DPO' };
  /** Settings that differ from the published form, where the paper has no form for agents that are policies. */
  ours?: Settings;
}

/** The facts of all learners, by name: each is declared in its own folder. */
export interface LearnerTable {}

/**
 * The published form of a learner in all settings that it does not state itself: groups of eight, rewards compared as they
 * are, one advantage per trajectory, no KL, all agents learn. These are the schema's defaults, stated so that a learner
 * need not repeat them and is the same from whichever preset it is chosen.
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

/** The facts of most learners. */
export const usualFacts = {
  loss: 'policy',
  critic: 'none',
  groups: 'none',
  updates: 'each',
  pay: 'any',
} as const satisfies Partial<LearnerFacts>;

/** Ratio, clip and weight token by token, as in PPO. */
export const byToken = {
  'learning.ratioLevel': 'token',
  'learning.aggregation': 'token',
  'learning.dualClip': 0,
} as const satisfies Settings;

/** PPO, and those that are PPO but for their critic. */
export const proximal = { ...byToken, 'learning.normAdv': true, 'learning.groupSize': 1 } as const satisfies Settings;

/** Where a critic sees what its agent sees: policy and value share no weights (section 6.1 of PPO). */
export const ownTrunk = { 'learning.critic': 'network' } as const satisfies Settings;

/**
 * VDN and QMIX choose actions by their values; agents here are policies, so what is taken of the papers is their credit, learned
 * from by policy gradient: what a message adds to the value of its round, by the critic's word alone and from the first
 * iteration on. Teams here come to ruin by it (docs/results.md), so where such a learner is chosen what the critic misses is
 * paid too, and it learns for a while first: its name says so.
 */
export const divided = {
  ...usualFacts,
  critic: 'mixing',
  groups: 'messages',
  pay: 'team',
  hasSpread: true,
  published: { ...byToken, 'learning.mixingResidual': 0, 'learning.teamRewardIterations': 0 },
  ours: { 'learning.mixingResidual': 1, 'learning.teamRewardIterations': 4 },
} as const satisfies Partial<LearnerFacts>;
