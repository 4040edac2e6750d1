// Which parameters a run of one shared network may be forked to: the agents part from here on, and every other setting
// stays as it is.
import { ConfigError } from '../base/errors.ts';
import type { SettingValue } from './field.ts';
import { withChanges } from './liveChange.ts';
import { withSetting } from './parse.ts';
import type { Config } from './schema.ts';
import { isTeam, mostRounds, talkFacts } from './protocolFacts.ts';

export const forkModes = ['separate', 'lora', 'loraByTurn'] as const;
export type ForkMode = (typeof forkModes)[number];

/** The settings of the fork. Throws ConfigError where there is nothing to part, or where they refuse each other. */
export function forkedConfig(config: Config, mode: ForkMode): Config {
  const now = config.agents.parameters;
  if (now !== 'shared') {
    throw new ConfigError(
      `agents.parameters: only shared networks can be parted, got ${now}; fork a run with agents.parameters = shared.`,
    );
  }
  if (mode === 'separate' && !isTeam(talkFacts(config.agents))) {
    throw new ConfigError(
      'agents.parameters: one agent has a network of its own already; fork with agents.parameters = lora.',
    );
  }
  if (mode === 'loraByTurn' && mostRounds(config.agents) === 1) {
    throw new ConfigError(
      'agents.adapterPer: everybody speaks once, so a turn is a role; fork with agents.adapterPer = role.',
    );
  }
  if (mode === 'separate') return withSetting(config, 'agents.parameters', mode);
  const adapterPer = mode === 'lora' ? 'role' : 'turn';
  return withSetting(withSetting(config, 'agents.adapterPer', adapterPer), 'agents.parameters', 'lora');
}

/** All parameters that the run may be forked to; none where there is nothing to part. */
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

interface Fork {
  iteration: number;
  mode: ForkMode;
  parent: { config: Config; changes: readonly { iteration: number; path: string; value: SettingValue }[] };
}

/** What a fork begins with: the settings of its parent at that iteration, under other parameters. Throws ConfigError. */
export const forkBegins = ({ parent, iteration, mode }: Fork): Config =>
  forkedConfig(
    withChanges(
      parent.config,
      parent.changes.filter((change) => change.iteration <= iteration),
    ),
    mode,
  );
