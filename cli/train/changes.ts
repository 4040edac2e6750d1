// The settings that --resume changes in a stored run. Visitors can change the same settings on the page in an open run,
// and the same checks apply.
import { ConfigError } from '../../src/base/errors.ts';
import { describeFields, fieldAt } from '../../src/config/describe.ts';
import type { SettingValue } from '../../src/config/field.ts';
import { difference, isSameValue } from '../../src/config/parse.ts';
import { valueAt, type Config } from '../../src/config/schema.ts';
import type { RunRecord } from '../../src/records/stored/checkpoint.ts';
import type { CommandArguments } from '../command.ts';
import { settingsOf } from './asked.ts';
import { withModels } from './models.ts';

export type Change = readonly [path: string, value: SettingValue];

/**
 * Whether a command contains a run file, a preset or a world, and so states the initial settings of the run, not only
 * changes.
 */
export const namesBeginning = (given: CommandArguments): boolean =>
  given.rest.length > 0 || given.has('preset') || given.has('world');

/**
 * The changes of settings that the command requests, in order. If the command states the initial settings, they are in
 * `asked` and must equal those of the run. In this case, a setting with its initial value is not a request to change
 * back to this value. Throws ConfigError for a setting that can no longer change.
 */
export async function changesTo(run: RunRecord, given: CommandArguments, asked: Config | null): Promise<Change[]> {
  const set = settingsOf((await withModels(given.all('set'))).set);
  const begun = run.begun ?? run.config;
  const mayChange = (path: string) => fieldAt(path)?.isLive === true;
  const isAsNow = (path: string, value: unknown) => isSameValue(value, valueAt(run.config, path));
  for (const { field, value } of asked ? difference(asked, begun) : [])
    if (!isAsNow(field.path, value) && !(field.path in set && mayChange(field.path))) throw cannotChange(field.path);
  const changes = Object.entries(set).filter(
    ([path, value]) => !isAsNow(path, value) && !(asked && isSameValue(value, valueAt(begun, path))),
  );
  for (const [path] of changes) if (!mayChange(path)) throw cannotChange(path);
  return changes;
}

function cannotChange(path: string): ConfigError {
  const live = describeFields()
    .filter(({ isLive }) => isLive)
    .map((field) => field.path);
  return new ConfigError(
    `--resume: the run in the folder began with another value of ${path}, which cannot be changed in a started run; leave out this setting, or choose another folder with --out. These settings can be changed: ${live.join(', ')}.`,
  );
}
