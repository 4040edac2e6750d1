// A formula as it was written in a run beside the learner's own: what both arms have, and what one of them changes.
import { ConfigError } from '../../base/errors.ts';
import { unmetIn, type Condition, type SettingValue } from '../../config/field.ts';
import { withOthers, type Changed } from '../../config/fork.ts';
import { firstOf } from '../../config/refusals/rule.ts';
import { valueAt, type Config } from '../../config/schema.ts';
import { formulaLine, formulaNameIn, ownFormulas } from '../../config/sections/ownFormula.ts';

export interface BesidePlan {
  /** The settings that both arms take and the run has not: a learner whose formula it is. */
  shared: readonly Changed[];
  settings: readonly Changed[];
  /** Why it cannot be run; empty where it can. */
  refusal: string;
}

/** Plans a comparison for an exercise that runs in training. */
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

/** Members of a group where a run has none. */
const leastGroup = 4;

/**
 * Settings that both arms of a comparison take, where the run has them not. A formula over a group needs one to compare in; as
 * many dialogues are collected as before.
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
