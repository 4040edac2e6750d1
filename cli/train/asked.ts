// The training that a command requests: a run file or a preset, and additional settings.
import { ConfigError, FormatError } from '../../src/base/errors.ts';
import { fieldAt, type NumberField } from '../../src/config/describe.ts';
import { checkedSetting, parseConfig, readFieldText, withSettings } from '../../src/config/parse.ts';
import { firstPreset, needsModel, presetConfig } from '../../src/config/presets.ts';
import { settingReader } from '../../src/migrations/settings.ts';
import type { SettingValue } from '../../src/config/field.ts';
import type { Config } from '../../src/config/schema.ts';
import type { ProtocolName } from '../../src/config/protocols/facts.ts';
import { introduce, type OwnWorld } from '../../src/config/worlds/own.ts';
import { settingsIn } from '../../src/config/worlds/ownSettings.ts';
import { protocolsFor } from '../../src/config/worlds/rules.ts';
import { readRunFile, readRunWorld } from '../../src/formats/runFile.ts';
import type { RunHistory } from '../../src/records/stored/history.ts';
import { checkWorld } from '../../src/tasks/registry.ts';
import type { GivenModel } from '../../src/records/stored/modelCard.ts';
import type { CommandArguments } from '../command.ts';
import { readText } from '../files.ts';
import { openWorldFile } from '../worldFile.ts';
import { withModels } from './models.ts';

export interface TrainingRequest {
  history: RunHistory;
  /** The world in the run file. */
  world: OwnWorld | null;
  /** The models that the settings refer to. */
  models: ReadonlyMap<string, GivenModel>;
  /** The paths of these models, by the same names. */
  places: ReadonlyMap<string, string>;
}

/**
 * Reads the run file, if one is given, and then the options, which override it. Throws ConfigError and FormatError with
 * the position of the mistake in the message.
 */
export async function askedFor(given: CommandArguments): Promise<TrainingRequest> {
  const [file] = given.rest;
  const preset = given.text('preset');
  if (file !== undefined && preset !== undefined)
    throw new ConfigError('--preset: a run file contains its own preset; leave out either the run file or --preset.');
  const place = given.text('world');
  if (file !== undefined && place !== undefined)
    throw new ConfigError('--world: a run file contains its own world; leave out either the run file or --world.');
  const { history, world } = file === undefined ? await fromPreset(preset ?? firstPreset, place) : await fromFile(file);
  const { set: written, models, places } = await withModels([...startOf(given), ...given.all('set')]);
  const set = settingsOf(written);
  refuseOtherModel(given, history, set);
  const isChanged = Object.keys(set).length > 0;
  if (isChanged && history.fork)
    throw new ConfigError(
      '--set: the settings of a fork cannot be changed with this option; change the settings in the run file.',
    );
  const config = isChanged ? parseConfig(withSettings(history.config, set)) : history.config;
  if (file === undefined && needsModel(history.preset, config))
    throw new ConfigError(
      `--preset: the agents of ${history.preset} are a language model; pass its file with --model FILE.gguf.`,
    );
  return { history: { ...history, config }, world, models, places };
}

/** The setting for the model from which a new run starts, if the command contains one. */
const startOf = (given: CommandArguments): string[] => {
  const model = given.text('model');
  return model === undefined ? [] : [`agents.start=${model}`];
};

/** Throws ConfigError if a run file is based on one language model and --model contains another. */
function refuseOtherModel(given: CommandArguments, { config }: RunHistory, set: Record<string, SettingValue>): void {
  const [wanted, found] = [config.agents.start, set['agents.start']];
  if (!given.has('model') || wanted === 'warmStart' || found === wanted) return;
  throw new ConfigError(
    `--model: ${given.text('model')} contains another model (${String(found)}) than the run file (${wanted}); pass the file of ${wanted}, or start from the other model with --set agents.start=FILE.`,
  );
}

/** Maximum number of runs of one command. */
export const mostRuns = 1_000;

/**
 * Returns `count` consecutive seeds, starting at run.seed. Throws ConfigError if the run is a fork, if there are more
 * than `mostRuns` runs, or if a seed would be above the maximum of run.seed.
 */
export function seedsOf({ config, fork }: RunHistory, count: number): number[] {
  if (fork) throw new ConfigError('--seeds: a fork uses the seed of its original run; train the fork without --seeds.');
  if (count > mostRuns) throw new ConfigError(`--seeds: expected at most ${mostRuns} runs in total, got ${count}.`);
  const { seed } = config.run;
  const { max } = fieldAt('run.seed') as NumberField;
  if (seed + count - 1 > max)
    throw new ConfigError(
      `--seeds: expected a number of at most ${max - seed + 1} with run.seed = ${seed}, got ${count}; set a lower run.seed.`,
    );
  return Array.from({ length: count }, (_, i) => seed + i);
}

/** A run with a preset and, if a file with a world is given, in this world. */
async function fromPreset(
  preset: string,
  place: string | undefined,
): Promise<Omit<TrainingRequest, 'models' | 'places'>> {
  const world = place === undefined ? null : await openWorldFile(place);
  const config = world ? inWorld(presetConfig(preset), world) : presetConfig(preset);
  return { history: { preset, config, changes: [], imports: [] }, world };
}

/** Settings with the first level of the user's own world, and with a protocol that is possible in this world. */
export function inWorld(config: Config, { form }: OwnWorld): Config {
  const possible = protocolsFor(form);
  const { protocol } = config.agents;
  const fitting = possible.includes(protocol) ? protocol : (possible[0] as ProtocolName);
  return withSettings(config, settingsIn(form, fitting, 1));
}

async function fromFile(file: string): Promise<Omit<TrainingRequest, 'models' | 'places'>> {
  const text = await readText(file);
  try {
    const carried = readRunWorld(text);
    const world = carried && (await checkWorld(carried.content));
    const named = world && carried && { ...world, form: { ...world.form, label: carried.label } };
    // The settings later in the file may refer to this world by its name.
    if (named) introduce(named.form);
    return { history: readRunFile(text), world: named };
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`${file}: ${error.message}`, error.refusal);
    if (error instanceof FormatError) throw new FormatError(`${file}: ${error.message}`);
    throw error;
  }
}

/** Parses settings of the form `section.field=value`. Throws ConfigError. */
export function settingsOf(written: readonly string[]): Record<string, SettingValue> {
  const present = settingReader();
  const found: Record<string, SettingValue> = {};
  for (const text of written) {
    const at = text.indexOf('=');
    if (at < 1)
      throw new ConfigError(
        `--set: expected section.field=value, got ${JSON.stringify(text)}; an example is run.seed=12.`,
      );
    const { path, value } = present(text.slice(0, at), text.slice(at + 1));
    const field = fieldAt(path);
    found[path] = checkedSetting(path, field && typeof value === 'string' ? readFieldText(field, value) : value);
  }
  return found;
}
