// A protocol that a visitor writes. It states the agents, the order of speaking, which messages and texts each agent
// reads, which agent answers, and which may end the dialogue. The maximum number of rounds is a setting of every
// protocol. This file defines the form of the record. The facts about such a protocol are derived in
// protocols/registry.ts, as for all protocols, and refusals/ownProtocol.ts finds its errors.
import * as v from 'valibot';
import { mostAgents, roles } from './names.ts';

const agent = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(mostAgents - 1));
/**
 * A list of agents by their numbers, starting at 0. Duplicates are removed, and the numbers are sorted in ascending
 * order.
 */
const agents = v.pipe(
  v.array(agent),
  v.maxLength(mostAgents),
  v.transform((numbers) => [...new Set(numbers)].sort((a, b) => a - b)),
);

const ownAgent = v.strictObject({
  /** The role of the agent. In each role, a turn starts with a special token of that role. */
  role: v.picklist(roles),
  /** The agents that this agent hears in addition to itself. */
  hears: v.optional(agents, []),
  /** Names of the hidden texts of a problem that this agent sees. */
  sees: v.optional(v.union([v.literal('all'), v.pipe(v.array(v.string()), v.maxLength(mostAgents))]), []),
});

export const ownProtocolSchema = v.strictObject({
  agents: v.pipe(v.array(ownAgent), v.minLength(1), v.maxLength(mostAgents)),
  /**
   * A round: a list of sets of agents. The sets speak in the order of the list, and the agents of one set speak at the
   * same time.
   */
  order: v.pipe(v.array(agents), v.minLength(1), v.maxLength(mostAgents)),
  /**
   * The agent whose newest answer is the team's answer. With `majority`, it is the most common of the newest answers.
   */
  answer: v.union([v.literal('majority'), agent]),
  /**
   * The agent that can end the dialogue by a finish token. If it is set, each turn is a step towards the answer. If it
   * is null, the dialogue ends after its last round.
   */
  finisher: v.optional(v.nullable(agent), null),
  /**
   * Whether the context of an agent grows with each message, or is built again for each turn from the latest messages.
   */
  context: v.optional(v.picklist(['growing', 'fresh']), 'growing'),
});

export type OwnProtocol = v.InferOutput<typeof ownProtocolSchema>;
export type OwnAgent = OwnProtocol['agents'][number];

/**
 * The protocol that the page shows first when a visitor starts to write one: one agent plans, and the other reasons.
 */
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
