// Changes settings during a run. A setting can be changed only if the change requires neither other networks nor
// another protocol. The current iteration keeps the settings with which it began. A change is recorded with the
// iteration after which it takes effect, so that a replay can make the change at the same point.
import { withChanges, withLiveSetting } from '../../config/liveChange.ts';
import type { RunRecord } from '../../records/stored/checkpoint.ts';
import type { TrainerEvent } from '../../records/events.ts';
import type { FileImport, SettingChange } from '../../records/stored/history.ts';

/** The event that reports that settings or preference pairs of a run have changed. */
export const told = ({ config, changes, imports, plan }: RunRecord, dropped = 0): TrainerEvent => ({
  kind: 'config',
  ...{ config, changes, imports, plan, dropped },
});

/**
 * Makes and records the changes that are planned up to this iteration, and returns the new record of the run. Throws
 * ConfigError for an impossible change.
 */
export function withDue(run: RunRecord, iteration: number): RunRecord {
  const [due, plan] = split(run, iteration);
  if (!due) return run;
  return {
    ...run,
    config: withChanges(run.config, due.changes),
    changes: [...run.changes, ...due.changes],
    imports: [...(run.imports ?? []), ...due.imports],
    plan,
  };
}

/**
 * Makes and records one change, and returns the new record of the run. If a setting is changed several times in
 * succession at the same iteration, only the last change is recorded. Changes that were planned for later are dropped,
 * and their number is returned. Throws ConfigError for an impossible change.
 */
export function changedLive(run: RunRecord, change: SettingChange): { run: RunRecord; dropped: number } {
  const now = withDue(run, change.iteration);
  const { plan, ...rest } = now;
  const config = withLiveSetting(now.config, change.path, change.value);
  const last = now.changes.at(-1);
  const isFurther = last?.iteration === change.iteration && last.path === change.path;
  const changes = [...(isFurther ? now.changes.slice(0, -1) : now.changes), change];
  const changed = { ...rest, config, changes };
  return { run: changed, dropped: plan ? plan.changes.length + plan.imports.length : 0 };
}

/**
 * Adds a file of preference pairs to the record of the run, and returns the new record. Files that were planned for
 * later iterations are dropped.
 */
export function importedLive(run: RunRecord, file: FileImport): RunRecord {
  const now = withDue(run, file.iteration);
  const plan = now.plan && { ...now.plan, imports: [] };
  return { ...now, imports: [...(now.imports ?? []), file], ...(plan && { plan }) };
}

/**
 * The planned changes that are due at an iteration (null if there are none), and the planned changes that remain for
 * later iterations.
 */
function split({ plan }: RunRecord, iteration: number) {
  if (!plan) return [null, undefined] as const;
  const isDue = (one: { iteration: number }) => one.iteration <= iteration;
  const due = { changes: plan.changes.filter(isDue), imports: plan.imports.filter(isDue) };
  if (due.changes.length + due.imports.length === 0) return [null, plan] as const;
  const later = {
    changes: plan.changes.filter((change) => !isDue(change)),
    imports: plan.imports.filter((one) => !isDue(one)),
  };
  return [due, later] as const;
}
