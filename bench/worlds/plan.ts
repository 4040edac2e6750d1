// The plan of the bench of worlds: each world with the settings that the page recommends, which are those of the
// presets that name the world; and the controls, which sample the same number of tokens as the team.
import { parseConfig, parseShape } from '../../src/config/parse.ts';
import { presets } from '../../src/config/presets.ts';
import { refusalOf } from '../../src/config/refusals/table.ts';
import type { Config, ConfigInput } from '../../src/config/schema.ts';
import type { WorldName } from '../../src/config/worlds/registry.ts';
import { hashOf } from '../shared/rowStore.ts';

/** The minimum gain of a team over its warm start, required in every seed. */
export const leastGain = 0.15;

/** Voting agents for comparison with the team: each answers with the single agent's weights. */
export const voters = 3;

export interface PlannedWorld {
  /** The preset of the world. `-- NAME` selects it, and so does the name of the world. */
  name: string;
  world: string;
  settings: ConfigInput;
}

const every: readonly (readonly [string, { settings: ConfigInput; model?: unknown }])[] = Object.entries(presets);

/** The default, and each preset that names a world and does not set its level. */
export const worldPresets: readonly (PlannedWorld & { isOfModel: boolean })[] = every.flatMap(
  ([name, { settings, model }]) =>
    name === 'default' || (settings.world?.name && !settings.world.level)
      ? [{ name, world: parseConfig(settings).world.name, settings, isOfModel: model !== undefined }]
      : [],
);

/** The presets that are measured here. Presets for language models are measured by `npm run words`. */
export const plannedWorlds: readonly PlannedWorld[] = worldPresets.filter(({ isOfModel }) => !isOfModel);

/** Returns the complete configuration of a row, which is evaluated before its first iteration and after its last. */
export function worldConfig(settings: ConfigInput, level: number, seed: number): Config {
  return parseConfig({
    ...settings,
    world: { ...settings.world, level },
    evaluation: { ...settings.evaluation, every: 1000 },
    run: { ...settings.run, seed },
  });
}

/**
 * Returns the configuration of a control with the default learner and the team's reward: one agent that sees
 * everything, or several such agents that vote. Returns null if the world does not support such a team.
 */
export function controlConfig(config: Config, protocol: 'single' | 'vote'): Config | null {
  const { world, reward, warmStart, evaluation, optimiser, run } = config;
  const agents = { protocol, size: config.agents.size, ...(protocol === 'vote' && { count: voters }) };
  const bare = parseShape({ world, agents, warmStart: { ...warmStart, source: 'train' } });
  if (refusalOf(bare)) return null;
  const paid = { reward, [world.name]: config[world.name as WorldName] };
  const { learningRate } = optimiser;
  return parseConfig({ ...bare, ...paid, warmStart, evaluation, optimiser: { learningRate }, run });
}

/** Returns the key of a row, which contains all settings of its measurement. */
export function worldRowKey(name: string, level: number, seed: number, settings: unknown): string {
  return [name, level, seed, hashOf([settings, voters])].join(' ');
}
