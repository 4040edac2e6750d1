// A formula as it was written in a run beside the learner's own: what both arms have, and what one of them changes.
import { ConfigError } from '../../base/errors.ts';
import { withOthers, type Changed } from '../../config/fork.ts';
import type { Config } from '../../config/schema.ts';
import { formulaLine, formulaNameIn } from '../../config/sections/ownFormula.ts';
import { besideReference } from '../../exercises/besideReference.ts';

export interface BesidePlan {
  /** What both arms take that the run has not: a learner whose formula it is. */
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
