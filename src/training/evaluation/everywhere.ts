// Measures the accuracy of a team outside its training setting: on every level of its world, on harder problems than in
// training, and in other worlds with the same vocabulary.
import { Draws, streams } from '../../base/random.ts';
import { wilson } from '../../base/stats.ts';
import type { Config } from '../../config/schema.ts';
import { isOwn } from '../../config/worlds/own.ts';
import type { WorldName } from '../../config/worlds/registry.ts';
import { protocolsFor } from '../../config/worlds/rules.ts';
import type { PlaceMeasured } from '../../records/metrics.ts';
import type { Policy } from '../../records/policy.ts';
import type { Problem } from '../../records/problem.ts';
import { loadWorlds, worldOf, worlds } from '../../tasks/registry.ts';
import type { World } from '../../tasks/world.ts';
import { assembleTeam, type Team } from '../team/team.ts';
import { untimedWorld } from '../team/worldTime.ts';
import { examinedTrajectories, silentCeiling, type Examination } from './evaluate.ts';

/**
 * The maximum number of problems in measurements that need many dialogues, because they cover many worlds and levels,
 * or sample many answers to each problem.
 */
export const mostProblems = 256;

/**
 * The accuracy on all levels of all worlds whose vocabulary is the vocabulary of the networks. `policiesOf` returns the
 * policies of the team for one world and level.
 */
export async function measurePlaces(
  team: Team,
  policiesOf: (team: Team) => Policy[],
  how: Omit<Examination, 'policies'>,
): Promise<PlaceMeasured[]> {
  await loadWorlds();
  const measured: PlaceMeasured[] = [];
  for (const place of placesOf(team)) {
    const { world, config } = place;
    const count = Math.min(mostProblems, config.evaluation.problems);
    for (const split of ['heldOut', 'harder'] as const) {
      if (!world.splits.includes(split)) continue;
      const problems = split === 'heldOut' ? world.heldOut(config.world.level, count) : harderProblems(place, count);
      const trajectories = await examinedTrajectories(place, problems, { ...how, policies: policiesOf(place) });
      const right = trajectories.filter(({ isRight }) => isRight).length;
      measured.push({
        ...{ world: world.name, level: config.world.level, split, accuracy: right / problems.length },
        ...wilson(right, problems.length),
        problems: problems.length,
        ...(split === 'heldOut' && { ceiling: silentCeiling(place) }),
      });
    }
  }
  return measured;
}

/** The harder problems on which accuracy is measured are the same in every run. */
function harderProblems({ world, config }: Team, count: number): Problem[] {
  const draws = new Draws(0, streams.heldOut, 1);
  return Array.from({ length: count }, () => world.draw(config.world.level, draws, 'harder'));
}

/**
 * The same team on every level of its own world and of the worlds that share its vocabulary. Levels that would require
 * different networks are left out.
 */
function placesOf(team: Team): Team[] {
  const [first] = vocabulariesOf(team.world);
  const { name, also } = team.config.world;
  const home = isOwn(name) ? team.world : worlds[name];
  const isNamed = untimedWorld(team.world) === home || (also.length > 0 && team.world.name === name);
  const others = Object.values(worlds).filter((other) => other.name !== name && vocabulariesOf(other)[0] === first);
  // A world that has been put in plain words must not be put in plain words once more.
  const own = team.tokens.inWords ? worldOf(team.config) : team.world;
  return (isNamed ? [home, ...others] : [own]).flatMap((world) =>
    world.levels.flatMap(({ level }) => {
      const there = isNamed ? { name: world.name as WorldName, also: [] } : {};
      const config: Config = { ...team.config, world: { ...team.config.world, level, easier: 0, ...there } };
      if (world.name !== name && !canTalkIn(world, config)) return [];
      const place = assembleTeam(config, world, undefined, team.clock);
      const isSame = place.shapes.length === team.shapes.length && place.networkOf.length === team.networkOf.length;
      return isSame ? [{ ...place, networkOf: team.networkOf, agentsOf: team.agentsOf }] : [];
    }),
  );
}

/** Whether a world supports the protocol and the vocabularies in these settings. The reward settings are ignored. */
const canTalkIn = (world: World, { agents: { protocol, otherVocabulary } }: Config): boolean =>
  protocolsFor(world).includes(protocol) && (otherVocabulary === 'same' || otherVocabulary in world.vocabularies);

const vocabulariesOf = ({ tokenizers }: World) => Object.values(tokenizers);
