// Compares a run that uses the visitor's formula with one that uses the learner's own formula. This file determines the
// settings of both arms, and the setting in which the arms differ.
import { ConfigError } from '../../base/errors.ts';
import { unmetIn, type Condition, type SettingValue } from '../../config/field.ts';
import { withOthers, type Changed } from '../../config/fork.ts';
import { firstOf } from '../../config/refusals/rule.ts';
import { valueAt, type Config } from '../../config/schema.ts';
import { formulaLine, formulaNameIn, ownFormulas } from '../../config/sections/ownFormula.ts';

export interface BesidePlan {
  /** The settings that are changed in both arms so that the learner uses the formula at all. */
  shared: readonly Changed[];
  settings: readonly Changed[];
  /** Says why the comparison is not possible; empty if it is possible. */
  refusal: string;
}

/** Plans a comparison for an exercise whose formula can be used in training. */
export function besidePlan(config: Config, name: string, text: string): BesidePlan {
  const value = formulaNameIn(text) === name ? text : `${formulaLine(name)}\n${text}`;
  const [shared, settings] = [besideReference(config, name), [{ path: 'learning.ownFormula', value }]];
  try {
    withOthers(config, [...shared, ...settings]);
    return { shared, settings, refusal: '' };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { shared, settings, refusal: error.message };
  }
}

/** The group size that both arms use if the groups of the run contain only one dialogue. */
const leastGroup = 4;

/**
 * The settings that are changed in both arms. A formula for a whole group needs groups of several dialogues. The number
 * of dialogues per iteration stays the same.
 */
function besideReference(config: Config, name: string): Changed[] {
  const { reference = {}, over } = ownFormulas[name] ?? {};
  const unmet = unmetIn(reference, (path) => valueAt(config, path));
  const wanted: Condition = Object.fromEntries(Object.entries(reference).filter(([path]) => unmet.includes(path)));
  const { groupSize, problemsPerIteration } = config.learning;
  const grouped = {
    'learning.groupSize': leastGroup,
    'learning.problemsPerIteration': Math.max(1, Math.round(problemsPerIteration / leastGroup)),
  };
  const settings = { ...firstOf(wanted), ...(over === 'group' && groupSize === 1 && grouped) };
  return Object.entries(settings).map(([path, value]) => ({ path, value: value as SettingValue }));
}
