// Resolves a refusal in one step. The result contains the first suitable remedy. If the settings with this remedy would
// be refused too, the result also contains remedies for that, until the settings are possible.
import type { Settings } from '../../base/errors.ts';
import { fieldAt } from '../describe.ts';
import { combinationRules, refusalOf } from './table.ts';
import { isSameValue, withSettings } from '../parse.ts';
import type { RefusalRule } from './rule.ts';
import { type Config, valueAt } from '../schema.ts';

/** Maximum number of errors in one protocol that one click repairs. */
const mostMends = 20;

export interface Wish {
  /** Settings that must keep their requested values. */
  kept?: readonly string[];
  /** Rules that must no longer refuse the settings at the end. */
  rules?: readonly RefusalRule[];
  /** The settings that may be changed; if absent, all settings. */
  maySet?: (path: string) => boolean;
}

/**
 * The changes that make `wanted` possible. Null if the request would have to be changed, and empty if `wanted` is
 * already possible.
 */
export function oneClick(
  wanted: Config,
  { kept = [], rules = combinationRules, maySet = () => true }: Wish = {},
): Settings | null {
  const follow = (config: Config, steps: readonly Settings[]): readonly Settings[] | null => {
    const refusal = refusalOf(config, rules);
    if (!refusal) return steps;
    for (const remedy of refusal.remedies) {
      const changes = Object.entries(remedy).filter(([path, value]) => !isSameValue(value, valueAt(config, path)));
      // A protocol is repaired one error after another, so that as much as possible of the visitor's protocol is kept.
      const isMended = (path: string) => fieldAt(path)?.kind === 'protocol' && steps.length < mostMends;
      const isFree = ([path]: [string, unknown]) =>
        maySet(path) && (isMended(path) || (!kept.includes(path) && !steps.some((step) => path in step)));
      if (changes.length === 0 || !changes.every(isFree)) continue;
      const found = follow(withSettings(config, remedy), [...steps, Object.fromEntries(changes)]);
      if (found) return found;
    }
    return null;
  };
  const steps = follow(wanted, []);
  if (!steps) return null;
  // A later step may have made an earlier one unnecessary.
  const needed = steps.reduce<readonly Settings[]>((left, step) => {
    const others = left.filter((other) => other !== step);
    return refusalOf(withSettings(wanted, merged(others)), rules) ? left : others;
  }, steps);
  return merged(needed);
}

const merged = (steps: readonly Settings[]): Settings => Object.assign({}, ...steps) as Settings;

/**
 * Like `oneClick`, but keeps as much of the request as possible: the whole request, otherwise only the setting that was
 * changed last, or otherwise nothing.
 */
export function oneClickFor(
  wanted: Config,
  asked: readonly string[],
  last: string,
  rules?: readonly RefusalRule[],
): Settings {
  for (const kept of [asked, [last], []]) {
    const found = oneClick(wanted, { kept, ...(rules && { rules }) });
    if (found) return found;
  }
  return {};
}
