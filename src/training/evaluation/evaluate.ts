// Measures the accuracy on the fixed held-out problems with sampled answers, and its Wilson interval. The accuracy is
// also measured in a control, in which no agent hears the messages that are essential in the protocol. These messages
// are masked without a change of positions. The draws are the same at every evaluation of a run, so that accuracy can
// only change if the policy changes.
import { hexOf } from '../../base/bits.ts';
import { streams } from '../../base/random.ts';
import { wilson } from '../../base/stats.ts';
import { lowTemperature, type Evaluation } from '../../records/metrics.ts';
import type { Policy } from '../../records/policy.ts';
import type { Problem } from '../../records/problem.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { rollOut, type TeamRequest } from '../collect/collect.ts';
import type { Team } from '../team/team.ts';

/** The policies and options with which a team's evaluation dialogues are run. */
export interface Examination {
  policies: readonly Policy[];
  onTurn?: TeamRequest['onTurn'];
  onWord?: TeamRequest['onWord'];
  /**
   * Scores answers for the feedback that agents receive. Whether an answer is right is always determined by the world.
   */
  judge?: TeamRequest['judge'];
  /** The sampling temperature. The default is 1, even if the run uses another temperature. */
  temperature?: number;
}

interface EvaluationRequest extends Examination {
  iteration: number;
  /** Whether accuracy is also measured with the messages hidden. */
  withMasked: boolean;
  /** Called with the dialogues from which the accuracy is computed. */
  hear?: ((measured: readonly Trajectory[]) => void) | undefined;
}

/**
 * Runs one dialogue for each of the fixed problems. Every measurement uses the same draws. The first dialogue uses the
 * draws of row `row`.
 */
export async function examinedTrajectories(
  team: Team,
  problems: readonly Problem[],
  { hiddenSpeakers = [], row = 0, ...request }: Examination & { hiddenSpeakers?: readonly number[]; row?: number },
): Promise<Trajectory[]> {
  // In evaluations, no message is masked at random. Only the control hides messages.
  const { maskPeers: _, ...protocol } = team.protocol;
  const { trajectories } = await rollOut(
    { ...team, protocol, settings: { ...team.settings, temperature: request.temperature ?? 1 } },
    {
      problems,
      groups: problems.map((_, index) => index),
      policies: request.policies,
      draws: { stream: streams.evaluation, iteration: 0, offset: row },
      isHidden: ({ agent }) => hiddenSpeakers.includes(agent),
      ...(request.onTurn && { onTurn: request.onTurn }),
      ...(request.onWord && { onWord: request.onWord }),
      ...(request.judge && { judge: request.judge }),
    },
  );
  return trajectories;
}

const shareRight = (trajectories: readonly Trajectory[]) =>
  trajectories.filter(({ isRight }) => isRight).length / Math.max(1, trajectories.length);

/** The accuracy on the fixed held-out problems if each agent almost always chooses the most likely token. */
export async function measureAtLowTemperature(team: Team, how: Examination) {
  const problems = team.world.heldOut(team.config.world.level, team.config.evaluation.problems);
  const trajectories = await examinedTrajectories(team, problems, { ...how, temperature: lowTemperature });
  const right = trajectories.filter(({ isRight }) => isRight).length;
  return { accuracy: right / trajectories.length, ...wilson(right, trajectories.length) };
}

/** Measures the accuracy of the team with its current weights. */
export async function evaluateTeam(team: Team, request: EvaluationRequest): Promise<Evaluation> {
  const { config, world } = team;
  const problems = world.heldOut(config.world.level, config.evaluation.problems);
  const trajectories = await examinedTrajectories(team, problems, request);
  request.hear?.(trajectories);
  const right = trajectories.filter(({ isRight }) => isRight).length;
  const bySlice: Record<string, number> = {};
  for (const slice of new Set(trajectories.map(({ problem }) => problem.slice))) {
    bySlice[slice] = shareRight(trajectories.filter(({ problem }) => problem.slice === slice));
  }
  const { messengers } = team.protocol;
  const isMasked = request.withMasked && messengers.length > 0;
  const hidden = { ...request, hiddenSpeakers: messengers };
  const masked = isMasked ? shareRight(await examinedTrajectories(team, problems, hidden)) : undefined;
  return {
    iteration: request.iteration,
    accuracy: right / trajectories.length,
    ...wilson(right, trajectories.length),
    problems: trajectories.length,
    bySlice,
    right: hexOf(trajectories.map(({ isRight }) => isRight)),
    ...(masked !== undefined && { maskedMessage: masked }),
    ceiling: silentCeiling(team),
  };
}

/**
 * The highest possible accuracy of a team without messages, in which the answering agents only use the texts that they
 * see. Agents that see different texts may reach a higher accuracy together than each of them alone: agents with too
 * little information may give no answer, so that a vote or a verifier chooses the right answer of another agent.
 */
export function silentCeiling({ world, config, protocol: { answerFrom, isDecided, sees } }: Team): number {
  const answering = isDecided || answerFrom === 'majority' ? sees : [sees[answerFrom] ?? []];
  const views = [...new Map(answering.map((names) => [names.join(), names])).values()];
  const isWidest = (names: readonly string[]) =>
    !views.some((others) => others.length > names.length && names.every((name) => others.includes(name)));
  const ceilings = views.filter(isWidest).map((names) => world.ceiling(config.world.level, names));
  return Math.min(
    1,
    ceilings.reduce((all, one) => all + one),
  );
}
