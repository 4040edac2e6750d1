// The settings of a run after what was changed on its way.
import type { SettingValue } from './field.ts';
import { forkedConfig, type ForkMode } from './fork.ts';
import { withLiveSetting } from './liveChange.ts';
import type { Config } from './schema.ts';

/** `config` after live changes, in order. Throws ConfigError for one that is impossible. */
export const withChanges = (config: Config, changes: readonly { path: string; value: SettingValue }[]): Config =>
  changes.reduce((now, { path, value }) => withLiveSetting(now, path, value), config);

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
