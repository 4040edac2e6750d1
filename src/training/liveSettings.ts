// Settings that may change while a run is under way: networks and protocol stay, and an iteration under way keeps what it
// began with.
import { withLiveSetting } from '../config/liveChange.ts';
import type { RunRecord, SettingChange } from '../records/checkpoint.ts';
import type { Learning } from './iteration.ts';
import { assembleTeam } from './team.ts';

/** The run with a live setting changed and the change noted; the team learns by it from now on. Throws ConfigError. */
export function changedLive(
  learning: Learning,
  run: RunRecord,
  { path, value }: Pick<SettingChange, 'path' | 'value'>,
): RunRecord {
  const config = withLiveSetting(learning.team.config, path, value);
  learning.team = assembleTeam(config);
  if (path === 'kl.coef') learning.klCoef = config.kl.coef;
  return { ...run, config, changes: [...run.changes, { iteration: run.iteration, path, value }] };
}
