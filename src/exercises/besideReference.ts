// What a run must have for a right solution of an exercise to give what its learner gives.
import type { Changed } from '../config/fork.ts';
import type { SettingValue } from '../config/field.ts';
import { isMet } from '../config/field.ts';
import { firstOf } from '../config/refusals/rule.ts';
import { type Config, valueAt } from '../config/schema.ts';
import { ownFormulas } from '../config/sections/ownFormula.ts';

/** Members of a group where a run has none. */
const leastGroup = 4;

/**
 * Settings that both arms of a comparison take, where the run has them not. A formula over a group needs one to compare in; as
 * many dialogues are collected as before.
 */
export function besideReference(config: Config, name: string): Changed[] {
  const { reference = {}, over } = ownFormulas[name] ?? {};
  const unmet = Object.entries(reference).filter(([path, demand]) => !isMet(demand, valueAt(config, path)));
  const { groupSize, problemsPerIteration } = config.learning;
  const grouped = {
    'learning.groupSize': leastGroup,
    'learning.problemsPerIteration': Math.max(1, Math.round(problemsPerIteration / leastGroup)),
  };
  const settings = { ...firstOf(Object.fromEntries(unmet)), ...(over === 'group' && groupSize === 1 && grouped) };
  return Object.entries(settings).map(([path, value]) => ({ path, value: value as SettingValue }));
}
