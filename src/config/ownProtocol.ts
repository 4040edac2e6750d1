// A protocol that a visitor writes: who there is, who speaks after whom, who hears and sees what, who answers, who may end
// it. How many rounds there are at most is a setting of every protocol. Here is its form; what it comes to stands with the
// facts of all protocols (protocols/registry.ts), and what is wrong with one in refusals/ownProtocol.ts.
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
  /** As what it speaks: a role opens its turns with a token of its own. */
  role: v.picklist(roles),
  /** Whom it hears beside itself. */
  hears: v.optional(agents, []),
  /** Names of the hidden texts of a problem that it sees. */
  sees: v.optional(v.union([v.literal('all'), v.pipe(v.array(v.string()), v.maxLength(mostAgents))]), []),
});

export const ownProtocolSchema = v.strictObject({
  agents: v.pipe(v.array(ownAgent), v.minLength(1), v.maxLength(mostAgents)),
  /** A round: sets of agents that speak at once, in order. */
  order: v.pipe(v.array(agents), v.minLength(1), v.maxLength(mostAgents)),
  /** Whose newest answer is the team's: that of one agent, or the most common one. */
  answer: v.union([v.literal('majority'), agent]),
  /** Whose finish token ends the talk, each turn of which is then a step towards the answer; null: it ends with its last round. */
  finisher: v.optional(v.nullable(agent), null),
  /** Whether a context grows, or is made again for each turn of what was said last. */
  context: v.optional(v.picklist(['growing', 'fresh']), 'growing'),
});

export type OwnProtocol = v.InferOutput<typeof ownProtocolSchema>;
export type OwnAgent = OwnProtocol['agents'][number];

/** The protocol to start from for somebody who has written none: one agent plans, one reasons. */
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
