// File name of an Inspect AI log: in a folder its programs only see names that begin with a time. It is the run's
// start, which the run records: the same run gives the same name.
import type { RunRecord } from './stored/checkpoint.ts';

/** `2026-11-26T20-52-00+00-00_houseRule_mwy6zsea-mild-badger.json` */
export function inspectLogName({ createdMs, id, config }: Pick<RunRecord, 'createdMs' | 'id' | 'config'>): string {
  const time = new Date(createdMs).toISOString().slice(0, 19).replaceAll(':', '-');
  // Inspect splits the name at underscores, so a part may hold none.
  return `${[`${time}+00-00`, config.world.name, id.replaceAll(/[^a-z0-9-]+/gi, '-')].join('_')}.json`;
}
