// A visitor can request a problem, which is typed or chosen by its number, and a dialogue between chosen agents. This
// file handles both requests. The dialogue may begin with given turns, which may be edited, typed, or hidden from the
// other agents. No other dialogue runs at the same time, so the same draws and weights give the same dialogue; on the
// CPU, even the numbers are exactly equal.
import { FormatError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { Draws, streams } from '../../base/random.ts';
import type { Config } from '../../config/schema.ts';
import type {
  AskedProblem,
  HeldTrajectory,
  StandingTurn,
  TriedDraws,
  TriedTrajectory,
} from '../../records/intervention.ts';
import type { Role } from '../../records/ids.ts';
import type { Policy } from '../../records/policy.ts';
import type { Problem } from '../../records/problem.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { Awaited, encoded, typingPolicy } from '../../rollout/trial.ts';
import type { GivenTurn } from '../../rollout/request.ts';
import { worldOf } from '../../tasks/registry.ts';
import { endOfTurn, finish } from '../../text/chatTemplate.ts';
import { ControlTokens, specialIn } from '../../text/controlTokens.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { rollOut } from '../collect/collect.ts';
import type { Seated } from '../run/seats.ts';
import { shownTokenizer, type Team } from '../team/team.ts';

/**
 * The requested problem in the world of these settings. Throws FormatError, with an explanation, for a typed problem
 * that is not valid in this world.
 */
export function askProblem(config: Config, asked: AskedProblem): Problem {
  const world = worldOf(config);
  if ('number' in asked)
    return world.draw(asked.level, new Draws(asked.number, streams.control, asked.level), 'heldOut');
  if (!world.read)
    throw new FormatError(
      spoken`${world.label}: problems of this world cannot be typed in; choose a problem by its number.`,
    );
  return world.read(asked, asked.level);
}

/**
 * Runs one dialogue that begins with the given turns. Throws FormatError, with an explanation, for a given turn that
 * cannot be encoded in the vocabulary of its speaker.
 */
export async function tryTrajectory(
  seated: Seated,
  { seats, problem, given, hidden, draws }: TriedTrajectory,
): Promise<HeldTrajectory> {
  const { team, policies, judge, appraisers } = seated;
  let soFar: Trajectory = unspoken(team, problem);
  try {
    const { trajectories } = await rollOut(team, {
      ...{ problems: [problem], groups: [0], appraisers },
      policies: policies.map((policy, agent): Policy =>
        seats[agent]?.isYou ? typingPolicy(agent, () => null) : policy,
      ),
      draws: drawn(draws),
      given: [given.map((turn, index) => standing(turn, index, team))],
      isHidden: ({ index }) => hidden.includes(index),
      onTurn: ([trajectory]) => Promise.resolve(void (soFar = trajectory ?? soFar)),
      ...(judge && { judge }),
    });
    return { trajectory: trajectories[0] as Trajectory, awaited: null };
  } catch (thrown) {
    if (!(thrown instanceof Awaited)) throw thrown;
    const { agent, heard } = thrown;
    return {
      trajectory: soFar,
      awaited: {
        agent,
        heard: shownTokenizer(team, agent).decode(heard),
        mayFinish: agent === team.protocol.finisher,
        window: team.settings.windows[team.protocol.roles[agent] as Role],
      },
    };
  }
}

/** The trajectory of a dialogue before its first turn. */
const unspoken = ({ protocol, prompt }: Team, problem: Trajectory['problem']): Trajectory => ({
  ...{ index: 0, group: 0, problem, turns: [], finishCode: 1, answer: null, isRight: false, reward: 0 },
  prompts: protocol.roles.map((_, agent) => prompt(problem, agent)),
});

const drawn = ({ iteration, row, roll }: TriedDraws) =>
  iteration !== null && roll === 0
    ? { stream: streams.sampling, iteration, offset: row }
    : { stream: streams.control, iteration: roll, offset: row };

/** Converts a given turn to tokens in the vocabulary of its speaker. */
function standing(turn: StandingTurn, index: number, team: Team): GivenTurn {
  const { tokenizers, protocol, settings } = team;
  const { agent, text, isFinish, tokens, logprobs, isTruncated = false, heardAs } = turn;
  if (tokens && logprobs) return { agent, text, isFinish, tokens, logprobs, isTruncated, ...(heardAs && { heardAs }) };
  const window = settings.windows[protocol.roles[agent] as Role];
  const tokenizer = tokenizers[agent] as Tokenizer;
  const ids = team.foreign ? freely(tokenizer, turn) : encoded(tokenizer, turn, `turn ${index + 1}`);
  if (ids.length > window)
    throw new FormatError(
      spoken`turn ${index + 1}: this turn has ${ids.length} tokens including the end token, but a turn of this agent can have at most ${window}; shorten the turn.`,
    );
  const said = tokenizer.decode(ids.slice(0, -1));
  // The turn was not sampled, so it has no log-probabilities.
  return { agent, text: said, isFinish, tokens: ids, logprobs: ids.map(() => Number.NaN), isTruncated };
}

/**
 * Encodes any text with the tokenizer of a third-party model. Text that looks like a special token is encoded as plain
 * text. Only the token at the end of the turn is a special token.
 */
function freely(tokenizer: Tokenizer, { text, isFinish }: Pick<StandingTurn, 'text' | 'isFinish'>): number[] {
  const controls = new ControlTokens(tokenizer, specialIn(tokenizer.json));
  const hidden = controls.hidden(text);
  return [...controls.readerOf(hidden)(hidden), tokenizer.id(isFinish ? finish : endOfTurn)];
}
