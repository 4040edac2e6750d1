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
import { worldCalled } from '../../worldFile.ts';
import type { RequestGuard } from '../http.ts';
import { Episodes } from './episodes.ts';
import { ServedWorlds, type ServedWorld } from './servedWorlds.ts';
import { doorOptions } from '../doors.ts';

/** The worlds to serve; null if the command requests none. Throws ConfigError. */
export async function worldsAsked(
  given: CommandArguments,
  guard: RequestGuard,
  ofRun: Config | null,
): Promise<ServedWorlds | null> {
  const [first, ...others] = (ofRun ? [configOfRun(given, ofRun)] : await named(given)).map(servedIn);
  return first ? new ServedWorlds([first, ...others], guard) : null;
}

function servedIn(config: Config): ServedWorld {
  const world = worldOf(config);
  const options = world.options ? config[world.name as WorldName] : null;
  return { episodes: new Episodes(assembleTeam(config, world), () => performance.now()), world, options };
}

function configOfRun(given: CommandArguments, config: Config): Config {
  for (const option of ['world', 'level', 'set'])
    if (given.has(option))
      throw new ConfigError(`--${option}: a run is served in its own world; leave out either the run or --${option}.`);
  return config;
}

/**
 * For each requested world, the settings of the first preset for it, with the changes that the command requests; empty if
 * no world is requested.
 */
async function named(given: CommandArguments): Promise<Config[]> {
  const places = given.all('world');
  if (places.length === 0) {
    for (const option of ['level', 'set', ...Object.keys(doorOptions)])
      if (given.has(option)) throw new ConfigError(`--${option}: no world is served; add --world NAME or a run.`);
    return [];
  }
  const level = given.whole('level', 1);
  const changes = { ...(level !== undefined && { 'world.level': level }), ...settingsOf(given.all('set')) };
  const configs: Config[] = [];
  for (const place of places) configs.push(parseConfig(withSettings(inAsked(await worldCalled(place)), changes)));
  return configs;
}

/** The settings of the first preset for a built-in world, or settings for the world in a file. */
function inAsked(asked: WorldName | OwnWorld): Config {
  if (typeof asked !== 'string') return inWorld(presetConfig(firstPreset), asked);
  const preset = Object.keys(presets).find((one) => presetConfig(one).world.name === asked);
  return withSettings(presetConfig(preset ?? 'default'), { 'world.name': asked });
}
