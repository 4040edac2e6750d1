// Settings that may change while a run is under way: networks and protocol stay, and an iteration under way keeps what it
// began with.
import { ConfigError } from '../base/errors.ts';
import { fieldAt } from '../config/describe.ts';
import { withSetting } from '../config/parse.ts';
import type { RunRecord, SettingChange } from '../records/checkpoint.ts';
import type { Learning } from './iteration.ts';
import { assembleTeam } from './team.ts';

/** The run with a live setting changed and the change noted; the team learns by it from now on. Throws ConfigError. */
export function changedLive(
  learning: Learning,
  run: RunRecord,
  { path, value }: Pick<SettingChange, 'path' | 'value'>,
): RunRecord {
  const config = withSetting(learning.team.config, path, value);
  if (!fieldAt(path)?.isLive) {
    throw new ConfigError(`${path}: cannot change in an open run; start a new run with it.`);
  }
  learning.team = assembleTeam(config);
  if (path === 'kl.coef') learning.klCoef = config.kl.coef;
  return { ...run, config, changes: [...run.changes, { iteration: run.iteration, path, value }] };
}
