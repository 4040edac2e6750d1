// Converts demonstrations to trajectories, so that the warm start and SFT train on rows of exactly the same form as
// rows of sampled dialogues.
import { Draws, streams } from '../../base/random.ts';
import { agentId } from '../../records/ids.ts';
import type { Problem } from '../../records/problem.ts';
import type { Protocol } from '../../records/protocol.ts';
import type { Trajectory, Turn } from '../../records/trajectory.ts';
import type { Demonstrated } from '../../tasks/world.ts';
import { replayReactions } from '../../rollout/reactions.ts';
import { vocabularyAt } from '../../rollout/view.ts';
import { feedbackOf, saysFinish } from '../../text/chatTemplate.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import type { Team } from '../team/team.ts';

/**
 * Adds the world's replies to the demonstrated messages, in place. The world replies to demonstrated messages in the
 * same way as to sampled ones.
 */
export async function answered(
  { world, tokens, settings }: Team,
  trajectories: readonly Trajectory[],
): Promise<readonly Trajectory[]> {
  const how = { world, tokens, observationWindow: settings.observationWindow ?? 0 };
  await Promise.all(trajectories.map((trajectory) => replayReactions(how, trajectory)));
  return trajectories;
}

/** The demonstrated dialogues of one supervised step, or only the first `count` of them. */
export function demonstrate(team: Team, step: number, count = team.config.warmStart.batchSize): Trajectory[] {
  return drawnDemonstrations(team, new Draws(team.config.run.seed, streams.demonstrations, step), count);
}

/**
 * The demonstrations that are imitated in iteration number `iteration` (from 0). These demonstrations differ from those
 * of a warm start.
 */
export function demonstrateFor(team: Team, iteration: number, count: number): Trajectory[] {
  return drawnDemonstrations(team, new Draws(team.config.run.seed, streams.imitation, iteration), count);
}

/** The demonstrations of these problems in an iteration (from 0), one for each problem. */
export function demonstrateOf(team: Team, iteration: number, problems: readonly Problem[]): Trajectory[] {
  const draws = new Draws(team.config.run.seed, streams.imitation, iteration);
  return problems.map((problem, index) => demonstrationOf(team, draws, { problem, index }));
}

function drawnDemonstrations(team: Team, draws: Draws, count: number): Trajectory[] {
  const { config, world } = team;
  return Array.from({ length: count }, (_, index) =>
    demonstrationOf(team, draws, { problem: world.draw(config.world.level, draws, 'training'), index }),
  );
}

function demonstrationOf(
  team: Team,
  draws: Draws,
  { problem, index }: { problem: Problem; index: number },
): Trajectory {
  const { config, world, protocol, settings } = team;
  const options = { ...config.warmStart, finishEnds: config.agents.finishEnds, rounds: settings.roundLimit };
  return {
    index,
    group: index,
    problem,
    prompts: protocol.roles.map((_, agent) => team.prompt(problem, agent)),
    turns: turnsOf(team, world.demonstrate(problem, draws, options, protocol)),
    finishCode: 0,
    answer: null,
    isRight: false,
    reward: 0,
  };
}

function turnsOf({ config, protocol, tokenizers, tokens }: Team, messages: readonly Demonstrated[]): Turn[] {
  const starts = setStarts(protocol, messages.length);
  const unheard = config.warmStart.unheard ? (protocol.unheard ?? []) : [];
  const others = (agent: number) => [...protocol.roles.keys()].filter((listener) => listener !== agent);
  return messages.map(({ agent, round, message, score, ...shown }, index) => {
    const maskedFor = unheard.includes(agent) ? others(agent) : shown.maskedFor;
    const tokenizer = tokenizers[agent] as Tokenizer;
    const ids = tokenizer.encode(message);
    const text = tokenizer.decode(ids.slice(0, -1));
    return {
      index,
      ...(starts[index] !== index && { set: starts[index] as number }),
      round,
      agent: agentId(agent),
      role: protocol.roles[agent] as Turn['role'],
      tokens: ids,
      logprobs: ids.map(() => 0),
      text,
      isTruncated: false,
      isFinish: ids.at(-1) === vocabularyAt(tokens, agent).finish || (tokens.inWords !== undefined && saysFinish(text)),
      parts: {},
      reason: [],
      reward: 0,
      ...(protocol.hasFeedback && score !== undefined && { feedback: feedbackOf(score) }),
      ...(maskedFor && { maskedFor }),
    };
  });
}

/**
 * For each turn, the index of the first turn in the same set of simultaneous turns. The sets are in the order of the
 * protocol.
 */
function setStarts({ round }: Protocol, count: number): number[] {
  const starts: number[] = [];
  for (let s = 0; starts.length < count; s++) {
    const first = starts.length;
    for (let i = 0; i < (round[s % round.length] as readonly number[]).length; i++) starts.push(first);
  }
  return starts;
}
