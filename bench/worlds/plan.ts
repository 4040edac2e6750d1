// The plan of the bench of worlds: each world with the settings that the page recommends for it, which are those of the
// presets that name it, and in addition to the team the controls with the same number of sampled tokens.
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
  /** Its preset: selected by `-- NAME`, as by the name of its world. */
  name: string;
  world: string;
  settings: ConfigInput;
}

const every: readonly (readonly [string, { settings: ConfigInput }])[] = Object.entries(presets);

/** The default, and each preset that names a world and does not set its level. */
export const plannedWorlds: readonly PlannedWorld[] = every.flatMap(([name, { settings }]) =>
  name === 'default' || (settings.world?.name && !settings.world.level)
    ? [{ name, world: parseConfig(settings).world.name, settings }]
    : [],
);

/** The complete configuration of a row, evaluated before its first iteration and after its last. */
export function worldConfig(settings: ConfigInput, level: number, seed: number): Config {
  return parseConfig({
    ...settings,
    world: { ...settings.world, level },
    evaluation: { ...settings.evaluation, every: 1000 },
    run: { ...settings.run, seed },
  });
}

/**
 * One agent that sees everything, or several of its kind that vote: the default learner, with the team's reward; null
 * if the world does not support such a team.
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

/** The name of a row, from all settings of its measurement. */
export function worldRowKey(name: string, level: number, seed: number, settings: unknown): string {
  return [name, level, seed, hashOf([settings, voters])].join(' ');
}
