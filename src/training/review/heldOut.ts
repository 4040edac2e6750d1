// Runs a dialogue about one held-out problem with the weights of a checkpoint. The draws are the same as in every
// evaluation, so a difference between two checkpoints is caused by the training in between.
import { ConfigError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import type { Checkpoint } from '../../records/stored/checkpoint.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { examinedTrajectories } from '../evaluation/evaluate.ts';
import { worldOf } from '../../tasks/registry.ts';
import { agentPolicies } from '../collect/agentPolicies.ts';
import { disposeTrainState, restoreTrainState } from '../run/trainState.ts';
import { Gate, yieldToMessages } from '../team/gate.ts';
import { teamAt } from '../team/team.ts';
import { verifierInRollout } from '../verifier/trainedVerifier.ts';

/**
 * The indices of the problems that need no explanation, among the first `count` held-out problems of a checkpoint. All
 * problems are plain in a world that makes no distinction.
 */
export function plainProblems({ config }: Checkpoint, count: number): number[] {
  const world = worldOf(config);
  const problems = world.heldOut(config.world.level, config.evaluation.problems).slice(0, count);
  return problems.flatMap((problem, index) => ((world.isPlain?.(problem) ?? true) ? [index] : []));
}

/** The dialogue about held-out problem number `problem`, from 0. Throws ConfigError if there are fewer problems. */
export async function heldOutTrajectory(checkpoint: Checkpoint, problem: number): Promise<Trajectory> {
  const gate = new Gate();
  const state = restoreTrainState(checkpoint, gate);
  try {
    const team = teamAt(state.team, checkpoint.iteration);
    const { world, evaluation } = team.config;
    const problems = team.world.heldOut(world.level, evaluation.problems);
    const asked = problems[problem];
    if (!asked)
      throw new ConfigError(
        spoken`problem: expected 1 to ${problems.length}, got ${problem + 1}; choose one of the held-out problems.`,
      );
    const { judge } = verifierInRollout(state.verifier, { team, gate });
    const how = { policies: agentPolicies({ ...state, team }), onTurn: yieldToMessages, ...(judge && { judge }) };
    const [trajectory] = await examinedTrajectories(team, [asked], { ...how, row: problem });
    return trajectory as Trajectory;
  } finally {
    disposeTrainState(state);
  }
}
