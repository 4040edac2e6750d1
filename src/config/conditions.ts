// Conditions on settings, by name. They are used by the rules that determine when a setting has an effect, and by the
// refusals.
import type { Condition } from './field.ts';
import { learnerIs } from './learners/registry.ts';
import { isCounted, isHeardByAll, protocolIs } from './protocols/registry.ts';

/** Learners with the clipped policy loss; each of the others has its own loss. */
export const clipped: Condition = { 'learning.learner': learnerIs(({ loss }) => loss === 'policy') };

/** Learners that imitate dialogues. */
export const imitating: Condition = { 'learning.learner': learnerIs(({ loss }) => loss === 'imitation') };

/** Learners that prefer one dialogue to another. */
export const preferring: Condition = { 'learning.learner': learnerIs(({ loss }) => loss === 'preference') };

/** The run learns from the world's demonstrations in every iteration. */
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

/** Learners whose critic divides the value of a round among the messages of the round. */
export const mixed: Condition = { 'learning.learner': learnerIs(({ critic }) => critic === 'mixing') };

/** Learners whose critic sees what one agent sees. */
export const ownSight: Condition = { 'learning.learner': learnerIs(({ critic }) => critic === 'own') };

/** The critic sees what one agent sees, and a step of its advantage estimate is a turn. */
export const byTurn: Condition = { ...ownSight, 'learning.gaeLevel': ['turn'] };

/** The critic sees what one agent sees: as a head on each network (`heads`), or as separate networks (`ownCritics`). */
export const heads: Condition = { ...ownSight, 'learning.critic': ['head'] };
export const ownCritics: Condition = { ...ownSight, 'learning.critic': ['network'] };

/** Agents that have their own weights. */
export const apart: Condition = { 'agents.parameters': { not: ['shared'] } };

/** Protocols in which the settings determine the number of agents. */
export const several: Condition = { 'agents.protocol': protocolIs(isCounted) };

/** Protocols in which all agents answer and each hears all others. */
export const heardByAll: Condition = { 'agents.protocol': protocolIs(isHeardByAll) };

/** Protocols in which an agent may speak more than once. */
export const inRounds: Condition = { 'agents.protocol': protocolIs(({ isOneRound }) => !isOneRound) };

/** Protocols to which the settings of a debate apply. */
export const debated: Condition = { 'agents.protocol': protocolIs(({ isDebate }) => isDebate) };
