// The settings with which `cothink eval` and `cothink collect` let a stored team talk: those of its run, or another level, another world that
// the team can speak in, or another number of problems.
import { ConfigError } from '../../src/base/errors.ts';
import { checkedSetting, withSettings } from '../../src/config/parse.ts';
import { refusalError } from '../../src/config/refusals/rule.ts';
import { combinationRules, refusalOf } from '../../src/config/refusals/table.ts';
import type { Config } from '../../src/config/schema.ts';
import { talksInWords } from '../../src/config/warmStarts.ts';
import { formOf, sharesWords } from '../../src/config/worlds/registry.ts';
import { readyWorlds } from '../../src/tasks/registry.ts';
import type { CommandArguments } from '../command.ts';
import { worldAt } from '../worldFile.ts';

/**
 * Opens the world that the command requests, and returns a function that changes the settings of a run accordingly. The
 * function throws ConfigError if the team of the run cannot be measured there.
 */
export async function measuredIn(given: CommandArguments): Promise<(config: Config) => Promise<Config>> {
  const asked = await worldAt(given);
  const name = typeof asked === 'string' ? asked : asked?.form.name;
  const [level, problems] = [given.whole('level', 1), given.whole('problems', 1)];
  if (name === undefined && level === undefined && problems === undefined) return (config) => Promise.resolve(config);
  return async (config) => {
    const wanted = withSettings(config, {
      ...(name !== undefined && { 'world.name': name, 'world.level': 1, 'world.also': [] }),
      ...(level !== undefined && { 'world.level': level }),
      ...(problems !== undefined && { 'evaluation.problems': checkedSetting('evaluation.problems', problems) }),
    });
    if (!talksInWords(config) && !sharesWords(formOf(config.world.name), formOf(wanted.world.name)))
      throw new ConfigError(
        `--world: ${given.text('world')} uses words that the networks of this run have not learned.`,
      );
    // Combinations that were possible in an earlier version, in which the run began, are not refused.
    const refusal = refusalOf(
      wanted,
      combinationRules.filter((rule) => !rule.when(config)),
    );
    if (refusal) throw refusalError(refusal);
    await readyWorlds(wanted);
    return wanted;
  };
}
