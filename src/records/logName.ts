// The file name of an Inspect AI log. It begins with a time, because Inspect's programs recognise a file in a folder
// only if its name begins with a time. The time is the recorded start of the run, so the same run always gives the same
// name.
import type { RunRecord } from './stored/checkpoint.ts';

/** `2026-11-26T20-52-00+00-00_houseRule_mwy6zsea-mild-badger.json` */
export function inspectLogName({ createdMs, id, config }: Pick<RunRecord, 'createdMs' | 'id' | 'config'>): string {
  const time = new Date(createdMs).toISOString().slice(0, 19).replaceAll(':', '-');
  // Inspect splits the name at underscores, so no part may contain one.
  return `${[`${time}+00-00`, config.world.name, id.replaceAll(/[^a-z0-9-]+/gi, '-')].join('_')}.json`;
}
