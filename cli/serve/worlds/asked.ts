// Finds the world to serve and its settings, from a stored run or by the name of a world.
import { ConfigError } from '../../../src/base/errors.ts';
import { parseConfig, withSettings } from '../../../src/config/parse.ts';
import { firstPreset, presetConfig, presets } from '../../../src/config/presets.ts';
import type { Config } from '../../../src/config/schema.ts';
import type { OwnWorld } from '../../../src/config/worlds/own.ts';
import type { WorldName } from '../../../src/config/worlds/registry.ts';
import { worldOf } from '../../../src/tasks/registry.ts';
import { assembleTeam } from '../../../src/training/team/team.ts';
import type { CommandArguments } from '../../command.ts';
import { inWorld, settingsOf } from '../../train/asked.ts';
import { worldAt } from '../../worldFile.ts';
import type { RequestGuard } from '../http.ts';
import { Episodes } from './episodes.ts';
import type { ServedWorld } from '../door.ts';
import { doorOptions } from '../doors.ts';

/** The world to serve; null if the command requests none. Throws ConfigError. */
export async function worldAsked(
  given: CommandArguments,
  guard: RequestGuard,
  ofRun: Config | null,
): Promise<ServedWorld | null> {
  const config = ofRun ? configOfRun(given, ofRun) : await named(given);
  if (!config) return null;
  const world = worldOf(config);
  const options = world.options ? config[world.name as WorldName] : null;
  return { episodes: new Episodes(assembleTeam(config, world), () => performance.now()), world, options, guard };
}

function configOfRun(given: CommandArguments, config: Config): Config {
  for (const option of ['world', 'level', 'set'])
    if (given.has(option))
      throw new ConfigError(`--${option}: a run is served in its own world; leave out either the run or --${option}.`);
  return config;
}

/**
 * The settings of the first preset for the requested world, with the changes that the command requests; null if no
 * world is requested.
 */
async function named(given: CommandArguments): Promise<Config | null> {
  const asked = await worldAt(given);
  if (asked === null) {
    for (const option of ['level', 'set', ...Object.keys(doorOptions)])
      if (given.has(option)) throw new ConfigError(`--${option}: no world is served; add --world NAME or a run.`);
    return null;
  }
  const level = given.whole('level', 1);
  return parseConfig(
    withSettings(inAsked(asked), {
      ...(level !== undefined && { 'world.level': level }),
      ...settingsOf(given.all('set')),
    }),
  );
}

/** The settings of the first preset for a built-in world, or settings for the world in a file. */
function inAsked(asked: WorldName | OwnWorld): Config {
  if (typeof asked !== 'string') return inWorld(presetConfig(firstPreset), asked);
  const preset = Object.keys(presets).find((one) => presetConfig(one).world.name === asked);
  return withSettings(presetConfig(preset ?? 'default'), { 'world.name': asked });
}
