// The settings with which `cothink eval` measures a stored team: those of its run, or another level, another world that
// the team can speak in, or another number of problems.
import { ConfigError } from '../../src/base/errors.ts';
import { checkedSetting, withSettings } from '../../src/config/parse.ts';
import { refusalError } from '../../src/config/refusals/rule.ts';
import { combinationRules, refusalOf } from '../../src/config/refusals/table.ts';
import type { Config } from '../../src/config/schema.ts';
import { talksInWords } from '../../src/config/warmStarts.ts';
import { formOf, sharesWords, worldNames } from '../../src/config/worlds/registry.ts';
import { readyWorlds } from '../../src/tasks/registry.ts';
import type { CommandArguments } from '../command.ts';
import { openWorldFile } from '../worldFile.ts';

/** Throws ConfigError if the team cannot be measured there. */
export async function measuredIn(config: Config, given: CommandArguments): Promise<Config> {
  const [place, level, problems] = [given.text('world'), given.whole('level', 1), given.whole('problems', 1)];
  if (place === undefined && level === undefined && problems === undefined) return config;
  const { name } = config.world;
  const other = place === undefined ? name : await worldNamed(place, given);
  const wanted = withSettings(config, {
    ...(place !== undefined && { 'world.name': other, 'world.level': 1, 'world.also': [] }),
    ...(level !== undefined && { 'world.level': level }),
    ...(problems !== undefined && { 'evaluation.problems': checkedSetting('evaluation.problems', problems) }),
  });
  if (!talksInWords(config) && !sharesWords(formOf(name), formOf(other)))
    throw new ConfigError(`--world: ${place} uses words that the networks of this run have not learned.`);
  // Combinations that were possible in an earlier version, in which the run began, are not refused.
  const refusal = refusalOf(
    wanted,
    combinationRules.filter((rule) => !rule.when(config)),
  );
  if (refusal) throw refusalError(refusal);
  await readyWorlds(wanted);
  return wanted;
}

/** The name of a built-in world, or of the world in a file. */
async function worldNamed(place: string, given: CommandArguments): Promise<string> {
  if (/[./]/.test(place)) return (await openWorldFile(place)).form.name;
  return given.oneOf('world', worldNames) as string;
}
