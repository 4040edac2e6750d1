// When a run moves on to the next level of its world (Bengio et al. 2009), and what a run under way must change for it.
import { ConfigError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import type { Config } from '../../config/schema.ts';
import { trunksOf } from '../../records/branch.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import type { World } from '../../tasks/world.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { assembleTeam, type Team } from '../team/team.ts';
import { networksOf, shareMemory } from '../rows/memory.ts';
import type { TrainState } from './trainState.ts';

/** Dialogues on the level that an iteration must have for its share to count. */
const fewest = 16;
/** Share of them that may be cut: a policy on its way to a collapse runs on. */
const mostCut = 0.05;

/**
 * The level from the next iteration on; null where it stays. It is decided by one iteration alone, so that a run that
 * was broken off and one that was not go the same way.
 */
export function raisedLevel({ config, world }: Team, trajectories: readonly Trajectory[]): number | null {
  const { level, raiseAt } = config.world;
  if (raiseAt === 0 || !world.levels.some((higher) => higher.level === level + 1)) return null;
  const onLevel = trunksOf(trajectories).filter(
    ({ problem }) => problem.level === level && problem.world === world.name,
  );
  const share = (is: (trajectory: Trajectory) => boolean) => onLevel.filter(is).length / onLevel.length;
  if (onLevel.length < fewest || share(({ finishCode }) => finishCode === 3) > mostCut) return null;
  return share(({ isRight }) => isRight) >= raiseAt ? level + 1 : null;
}

/** The team of changed settings, if the networks of a run can speak for it. Throws ConfigError. */
export function teamAfter(team: Team, config: Config, world?: World): Team {
  const changed = assembleTeam(config, world);
  if (changed.shapes.length !== team.shapes.length)
    throw new ConfigError(
      spoken`world.level: ${changed.shapes.length} turns of level ${config.world.level} would need an adapter each, and this run has ${team.shapes.length}; set agents.roundLimit, or begin a new run on that level.`,
    );
  const isSpoken = changed.tokenizers.every((tokenizer, agent) => isSameWords(tokenizer, team.tokenizers[agent]));
  if (!isSpoken)
    throw new ConfigError(
      spoken`world.name: the networks of this run were not made for the tokens of ${changed.world.label}; begin a new run in it.`,
    );
  return changed;
}

const isSameWords = (one: Tokenizer, other: Tokenizer | undefined): boolean =>
  JSON.stringify(one.json) === JSON.stringify(other?.json);

/** Gives a run a team whose contexts may be longer or shorter: no weight depends on that. */
export function takeTeam(trainState: TrainState, team: Team): void {
  trainState.team = team;
  const { maxPositions } = team.shape;
  for (const network of networksOf(trainState)) network.shape = { ...network.shape, maxPositions };
  shareMemory(trainState);
}
