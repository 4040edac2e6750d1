// The way out of a refusal in one step: its nearest remedy together with the remedies of all that this would be refused
// for, so that whoever follows it once has settings that can run.
import type { Settings } from '../../base/errors.ts';
import { fieldAt } from '../describe.ts';
import { combinationRules, refusalOf } from './table.ts';
import { isSameValue, withSettings } from '../parse.ts';
import type { RefusalRule } from './rule.ts';
import { type Config, valueAt } from '../schema.ts';

/** Faults of one protocol that a click mends at most. */
const mostMends = 20;

export interface Wish {
  /** Settings that stay as they are wanted. */
  kept?: readonly string[];
  /** Rows that must be silent in the end. */
  rules?: readonly RefusalRule[];
  /** Which settings may be set; all where nothing is said. */
  maySet?: (path: string) => boolean;
}

/** The settings that make `wanted` possible; null where none do within the wish, and none of them where it is possible. */
export function oneClick(
  wanted: Config,
  { kept = [], rules = combinationRules, maySet = () => true }: Wish = {},
): Settings | null {
  const follow = (config: Config, steps: readonly Settings[]): readonly Settings[] | null => {
    const refusal = refusalOf(config, rules);
    if (!refusal) return steps;
    for (const remedy of refusal.remedies) {
      const changes = Object.entries(remedy).filter(([path, value]) => !isSameValue(value, valueAt(config, path)));
      // A protocol is mended in part, fault by fault: what was asked of it stays as far as it can.
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
  // A later step may have made an earlier one needless.
  const needed = steps.reduce<readonly Settings[]>((left, step) => {
    const others = left.filter((other) => other !== step);
    return refusalOf(withSettings(wanted, merged(others)), rules) ? left : others;
  }, steps);
  return merged(needed);
}

const merged = (steps: readonly Settings[]): Settings => Object.assign({}, ...steps) as Settings;

/** The same, keeping what was asked as far as that is possible: all of it, else what was asked last, else none. */
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
