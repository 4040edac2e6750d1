// Impossible combinations as rows of a table: when, about which setting, what is wrong, and the ways out.
import { ConfigError, type Refusal, type Settings } from '../../base/errors.ts';
import { valueText } from '../describe.ts';
import type { Config } from '../schema.ts';

type Said<T> = T | ((config: Config) => T);

export interface Rule {
  when: (config: Config) => boolean;
  path: Said<string>;
  /** Without a full stop. */
  says: Said<string>;
  /** Nearest first; each alone makes the row silent. */
  remedies: Said<readonly Settings[]>;
}

/** Rows that count under a condition only. */
export const where = (condition: Rule['when'], rules: readonly Rule[]): Rule[] =>
  rules.map((rule) => ({ ...rule, when: (config) => condition(config) && rule.when(config) }));

const said = <T extends string | readonly Settings[]>(words: Said<T>, config: Config): T =>
  typeof words === 'function' ? words(config) : words;

/** What a row has to say of a configuration that it refuses. */
export const refusalBy = ({ path, says, remedies }: Rule, config: Config): Refusal => ({
  path: said(path, config),
  says: said(says, config),
  remedies: said(remedies, config),
});

/** `learning.groupSize: …; use learning.groupSize = 2, or …`, as for links, files and command lines. */
export function refusalError(refusal: Refusal): ConfigError {
  const ways = refusal.remedies.map((remedy) =>
    Object.entries(remedy)
      .map(([path, value]) => `${path} = ${valueText(value)}`)
      .join(' with '),
  );
  return new ConfigError(`${refusal.path}: ${refusal.says}; use ${ways.join(', or ')}.`, refusal);
}
