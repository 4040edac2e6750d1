// The facts of a learner that settings, refusals, the page and the training loop read without loading its code. The
// facts are in `extensions/learners/NAME/facts.ts`, and all lists of learners are derived from them (registry.ts). The
// learner's code is in the same folder, in `learner.ts`.
import type { Settings } from '../../base/errors.ts';

/** A published learner: its name and its settings in the paper. */
export interface PublishedForm {
  label: string;
  /** The name that the learner has in its paper, and the number of the paper on arXiv. */
  paper: string;
  /**
   * The settings that, together with `usualForm`, make the learner equal to that in its paper. If a run differs in
   * several of them, the first one appears in the title of its learner (`recipe.ts`).
   */
  published: Settings;
}

export interface LearnerFacts extends PublishedForm {
  /** One sentence for the glossary. */
  meaning: string;
  /** The name of its folder. */
  name: string;
  /** The learner's position in lists, lowest first. */
  order: number;
  /**
   * The first term of the loss: the clipped policy loss, the loss that compares a chosen with a rejected dialogue, or
   * cross-entropy.
   */
  loss: 'policy' | 'preference' | 'imitation';
  /**
   * The kind of critic: none; a critic that reads only what one agent reads (`own`); or one network that reads the
   * messages of all agents and predicts the values of states (`joint`) or of messages (`mixing`).
   */
  critic: 'none' | 'own' | 'joint' | 'mixing';
  /**
   * The units that are compared within a group: the units that `learning.groupKey` defines (`units`), messages with the
   * same context, dialogues, or nothing.
   */
  groups: 'units' | 'messages' | 'dialogues' | 'none';
  /**
   * Whether networks are updated independently, or one after another. In the second case, each update takes the
   * previous ones into account.
   */
  updates: 'each' | 'oneAfterAnother';
  /** The rewards that the learner can use: those of the team or of single agents (`any`), or only those of the team. */
  pay: 'any' | 'team';
  /** True if the learner's group advantages may be divided by their standard deviation. */
  hasSpread?: true;
  /** True if the learner sums rewards along the tokens of one agent. */
  hasTokenReturns?: true;
  /** True if the reference's log-probabilities are part of the loss, whether or not there is a KL term. */
  needsReference?: true;
  /** True if the learner's networks start as copies of one network. */
  hasOneStart?: true;
  /** True if the value of a round is a mix of the values of its messages, not their sum. */
  hasMixer?: true;
  /**
   * The exercise whose correct solution computes the learner's advantages. A solution that a visitor has written can
   * replace the learner's own formula in training.
   */
  exercise?: string;
  /**
   * The learner's name and published settings for comparing the candidates of single turns, if another paper describes
   * this.
   */
  ofTrees?: PublishedForm;
  /** Other papers about the same learner that change only settings, such as GSPO, which is GRPO with another ratio. */
  forms?: readonly PublishedForm[];
  /**
   * Settings in which Cothink's version of the learner differs from the published one, if the paper does not describe a
   * version for agents that are policies.
   */
  ours?: Settings;
}

/** The facts of all learners, by name. Each is declared in its own folder. */
export interface LearnerTable {}

/**
 * The settings that all published forms share unless a learner's facts state others: groups have eight trajectories,
 * raw rewards are compared, a trajectory has one advantage, there is no KL term, and all agents learn. These values
 * equal the schema's defaults but are repeated here, so that the definition of a learner is complete and does not
 * depend on the preset from which it is chosen.
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
  'learning.surrogate': 'clipped',
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

/** The ratio, the clip and the weight in the loss apply to single tokens, as in PPO. */
export const byToken = {
  'learning.ratioLevel': 'token',
  'learning.aggregation': 'token',
  'learning.dualClip': 0,
} as const satisfies Settings;

/** PPO, and the learners that differ from PPO only in their critic. */
export const proximal = { ...byToken, 'learning.normAdv': true, 'learning.groupSize': 1 } as const satisfies Settings;

/**
 * The setting for critics that read only what one agent reads: the policy and the value function share no weights, as
 * in section 6.1 of the PPO paper.
 */
export const ownTrunk = { 'learning.critic': 'network' } as const satisfies Settings;

/**
 * The common facts of VDN and QMIX. In their papers, actions are chosen by their values. Agents in Cothink are
 * policies, so only the credit assignment of the papers is used, and the policies are trained by policy gradient. The
 * credit of a message is the amount that it adds to the value of its round, as predicted by the critic, from the first
 * iteration on. In Cothink, teams collapse under this published form (docs/results.md). Therefore, when such a learner
 * is chosen, the critic's residual is added to the credit, and the critic is first trained for some iterations. The
 * title of the learner mentions this.
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
