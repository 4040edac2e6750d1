// Impossible combinations as rows of a table. A row states a wanted setting, its requirements on other settings, the
// message if these are not met, and the remedies.
import { ConfigError, type Refusal, type Settings } from '../../base/errors.ts';
import { inTongue, isEnglish, spoken } from '../../base/spoken.ts';
import { fieldAt, labelOf, valueText } from '../describe.ts';
import { unmetIn, type Demand } from '../field.ts';
import { kinOf } from '../protocols/registry.ts';
import { valueAt, type Config, type SettingPath } from '../schema.ts';

/** A condition on settings, in the notation of conditions.ts, or a function that tests the whole configuration. */
export type When = Readonly<Partial<Record<SettingPath, Demand>>> | ((config: Config) => boolean);

type Of<T> = T | ((config: Config) => T);

/**
 * A row as it is written in the table. A configuration is refused if it meets `when` but not the requirement. The
 * requirement is in `needs` or in `without`; only one of these may be given.
 */
export interface Row {
  when?: When;
  needs?: When;
  without?: When;
  /**
   * The setting to which the refusal applies. If absent, it is the first setting in `needs` or, without `needs`, the
   * first wanted setting.
   */
  path?: Of<SettingPath>;
  /** The message, without a full stop; `{section.name}` is replaced by the value of a setting. */
  says: Of<string>;
  /** The position of the error within the value of the setting; if absent, the whole value is wrong. */
  within?: Of<Refusal['within']>;
  /** Settings that meet the requirement; if absent, the first value that meets each condition is used. */
  give?: Of<Settings>;
  /**
   * All remedies, the closest one first; each is sufficient on its own. If absent, the remedies are to meet the
   * requirement or to give up the wanted setting.
   */
  remedies?: Of<readonly Settings[]>;
}

/** A row in the form in which the program evaluates it. */
export interface RefusalRule {
  when: (config: Config) => boolean;
  refusal: (config: Config) => Refusal;
}

/**
 * Makes rules from the requirements of a wanted setting. The rules in `rows` apply only if that setting has the wanted
 * value. `giveUp` contains the settings that take the wish back.
 */
export const wish = (wanted: When, giveUp: Settings, rows: readonly Row[]): RefusalRule[] =>
  rows.map(({ when = {}, needs, without, says, within, ...row }) => {
    const demand = needs ?? without;
    const { path = Object.keys(needs ?? { ...wanted, ...when })[0] as SettingPath, give = firstOf(demand ?? {}) } = row;
    const { remedies = (config: Config) => [of(give, config), giveUp] } = row;
    const [isWanted, isAsked, isGiven] = [wanted, when, demand].map(testOf);
    return {
      when: (config) => isWanted!(config) && isAsked!(config) && !isGiven!(config),
      refusal: (config) => ({
        path: of(path, config),
        says: (typeof says === 'string' ? inTongue(says) : says(config)).replace(
          /\{(.+?)\}/g,
          (braced, name: string) => saidIn(config, name) ?? braced,
        ),
        remedies: of(remedies, config),
        within: of(within, config) ?? [],
      }),
    };
  });

/** Makes rules from rows that do not depend on a wanted setting. Each of these rows states its own remedies. */
export const rules = (rows: readonly (Row & Required<Pick<Row, 'remedies'>>)[]): RefusalRule[] => wish({}, {}, rows);

/**
 * Settings that meet the conditions: for each, the first value that meets it. For the condition “above a number”, it is
 * the smallest whole number above it.
 */
export const firstOf = (demands: When): Settings =>
  Object.fromEntries(
    Object.entries(demands).map(([path, demand]: [string, Demand]) => {
      if (Array.isArray(demand)) return [path, demand[0]];
      return [path, typeof demand === 'object' && 'above' in demand ? demand.above + 1 : demand];
    }),
  );

function testOf(when: When | undefined): (config: Config) => boolean {
  if (!when) return () => false;
  if (typeof when === 'function') return when;
  // A protocol that a visitor wrote is checked like the built-in protocol of the same kind.
  const valueIn = (config: Config, path: string) =>
    path === 'agents.protocol' ? kinOf(config.agents) : valueAt(config, path);
  return (config) => unmetIn(when, (path) => valueIn(config, path)).length === 0;
}

/**
 * The value of a setting as it appears in a message: in English as in files, in other languages by the label of the
 * value.
 */
function saidIn(config: Config, path: string): string | undefined {
  const field = fieldAt(path);
  if (!field) return undefined;
  const value = valueAt(config, path);
  return field.kind === 'choice' && !isEnglish() ? labelOf(field, String(value)) : valueText(value);
}

const of = <T>(words: Of<T>, config: Config): T =>
  typeof words === 'function' ? (words as (config: Config) => T)(config) : words;

/**
 * The refusal as an error in the notation of links, files and command lines, such as `learning.groupSize: …; use
 * learning.groupSize = 2, or …`.
 */
export function refusalError(refusal: Refusal): ConfigError {
  // Remedies that change a protocol are left out, because `says` already describes them.
  const isShort = (remedy: Settings) =>
    Object.values(remedy).every((value) => typeof value !== 'object' || Array.isArray(value));
  const ways = refusal.remedies.filter(isShort).map((remedy) =>
    Object.entries(remedy)
      .map(([path, value]) => `${path} = ${valueText(value)}`)
      .join(spoken` with `),
  );
  const use = ways.length > 0 ? spoken`; use ${ways.join(spoken`, or `)}` : '';
  return new ConfigError(`${refusal.path}: ${refusal.says}${use}.`, refusal);
}
