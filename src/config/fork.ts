// The ways in which a run continues as another run. If all agents share one network, their networks may be separate
// from then on. Or any of the run's settings may be changed, as in an arm of an experiment. The problems and the random
// draws stay the same, so every difference is caused by these settings.
import { ConfigError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { describeFields, hasParts, type Field } from './describe.ts';
import type { SettingValue } from './field.ts';
import { withChanges } from './liveChange.ts';
import { canMatter } from './matters.ts';
import { checkedSetting, parseConfig, withSetting, withSettings } from './parse.ts';
import type { Config } from './schema.ts';
import { isTeam, mostRounds, chosenProtocol } from './protocols/registry.ts';

export const forkModes = ['separate', 'lora', 'loraByTurn'] as const;
export type ForkMode = (typeof forkModes)[number];

/**
 * The settings of the fork. Throws ConfigError if there are no networks to separate, or if the settings contradict each
 * other.
 */
export function forkedConfig(config: Config, mode: ForkMode): Config {
  const now = config.agents.parameters;
  if (now !== 'shared') {
    throw new ConfigError(
      spoken`agents.parameters: only shared networks can be separated, got ${now}; fork a run with agents.parameters = shared.`,
    );
  }
  if (mode === 'separate' && !isTeam(chosenProtocol(config.agents))) {
    throw new ConfigError(
      spoken`agents.parameters: a single agent already has its own network; fork with agents.parameters = lora.`,
    );
  }
  if (mode === 'loraByTurn' && mostRounds(config.agents) === 1) {
    throw new ConfigError(
      spoken`agents.adapterPer: every agent speaks only once, so adapters by turn would equal adapters by role; fork with agents.adapterPer = role.`,
    );
  }
  if (mode === 'separate') return withSetting(config, 'agents.parameters', mode);
  const adapterPer = mode === 'lora' ? 'role' : 'turn';
  return withSetting(withSetting(config, 'agents.adapterPer', adapterPer), 'agents.parameters', 'lora');
}

/** All ways in which the networks of the run can be separated by a fork; empty if they are not shared. */
export function possibleForks(config: Config): ForkMode[] {
  return forkModes.filter((mode) => {
    try {
      return forkedConfig(config, mode) !== null;
    } catch (error) {
      if (error instanceof ConfigError) return false;
      throw error;
    }
  });
}

export const waysOn = [...forkModes, 'settings'] as const;

/** A setting and its new value. */
export interface Changed {
  path: string;
  value: SettingValue;
}

/**
 * How a run continues as another run. An arm of an experiment has `settings`, which are absent if it changes nothing.
 */
export interface ForkChoice {
  mode: (typeof waysOn)[number];
  settings?: readonly Changed[];
}

/**
 * The settings that both arms of an experiment share: their random numbers, and the networks that they start from.
 * These settings include the rank and scale of adapters. They also include the interval of role exchange, so that the
 * iteration alone decides which agent plays which role.
 */
const held =
  /^(warmStart\..*|run\.(seed|backend|capture)|agents\.(protocol|own|count|parameters|size|start|other.*|lora.*|adapterPer|swapEvery))$/;

/** Whether an arm of an experiment may have a different value of this setting than the run that it continues. */
export const mayDiffer = (path: string): boolean => !held.test(path);

/** An arm cannot change where a run computes or how long it trains. */
const uninteresting = /^run\./;

/** The settings that an arm may change on the page and that have an effect under the settings `config`. */
export const changeable = (config: Config): Field[] =>
  describeFields().filter(
    (field) =>
      mayDiffer(field.path) &&
      !uninteresting.test(field.path) &&
      !hasParts(field) &&
      field.kind !== 'agentSet' &&
      field.kind !== 'formula' &&
      canMatter(field, config),
  );

/**
 * The settings of an arm. Throws ConfigError for a setting that both arms must share, or if the settings contradict
 * each other.
 */
export function withOthers(config: Config, settings: readonly Changed[]): Config {
  const fixed = settings.find(({ path }) => !mayDiffer(path));
  if (fixed)
    throw new ConfigError(
      spoken`${fixed.path}: this setting determines the start or the random numbers, which both arms must share; change another setting.`,
    );
  return othersIn(config, settings);
}

function othersIn(config: Config, settings: readonly Changed[]): Config {
  const checked = settings.map(({ path, value }) => [path, checkedSetting(path, value)] as const);
  return parseConfig(withSettings(config, Object.fromEntries(checked)));
}

/** The settings with which a run continues. Throws ConfigError. */
export const goneOnWith = (config: Config, { mode, settings = [] }: ForkChoice): Config =>
  mode === 'settings' ? withOthers(config, settings) : forkedConfig(config, mode);

interface Fork extends ForkChoice {
  iteration: number;
  parent: { config: Config; changes: readonly { iteration: number; path: string; value: SettingValue }[] };
}

/**
 * The settings that a fork starts with: those of its parent at that iteration, plus the fork's own changes. These may
 * include settings that arms could change in an earlier version. Throws ConfigError.
 */
export function forkBegins({ parent, iteration, mode, settings = [] }: Fork): Config {
  const past = parent.changes.filter((change) => change.iteration <= iteration);
  const before = withChanges(parent.config, past);
  return mode === 'settings' ? othersIn(before, settings) : forkedConfig(before, mode);
}
