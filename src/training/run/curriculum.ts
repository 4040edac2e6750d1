// Decides when the level of a run is raised (a curriculum, Bengio et al. 2009), and changes the team accordingly.
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

/** The level is raised only if an iteration has at least this number of dialogues on the current level. */
const fewest = 16;
/**
 * The level is raised only if at most this share of dialogues was truncated, because a policy that is about to collapse
 * often does not end its messages.
 */
const mostCut = 0.05;

/**
 * The level for the next iteration; null if the level stays the same. The decision depends only on the current
 * iteration, so that an interrupted run gives the same result as an uninterrupted one.
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

/** The team after settings have changed. Throws ConfigError if the networks of the run cannot be used in this team. */
export function teamAfter(team: Team, config: Config, world?: World): Team {
  const changed = assembleTeam(config, world, undefined, team.clock);
  if (changed.shapes.length !== team.shapes.length)
    throw new ConfigError(
      spoken`world.level: one adapter is needed for each of the ${changed.shapes.length} turns of level ${config.world.level}, but this run has ${team.shapes.length} adapters; change agents.roundLimit until the two numbers are equal, or begin a new run on that level.`,
    );
  const isSpoken = changed.tokenizers.every((tokenizer, agent) => isSameWords(tokenizer, team.tokenizers[agent]));
  if (!isSpoken)
    throw new ConfigError(
      spoken`world.name: the networks of this run were not made for the tokens of ${changed.world.label}; begin a new run in that world.`,
    );
  return changed;
}

const isSameWords = (one: Tokenizer, other: Tokenizer | undefined): boolean =>
  JSON.stringify(one.json) === JSON.stringify(other?.json);

/**
 * Replaces the team of a run. The contexts of the new team may be longer or shorter, because the shapes of the weights
 * do not depend on the length of contexts.
 */
export function takeTeam(trainState: TrainState, team: Team): void {
  trainState.team = team;
  const { maxPositions } = team.shape;
  for (const network of networksOf(trainState)) network.shape = { ...network.shape, maxPositions };
  shareMemory(trainState);
}
