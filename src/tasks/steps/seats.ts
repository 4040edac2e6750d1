// A world expects dialogues in steps between a planner, agent 0, and an executor, agent 1. If a visitor's protocol has
// other agents, several planners or another order, the world is called as if there were only these two agents. The
// results of the world are passed to all agents with the same role.
import type { Problem } from '../../records/problem.ts';
import type { Protocol } from '../../records/protocol.ts';
import type { Reaction } from '../../records/trajectory.ts';
import type { Demonstrated, Utterance, World } from '../world.ts';

const isPlanner = ({ roles }: Protocol, agent: number) => roles[agent] === 'metaThinking';

/** Whether a protocol has exactly the agents that the world expects. All built-in protocols do. */
const isUsual = ({ name, roles, round }: Protocol) =>
  name !== 'own' || (roles.length === 2 && roles[0] === 'metaThinking' && round.length === 2 && round[0]?.[0] === 0);

/**
 * The world adapted to a protocol. The world is returned unchanged if the protocol has the agents that the world
 * expects.
 */
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

/** The protocol of two agents: a planner that sees everything that any planner sees, and an executor. */
function pairOf(protocol: Protocol, seats: readonly (readonly number[])[]): Protocol {
  const sees = seats.map((agents) => [...new Set(agents.flatMap((agent) => protocol.sees[agent] ?? []))]);
  const { hears: _, ...rest } = protocol;
  return {
    ...{ ...rest, roles: ['metaThinking', 'reasoning'], sees, round: [[0], [1]] },
    ...{ finisher: 0, answerFrom: 1, messengers: [0] },
  };
}

/**
 * A message in the form in which the world receives it, as if one of the two expected agents had sent it. Only the
 * finish token of the agent that may end the dialogue counts.
 */
const fromSeat = (message: Utterance, { finisher }: Protocol): Utterance =>
  message.role === 'metaThinking'
    ? { ...message, agent: 0, isFinish: message.isFinish && message.agent === finisher }
    : { ...message, agent: 1 };

/** Converts a dialogue in the same way. Later planners of a round cannot undo the end of the dialogue. */
function fromSeats(messages: readonly Utterance[], protocol: Protocol): Utterance[] {
  let isEnded = false;
  return messages.map((message) => {
    const heard = fromSeat(message, protocol);
    isEnded = heard.role === 'metaThinking' && (isEnded || heard.isFinish);
    return isEnded ? { ...heard, isFinish: true } : heard;
  });
}

/**
 * The messages of a planner and an executor. In each round they are repeated for all planners and executors, in the
 * order of these agents.
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
