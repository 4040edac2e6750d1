// A world expects dialogues in steps between a planner, agent 0, and an executor, agent 1. A visitor's protocol may
// have other agents, several planners or another speaking order. In this case, the messages are converted before the
// world receives them, as if there were only these two agents. The results of the world for the planner apply to all
// planners, and the results for the executor apply to all other agents.
import type { Problem } from '../../records/problem.ts';
import type { Protocol } from '../../records/protocol.ts';
import type { Reaction } from '../../records/trajectory.ts';
import type { Demonstrated, Utterance, World } from '../world.ts';

const isPlanner = ({ roles }: Protocol, agent: number) => roles[agent] === 'metaThinking';

/** Whether a protocol has exactly the agents that the world expects. This is the case for all built-in protocols. */
const isUsual = ({ name, roles, round }: Protocol) =>
  name !== 'own' || (roles.length === 2 && roles[0] === 'metaThinking' && round.length === 2 && round[0]?.[0] === 0);

/** Adapts a world to a protocol. Returns the world unchanged if the protocol has the agents that the world expects. */
export function seated(world: World, protocol: Protocol): World {
  if (isUsual(protocol) || !protocol.hasSteps) return world;
  const agents = [...protocol.roles.keys()];
  const planners = agents.filter((agent) => isPlanner(protocol, agent));
  const executors = agents.filter((agent) => !isPlanner(protocol, agent));
  const seats = [planners, executors];
  const pair = pairOf(protocol, seats);
  const shown = (reaction: Reaction): Reaction => {
    const readers = reaction.observation?.readers?.flatMap((seat) => seats[seat] ?? []);
    return reaction.observation && readers
      ? { ...reaction, observation: { ...reaction.observation, readers } }
      : reaction;
  };
  const { open, react } = world;
  return {
    ...world,
    limits: (level) => {
      const { windows, ...limits } = world.limits(level, pair);
      return { ...limits, windows: agents.map((agent) => windows[isPlanner(protocol, agent) ? 0 : 1] as number) };
    },
    demonstrate: (problem, draws, options) => spread(world.demonstrate(problem, draws, options, pair), protocol),
    assess: (problem, messages, _, isOver) => world.assess(problem, fromSeats(messages, protocol), protocol, isOver),
    ...(open && { open: async (problem: Problem) => shown(await open(problem)) }),
    ...(react && {
      react: async (problem: Problem, state: unknown, message: Utterance) =>
        shown(await react(problem, state, fromSeat(message, protocol))),
    }),
  };
}

/**
 * A protocol with only two agents. The planner sees every hidden text that at least one planner of the given protocol
 * sees, and the executor sees every hidden text that at least one of the other agents sees.
 */
function pairOf(protocol: Protocol, seats: readonly (readonly number[])[]): Protocol {
  const sees = seats.map((agents) => [...new Set(agents.flatMap((agent) => protocol.sees[agent] ?? []))]);
  const { hears: _, ...rest } = protocol;
  return {
    ...{ ...rest, roles: ['metaThinking', 'reasoning'], sees, round: [[0], [1]] },
    ...{ finisher: 0, answerFrom: 1, messengers: [0] },
  };
}

/**
 * Converts a message as if one of the two agents that the world expects had sent it. Finish tokens of agents that may
 * not end the dialogue are ignored.
 */
const fromSeat = (message: Utterance, { finisher }: Protocol): Utterance =>
  message.role === 'metaThinking'
    ? { ...message, agent: 0, isFinish: message.isFinish && message.agent === finisher }
    : { ...message, agent: 1 };

/**
 * Converts all messages of a dialogue as if the two agents that the world expects had sent them. If a planner ends the
 * dialogue, messages of later planners in the same round do not change this.
 */
function fromSeats(messages: readonly Utterance[], protocol: Protocol): Utterance[] {
  let isEnded = false;
  return messages.map((message) => {
    const heard = fromSeat(message, protocol);
    isEnded = heard.role === 'metaThinking' && (isEnded || heard.isFinish);
    return isEnded ? { ...heard, isFinish: true } : heard;
  });
}

/**
 * The messages of a planner and an executor. In each round, the plan is repeated for each planner and the reply for
 * each executor, in speaking order.
 */
function spread(said: readonly Demonstrated[], protocol: Protocol): Demonstrated[] {
  const rounds = 1 + Math.max(...said.map(({ round }) => round));
  return Array.from({ length: rounds }, (_, round) => {
    const [plan, reply] = [0, 1].map((seat) => said.find((one) => one.round === round && one.agent === seat));
    const out: Demonstrated[] = [];
    for (const set of protocol.round) {
      for (const agent of set) {
        const words = isPlanner(protocol, agent) ? plan : reply;
        if (words) out.push({ ...words, agent });
      }
      // If there is no reply, the dialogue ends with the message of the agent that finished it.
      if (!reply && set.includes(protocol.finisher ?? -1)) break;
    }
    return out;
  }).flat();
}
