// The ways in which a run continues as another run, its fork. If all agents share one network, they can have separate
// networks in the fork. Or other settings can be changed, as in an arm of an experiment. The problems and the random
// draws stay the same, so every difference is caused by these changes.
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
 * The settings of the fork. Throws ConfigError if the agents do not share a network, or if the settings contradict each
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
      spoken`agents.adapterPer: every agent speaks only once, so there is no difference between adapters per turn and adapters per role; fork with agents.adapterPer = role.`,
    );
  }
  if (mode === 'separate') return withSetting(config, 'agents.parameters', mode);
  const adapterPer = mode === 'lora' ? 'role' : 'turn';
  return withSetting(withSetting(config, 'agents.adapterPer', adapterPer), 'agents.parameters', 'lora');
}

/** The ways in which a fork can give the agents separate networks; empty if they do not share one. */
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
 * How a run continues as another run. An arm of an experiment has `settings` with its changes; if it changes nothing,
 * they are absent.
 */
export interface ForkChoice {
  mode: (typeof waysOn)[number];
  settings?: readonly Changed[];
}

/**
 * The settings that must be the same in both arms of an experiment: those that determine the random numbers and the
 * networks at the start. Among these are the rank and scale of adapters. The interval of role exchange must also be the
 * same, so that in an iteration an agent has the same role in both arms.
 */
const held =
  /^(warmStart\..*|run\.(seed|backend|capture)|agents\.(protocol|own|count|parameters|size|start|other.*|lora.*|adapterPer|swapEvery))$/;

/** Whether an arm of an experiment may have a different value of this setting than the run that it continues. */
export const mayDiffer = (path: string): boolean => !held.test(path);

/** Settings that are not interesting in an arm: where a run computes and how long it trains. */
const uninteresting = /^run\./;

/** The settings that the page offers for an arm and that have an effect with the settings `config`. */
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
 * The settings of a run with the changes of an arm. Throws ConfigError if a change concerns a setting that both arms
 * must share, or if the settings contradict each other.
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

/** The settings of the run that continues another run. Throws ConfigError. */
export const goneOnWith = (config: Config, { mode, settings = [] }: ForkChoice): Config =>
  mode === 'settings' ? withOthers(config, settings) : forkedConfig(config, mode);

interface Fork extends ForkChoice {
  iteration: number;
  parent: { config: Config; changes: readonly { iteration: number; path: string; value: SettingValue }[] };
}

/**
 * The settings at the start of a fork: those of its parent at that iteration, with the fork's own changes. The changes
 * may concern settings that only an earlier version allowed in arms. Throws ConfigError.
 */
export function forkBegins({ parent, iteration, mode, settings = [] }: Fork): Config {
  const past = parent.changes.filter((change) => change.iteration <= iteration);
  const before = withChanges(parent.config, past);
  return mode === 'settings' ? othersIn(before, settings) : forkedConfig(before, mode);
}
