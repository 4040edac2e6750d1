// The facts of a learner that settings, refusals, the page and the training loop read, without its code. A learner
// declares them in `extensions/learners/NAME/facts.ts`; all lists of learners follow from that (registry.ts). Its code
// is beside it, in `learner.ts`.
import type { Settings } from '../../base/errors.ts';
import type { ProtocolName } from '../protocols/facts.ts';

/** The name of a learner and its form in the literature. */
export interface PublishedForm {
  label: string;
  /** Its name in the literature, and the paper's number on arXiv. */
  paper: string;
  /**
   * Settings that, together with `usualForm`, make it the learner of its paper; the first one names it (`recipe.ts`).
   */
  published: Settings;
}

export interface LearnerFacts extends PublishedForm {
  /** One sentence for the glossary. */
  meaning: string;
  /** The name of its folder. */
  name: string;
  /** Its place in lists, lowest first. */
  order: number;
  /**
   * The first term of the loss: the clipped policy loss, the preference loss (chosen against rejected), or
   * cross-entropy.
   */
  loss: 'policy' | 'preference' | 'imitation';
  /**
   * No critic, one that sees what one agent sees, or one network that reads the joint transcript and predicts the
   * values of states or of messages.
   */
  critic: 'none' | 'own' | 'joint' | 'mixing';
  /**
   * The members of a group that are compared: units by `learning.groupKey`, messages with the same context, dialogues,
   * or nothing.
   */
  groups: 'units' | 'messages' | 'dialogues' | 'none';
  /** The networks are updated independently, or one after another, each taking the previous updates into account. */
  updates: 'each' | 'oneAfterAnother';
  /** The rewards it can learn from: the team's or an agent's own, or only the team's. */
  pay: 'any' | 'team';
  /** Its group advantages may be divided by their standard deviation. */
  hasSpread?: true;
  /** It sums rewards along the tokens of one agent. */
  hasTokenReturns?: true;
  /** The reference's log-probabilities enter the loss, whether or not the KL does. */
  needsReference?: true;
  /** Its networks start as copies of one. */
  hasOneStart?: true;
  /** The value of a round is a mix of the values of its messages, not their sum. */
  hasMixer?: true;
  /**
   * The protocol of its paper, if the learner sums the rewards of several agents and so cannot learn from a single
   * agent.
   */
  protocol?: ProtocolName;
  /** The exercise whose correct solution computes its advantages: a visitor's own text may replace them. */
  exercise?: string;
  /** Its name and form when it compares the candidates of single turns, if that is a learner of another paper. */
  ofTrees?: PublishedForm;
  /** Its counterparts in other trainers: the estimator of advantages in verl, the trainer in TRL. */
  elsewhere?: { verl?: string; trl?: 'GRPO' | 'DPO' };
  /** Settings that differ from the published form, if the paper has no form for agents that are policies. */
  ours?: Settings;
}

/** The facts of all learners, by name: each is declared in its own folder. */
export interface LearnerTable {}

/**
 * The published form of a learner in all settings that its own record leaves out: groups of eight, raw rewards
 * compared, one advantage per trajectory, no KL, all agents learn. These are the schema's defaults, repeated here so
 * that a learner need not state them and is the same whichever preset it is chosen from.
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

/** PPO, and the learners that differ from PPO only in their critic. */
export const proximal = { ...byToken, 'learning.normAdv': true, 'learning.groupSize': 1 } as const satisfies Settings;

/** When a critic sees what its agent sees: policy and value share no weights (section 6.1 of PPO). */
export const ownTrunk = { 'learning.critic': 'network' } as const satisfies Settings;

/**
 * VDN and QMIX choose actions by their values; agents here are policies, so only the credit assignment of the papers is
 * used, and it is learned by policy gradient: the credit of a message is what it adds to the value of its round,
 * according to the critic alone and from the first iteration on. Teams here collapse under this form (docs/results.md),
 * so when such a learner is chosen, the critic's residual is also paid, and the critic is trained for a while first:
 * the learner's name says so.
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
