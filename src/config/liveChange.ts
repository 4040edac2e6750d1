// Checks the change of a setting in an open run. Many settings cannot be changed any more, so a refusal must suggest
// changes that are still possible: settings that may be changed together with this one, or the nearest allowed value of
// this one.
import { ConfigError, type Refusal, type Settings } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { combinationRules, refusalOf } from './refusals/table.ts';
import { fieldAt, valueText } from './describe.ts';
import type { SettingValue } from './field.ts';
import { oneClick } from './refusals/oneClick.ts';
import { checkedSetting, withSettings } from './parse.ts';
import { refusalError, rules as rulesOf, type RefusalRule } from './refusals/rule.ts';
import { type Config, valueAt } from './schema.ts';
import { formOf, sharesWords } from './worlds/registry.ts';

/**
 * `config` with one setting changed, after all settings together have been checked. Throws ConfigError with a remedy
 * that is possible in an open run.
 */
export function withLiveSetting(config: Config, path: string, value: unknown): Config {
  const checked = checkedLive(config, path, value);
  const refusal = liveRefusalOf(config, path, checked);
  if (refusal) throw refusalError(refusal);
  return withSettings(config, { [path]: checked });
}

/** `config` after several changes in an open run, applied in order. Throws ConfigError if a change is impossible. */
export const withChanges = (config: Config, changes: readonly { path: string; value: SettingValue }[]): Config =>
  changes.reduce((now, { path, value }) => withLiveSetting(now, path, value), config);

/**
 * Returns `value` in its stored form if the field accepts it. If it is out of bounds, the error suggests a remedy only
 * if that remedy is possible in this run. Throws ConfigError.
 */
function checkedLive(config: Config, path: string, value: unknown): Settings[string] {
  try {
    return checkedSetting(path, value);
  } catch (error) {
    const bound = error instanceof ConfigError ? error.refusal?.remedies[0]?.[path] : undefined;
    const refusal = bound === undefined ? null : liveRefusalOf(config, path, bound);
    if (!(error instanceof ConfigError) || !error.refusal || !refusal) throw error;
    throw new ConfigError(error.message, { ...error.refusal, remedies: refusal.remedies });
  }
}

/**
 * The refusal of a change. The remedy of this refusal is possible in an open run: its settings can be changed one after
 * the other, in this order. Combinations that were possible in an earlier version, in which the run began, are not
 * refused. Throws ConfigError for a setting that cannot change in an open run.
 */
function liveRefusalOf(config: Config, path: string, value: Settings[string]): Refusal | null {
  const field = fieldAt(path);
  if (!field?.isLive)
    throw new ConfigError(
      spoken`${path}: this setting cannot be changed in an open run; start a new run with the new value.`,
    );
  const rules = [...combinationRules.filter((rule) => !rule.when(config)), ...wordsOf(config)];
  const wanted = withSettings(config, { [path]: value });
  const refusal = refusalOf(wanted, rules);
  if (!refusal) return null;
  const isLive = (other: string) => fieldAt(other)?.isLive === true;
  const companions = oneClick(wanted, { kept: [path], rules, maySet: isLive });
  const remedy = companions && { ...companions, [path]: value };
  if (remedy && isPossibleInOrder(config, remedy, rules)) return { ...refusal, remedies: [remedy] };
  const another = refusal.remedies.find(
    (way) => path in way && Object.keys(way).every(isLive) && isPossibleInOrder(config, way, rules),
  );
  if (another) return { ...refusal, remedies: [another] };
  return {
    path,
    says: spoken`${valueText(value)} does not fit the settings with which this run began (${refusal.says})`,
    remedies: [{ [path]: valueAt(config, path) as Settings[string] }],
  };
}

/** Refuses a change to another world if the run's networks were trained with a different vocabulary. */
const wordsOf = ({ world: { name } }: Config): RefusalRule[] =>
  rulesOf([
    {
      when: ({ world }) => !sharesWords(formOf(name), formOf(world.name)),
      path: 'world.name',
      says: '{world.name} uses words that the networks of this run have not learned',
      remedies: [{ 'world.name': name }],
    },
  ]);

/** Whether settings can be changed one after the other without a refusal. */
function isPossibleInOrder(config: Config, settings: Settings, rules: readonly RefusalRule[]): boolean {
  let current = config;
  return Object.entries(settings).every(([path, value]) => {
    current = withSettings(current, { [path]: value });
    return refusalOf(current, rules) === null;
  });
}
