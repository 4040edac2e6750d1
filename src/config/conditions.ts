// Named conditions on settings, for refusals and for the rules that determine whether a setting has an effect.
import type { Condition } from './field.ts';
import { learnerIs } from './learners/registry.ts';
import { isCounted, isHeardByAll, protocolIs } from './protocols/registry.ts';

/** Learners with the clipped policy loss; each of the others has its own loss. */
export const clipped: Condition = { 'learning.learner': learnerIs(({ loss }) => loss === 'policy') };

/** Learners that learn by imitating dialogues. */
export const imitating: Condition = { 'learning.learner': learnerIs(({ loss }) => loss === 'imitation') };

/** Learners whose loss compares a better with a worse dialogue. */
export const preferring: Condition = { 'learning.learner': learnerIs(({ loss }) => loss === 'preference') };

/** The conditions under which a run learns from the world's demonstrations in every iteration. */
export const demonstrated: readonly Condition[] = [
  { ...imitating, 'learning.imitate': ['demonstrations'] },
  { ...preferring, 'learning.pairsFrom': ['demonstrations'] },
];

/** Learners that compare rollouts by a group key. */
export const compared: Condition = { 'learning.learner': learnerIs(({ groups }) => groups === 'units') };

/** Learners whose critic reads the joint transcript and predicts returns. */
export const joint: Condition = { 'learning.learner': learnerIs(({ critic }) => critic === 'joint') };

/** Learners that update one agent after another. */
export const sequential: Condition = { 'learning.learner': learnerIs(({ updates }) => updates === 'oneAfterAnother') };

/** Learners whose critic divides the value of a round among its messages. */
export const mixed: Condition = { 'learning.learner': learnerIs(({ critic }) => critic === 'mixing') };

/** Learners whose critic reads only what one agent reads. */
export const ownSight: Condition = { 'learning.learner': learnerIs(({ critic }) => critic === 'own') };

/** The condition that the critic reads only what one agent reads and that advantages are estimated turn by turn. */
export const byTurn: Condition = { ...ownSight, 'learning.gaeLevel': ['turn'] };

/**
 * The conditions that the critic reads only what one agent reads, and that it is a head on each network (`heads`) or a
 * set of separate networks (`ownCritics`).
 */
export const heads: Condition = { ...ownSight, 'learning.critic': ['head'] };
export const ownCritics: Condition = { ...ownSight, 'learning.critic': ['network'] };

/** The condition that the agents do not all share the same weights. */
export const apart: Condition = { 'agents.parameters': { not: ['shared'] } };

/** Protocols in which the settings determine the number of agents. */
export const several: Condition = { 'agents.protocol': protocolIs(isCounted) };

/** Protocols in which all agents answer and each hears all others. */
export const heardByAll: Condition = { 'agents.protocol': protocolIs(isHeardByAll) };

/** Protocols in which an agent may speak more than once. */
export const inRounds: Condition = { 'agents.protocol': protocolIs(({ isOneRound }) => !isOneRound) };

/** Protocols to which the settings of a debate apply. */
export const debated: Condition = { 'agents.protocol': protocolIs(({ isDebate }) => isDebate) };

/** The condition that the agents are adapters, which can also be adapters to an imported language model. */
export const onModel: Condition = { 'agents.parameters': ['lora'] };
