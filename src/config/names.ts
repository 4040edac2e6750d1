// The closed lists of names in the project. Every registry is a record whose keys are the names in one of these lists.

/**
 * The roles of agents. Stored data contain the index of a role in this list, so new roles are added only at the end.
 */
export const roles = ['metaThinking', 'reasoning', 'pioneer', 'observer', 'debater', 'summariser'] as const;
export type Role = (typeof roles)[number];

/** Maximum number of agents in a team, with any protocol. */
export const mostAgents = 8;

/** The agents whose messages the others do not read. */
export const unheardNames = ['nobody', 'first', 'others', 'all'] as const;

/** The agents that see the hidden part of a problem. */
export const informedNames = ['usual', 'first', 'half', 'last', 'all', 'nobody'] as const;
export type InformedName = (typeof informedNames)[number];

/** The possible relations between premises and a claim. */
export const relations = ['follows', 'contradicted', 'unknown'] as const;
export type Relation = (typeof relations)[number];

/**
 * The forms of the preference loss. IPO uses the mean log-ratio per token, as its authors confirmed to TRL, or the sum
 * of the log-ratios, as OpenRLHF does. SimPO uses the mean log-probability per token, without a reference.
 */
export const preferenceKinds = ['sigmoid', 'robust', 'hinge', 'ipo', 'ipoOfSum', 'simpo'] as const;
/** The source of the pairs of DPO. */
export const pairSources = ['rollouts', 'verifier', 'demonstrations', 'imported'] as const;
/** The trajectories that SFT imitates. */
export const imitationSources = ['own', 'demonstrations'] as const;
/** The texts that the adapters of an imported language model imitate before reinforcement learning. */
export const taughtSources = ['demonstrations', 'chats'] as const;
export type PreferenceKind = (typeof preferenceKinds)[number];

export const sizeNames = ['micro', 'tiny', 'small', 'medium'] as const;
export type SizeName = (typeof sizeNames)[number];

export const parameterModes = ['shared', 'separate', 'lora', 'heterogeneous'] as const;

/**
 * The unit that has its own adapter: a role, each turn of a role, or the run. In the last case, one adapter serves all
 * roles.
 */
export const adapterOwners = ['role', 'turn', 'run'] as const;
/** The units that can be trained alternately. */
export const switchedOver = ['role', 'turn'] as const;
export const otherSizes = ['same', ...sizeNames] as const;

/**
 * The units over which the ratio is computed, from the smallest to the largest. `trajectory` means all messages of one
 * agent, and `dialogue` all messages of the agents that share a network.
 */
export const ratioLevels = ['token', 'turn', 'trajectory', 'dialogue'] as const;
export type RatioLevel = (typeof ratioLevels)[number];

/**
 * How the loss of a token or span depends on its ratio r: clipped (PPO 1707.06347), log π with r as a clipped weight (CISPO
 * 2506.13585), a smooth gate of r (SAPO 2511.20347), or unclipped, with r made of bounded log-ratios (GMPO 2507.20673).
 */
export const surrogates = ['clipped', 'cispo', 'sapo', 'gmpo'] as const;
export type Surrogate = (typeof surrogates)[number];

export const turnMeans = ['geometric', 'arithmetic'] as const;
export type TurnMean = (typeof turnMeans)[number];

/** The ratio that HAPPO uses for a turn of an agent that was updated earlier. */
export const sequentialRatios = ['geometric', 'product'] as const;
export type SequentialRatio = (typeof sequentialRatios)[number];

export const aggregations = [...ratioLevels, 'constant'] as const;
export type Aggregation = (typeof aggregations)[number];

/** The kinds of critic that predict returns from what one agent sees. */
export const criticKinds = ['head', 'network'] as const;
export type CriticKind = (typeof criticKinds)[number];

export const gaeLevels = ['token', 'turn'] as const;

export const groupKeyNames = ['problem', 'problem+agent', 'problem+agent+turn'] as const;
export type GroupKeyName = (typeof groupKeyNames)[number];

export const klEstimators = ['k1', 'abs', 'mse', 'k3'] as const;
export type KlEstimator = (typeof klEstimators)[number];

export const optimiserNames = ['adamW', 'muon'] as const;
export const rateSchedules = ['constant', 'linear', 'cosine'] as const;

export const klPlaces = ['off', 'loss', 'reward'] as const;

export const teamAcross = ['sum', 'mean', 'max', 'dictator', 'own'] as const;
export type TeamAcross = (typeof teamAcross)[number];

export const teamOver = ['sparse', 'dense', 'accumulated'] as const;
export type TeamOver = (typeof teamOver)[number];

export const influenceNames = ['off', 'last', 'current', 'discounted'] as const;
export const influenceShares = ['own', 'all'] as const;

export const finishMoments = ['atOnce', 'afterReply'] as const;
export type FinishMoment = (typeof finishMoments)[number];

export const warmStartSources = ['shipped', 'train', 'none'] as const;

export const backendChoices = ['auto', 'webgpu', 'cpu'] as const;
export type BackendChoice = (typeof backendChoices)[number];
