// A protocol that a visitor writes: the agents, the order of speaking, who hears and sees what, who answers, and who
// may end the dialogue. The maximum number of rounds is a setting of every protocol. Its form is here; the facts
// derived from it are with those of all protocols (protocols/registry.ts), and its faults are found in
// refusals/ownProtocol.ts.
import * as v from 'valibot';
import { mostAgents, roles } from './names.ts';

const agent = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(mostAgents - 1));
/** Agents by their numbers from 0; each is read once, in rising order. */
const agents = v.pipe(
  v.array(agent),
  v.maxLength(mostAgents),
  v.transform((numbers) => [...new Set(numbers)].sort((a, b) => a - b)),
);

const ownAgent = v.strictObject({
  /** The role in which it speaks: a role starts its turns with a token of its own. */
  role: v.picklist(roles),
  /** The agents it hears in addition to itself. */
  hears: v.optional(agents, []),
  /** Names of the hidden texts of a problem that it sees. */
  sees: v.optional(v.union([v.literal('all'), v.pipe(v.array(v.string()), v.maxLength(mostAgents))]), []),
});

export const ownProtocolSchema = v.strictObject({
  agents: v.pipe(v.array(ownAgent), v.minLength(1), v.maxLength(mostAgents)),
  /** A round: sets of agents that speak simultaneously, in order. */
  order: v.pipe(v.array(agents), v.minLength(1), v.maxLength(mostAgents)),
  /** Whose newest answer is the team's answer: that of one agent, or the most common one. */
  answer: v.union([v.literal('majority'), agent]),
  /**
   * The agent whose finish token ends the dialogue; each turn is then a step towards the answer. If null, the dialogue
   * ends with its last round.
   */
  finisher: v.optional(v.nullable(agent), null),
  /** Whether a context grows, or is rebuilt for each turn from the latest messages. */
  context: v.optional(v.picklist(['growing', 'fresh']), 'growing'),
});

export type OwnProtocol = v.InferOutput<typeof ownProtocolSchema>;
export type OwnAgent = OwnProtocol['agents'][number];

/** The protocol to start from if the visitor has written none: one agent plans, one reasons. */
export const plannedPair: OwnProtocol = {
  agents: [
    { role: 'metaThinking', hears: [1], sees: 'all' },
    { role: 'reasoning', hears: [0], sees: [] },
  ],
  order: [[0], [1]],
  answer: 1,
  finisher: 0,
  context: 'growing',
};
