// Makes the file name of an Inspect AI log. Inspect's programs recognise a log in a folder only if its name begins with
// a time. The time at which the run was created is used, so the same run always has the same file name.
import type { RunRecord } from './stored/checkpoint.ts';

/** Returns a name such as `2026-11-26T20-52-00+00-00_houseRule_mwy6zsea-mild-badger.json`. */
export function inspectLogName({ createdMs, id, config }: Pick<RunRecord, 'createdMs' | 'id' | 'config'>): string {
  const time = new Date(createdMs).toISOString().slice(0, 19).replaceAll(':', '-');
  // Inspect splits the name at underscores, so the parts themselves must not contain underscores.
  return `${[`${time}+00-00`, config.world.name, id.replaceAll(/[^a-z0-9-]+/gi, '-')].join('_')}.json`;
}
