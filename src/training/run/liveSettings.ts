// Settings that may change during a run: networks and protocol stay, and the current iteration keeps its initial
// settings. A change is recorded at the iteration after which it takes effect, so that a replay can make it there
// again.
import { withChanges, withLiveSetting } from '../../config/liveChange.ts';
import type { RunRecord } from '../../records/stored/checkpoint.ts';
import type { TrainerEvent } from '../../records/events.ts';
import type { PairImport, SettingChange } from '../../records/stored/history.ts';

/** The event for a run whose settings or pairs have changed. */
export const told = ({ config, changes, imports, plan }: RunRecord, dropped = 0): TrainerEvent => ({
  kind: 'config',
  ...{ config, changes, imports, plan, dropped },
});

/** The run after the changes planned up to an iteration are made and recorded. Throws ConfigError. */
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
 * The run with one change made and recorded; several successive changes of one setting at one iteration are recorded as
 * the last one. Changes planned for later are dropped, and their number is returned. Throws ConfigError.
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

/** The run with a file of pairs added and recorded: other files that were planned for later are dropped. */
export function importedLive(run: RunRecord, file: PairImport): RunRecord {
  const now = withDue(run, file.iteration);
  const plan = now.plan && { ...now.plan, imports: [] };
  return { ...now, imports: [...(now.imports ?? []), file], ...(plan && { plan }) };
}

/** The changes due at an iteration, null if there are none, and the later ones. */
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
