// The facts of a learner that settings, refusals, the page and the training loop read, without its code. A learner
// declares them in `extensions/learners/NAME/facts.ts`; all lists of learners are derived from them (registry.ts). The
// learner's code is next to the facts, in `learner.ts`.
import type { Settings } from '../../base/errors.ts';

/** The name of a learner and its settings in the literature. */
export interface PublishedForm {
  label: string;
  /** The learner's name in the literature, and the paper's number on arXiv. */
  paper: string;
  /**
   * Settings that, together with `usualForm`, make the learner equal to the one of its paper. The first one is used to
   * name it (`recipe.ts`).
   */
  published: Settings;
}

export interface LearnerFacts extends PublishedForm {
  /** One sentence for the glossary. */
  meaning: string;
  /** The name of its folder. */
  name: string;
  /** Its position in lists, lowest first. */
  order: number;
  /**
   * The first term of the loss: the clipped policy loss, the preference loss (chosen against rejected), or
   * cross-entropy.
   */
  loss: 'policy' | 'preference' | 'imitation';
  /**
   * The kind of critic: none, one that sees what one agent sees, or one network that reads the joint transcript and
   * predicts the values of states or of messages.
   */
  critic: 'none' | 'own' | 'joint' | 'mixing';
  /**
   * The units that are compared within a group: units by `learning.groupKey`, messages with the same context,
   * dialogues, or nothing.
   */
  groups: 'units' | 'messages' | 'dialogues' | 'none';
  /**
   * The way in which networks are updated: independently, or one after another. In the second case each update takes
   * the previous ones into account.
   */
  updates: 'each' | 'oneAfterAnother';
  /** The rewards that the learner can use: the team's or an agent's own, or only the team's. */
  pay: 'any' | 'team';
  /** The learner's group advantages may be divided by their standard deviation. */
  hasSpread?: true;
  /** The learner sums rewards along the tokens of one agent. */
  hasTokenReturns?: true;
  /** The reference's log-probabilities are part of the loss, whether or not there is a KL term. */
  needsReference?: true;
  /** The learner's networks start as copies of one network. */
  hasOneStart?: true;
  /** The value of a round is a mix of the values of its messages, not their sum. */
  hasMixer?: true;
  /**
   * The exercise whose correct solution computes the learner's advantages. A visitor's own text may replace the
   * learner's formula.
   */
  exercise?: string;
  /**
   * The name and the published settings of the learner when it compares the candidates of single turns, if another
   * paper describes that form.
   */
  ofTrees?: PublishedForm;
  /**
   * Settings in which the learner here differs from the published form, if the paper describes no form for agents that
   * are policies.
   */
  ours?: Settings;
}

/** The facts of all learners, by name. Each is declared in its own folder. */
export interface LearnerTable {}

/**
 * The settings that all published forms share unless a learner's own record states others: groups have eight
 * trajectories, raw rewards are compared, a trajectory has one advantage, there is no KL term, and all agents learn.
 * These are the schema's defaults, repeated here. So a learner need not state them, and its definition does not depend
 * on the preset from which it is chosen.
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

/** The ratio, the clip and the weight apply token by token, as in PPO. */
export const byToken = {
  'learning.ratioLevel': 'token',
  'learning.aggregation': 'token',
  'learning.dualClip': 0,
} as const satisfies Settings;

/** PPO, and the learners that differ from PPO only in their critic. */
export const proximal = { ...byToken, 'learning.normAdv': true, 'learning.groupSize': 1 } as const satisfies Settings;

/** For critics that see what their agent sees. Policy and value function share no weights (section 6.1 of PPO). */
export const ownTrunk = { 'learning.critic': 'network' } as const satisfies Settings;

/**
 * VDN and QMIX choose actions by their values. Agents here are policies, so only the credit assignment of the papers is
 * used, and it is learned by policy gradient. The credit of a message is the amount that it adds to the value of its
 * round, according to the critic alone and from the first iteration on. Teams here collapse under this form
 * (docs/results.md). So when such a learner is chosen, the critic's residual is also paid, and the critic is first
 * trained for a while. The learner's name mentions this.
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
