// Measures the accuracy on the fixed held-out problems with sampled answers, and its Wilson interval. The same is
// measured for the control, in which no agent hears the essential messages of the protocol (they are masked, and
// positions stay the same). The draws are the same at every evaluation of a run, so that accuracy can only change if
// the policy changes.
import { hexOf } from '../../base/bits.ts';
import { streams } from '../../base/random.ts';
import { wilson } from '../../base/stats.ts';
import { lowTemperature, type Evaluation } from '../../records/metrics.ts';
import type { Policy } from '../../records/policy.ts';
import type { Problem } from '../../records/problem.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { rollOut, type TeamRequest } from '../collect/collect.ts';
import type { Team } from '../team/team.ts';

/** Options of the dialogues with which a team is evaluated. */
export interface Examination {
  policies: readonly Policy[];
  onTurn?: TeamRequest['onTurn'];
  /** Scores answers if the agents get feedback; whether answers are right is always decided by the world. */
  judge?: TeamRequest['judge'];
  /** The sampling temperature, which is 1 by default, whatever temperature the run uses. */
  temperature?: number;
}

interface EvaluationRequest extends Examination {
  iteration: number;
  /** Whether accuracy is also measured with the messages hidden. */
  withMasked: boolean;
  /** Receives the dialogues over which accuracy is computed. */
  hear?: ((measured: readonly Trajectory[]) => void) | undefined;
}

/**
 * Runs one dialogue for each of the fixed problems. The draws are the same at every measurement, starting with those of
 * `row`.
 */
export async function examinedTrajectories(
  team: Team,
  problems: readonly Problem[],
  { hiddenSpeakers = [], row = 0, ...request }: Examination & { hiddenSpeakers?: readonly number[]; row?: number },
): Promise<Trajectory[]> {
  // No message is withheld from the measured team, except in the control.
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

/** Measures the team in its current state. */
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
 * The highest possible accuracy of a team without messages, which is that of its answering agents if they only use the
 * texts that they see. If they see different texts, a vote or a verifier may find the right answer whenever one of them
 * has it, because an agent with too little information can give no answer.
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
