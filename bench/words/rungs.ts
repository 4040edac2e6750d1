// The rungs of the ladder of `npm run words`: what a language model learns, and the stages that are measured for each.
import type { Settings } from '../../src/base/errors.ts';
import { withSettings } from '../../src/config/parse.ts';
import { presetConfig } from '../../src/config/presets.ts';

/**
 * A measurement for a rung. `rlAlone` is reinforcement learning without demonstrations, `sftRl` the same after
 * imitation, `unheard` the latter if no agent hears the planner, `single` one agent that sees everything and may sample as
 * many tokens as the team, and `fewShot` the untrained model with solved examples in its prompts. The accuracy of the
 * untrained model and after imitation are the accuracies before training in `rlAlone` and `sftRl`.
 */
export type Stage = 'rlAlone' | 'sftRl' | 'unheard' | 'single' | 'fewShot' | 'page' | 'reference' | 'trl';

export interface Rung {
  preset: string;
  label: string;
  iterations: number;
  /** The settings of each stage, in addition to those of the preset. */
  stages: Partial<Record<Exclude<Stage, 'page' | 'reference' | 'trl'>, Settings>>;
}

const unheard = { 'agents.unheard': 'all' };
const taught = { 'warmStart.batchSize': 8, 'warmStart.goodPlans': 1, 'warmStart.resultNoise': 0 };
const untaught = { 'warmStart.modelSteps': 0 };

/**
 * The stages of a rung whose preset begins with imitation. `window` is the maximum number of tokens of the single agent,
 * which is that of the whole team.
 */
const taughtStages = (window: number) => ({
  rlAlone: untaught,
  sftRl: {},
  unheard: { ...unheard, 'warmStart.unheard': true },
  single: { 'agents.protocol': 'single', 'agents.reasonWindow': window },
  fewShot: { ...untaught, 'agents.examples': 4 },
});

export const rungs = {
  passItOn: {
    ...{ preset: 'passItOn', label: 'Pass it on', iterations: 12 },
    stages: {
      rlAlone: {},
      sftRl: { ...taught, 'warmStart.modelSteps': 4 },
      unheard,
      single: { 'agents.protocol': 'single', 'agents.reasonWindow': 28 },
      fewShot: { 'agents.examples': 4 },
    },
  },
  passTwoOn: {
    ...{ preset: 'passTwoOn', label: 'Pass two things on', iterations: 15 },
    stages: taughtStages(28),
  },
  sayTheOrder: {
    ...{ preset: 'sayTheOrder', label: 'Say the order', iterations: 15 },
    stages: taughtStages(28),
  },
  countLegs: {
    ...{ preset: 'countLegs', label: 'Count the legs', iterations: 30 },
    stages: taughtStages(22),
  },
  followThePlan: {
    ...{ preset: 'followThePlan', label: 'Follow the plan', iterations: 30 },
    stages: taughtStages(36),
  },
} as const satisfies Record<string, Rung>;

export type RungName = keyof typeof rungs;

/** The number of demonstrations that a rung imitates before reinforcement learning. */
export function demonstrationsOf(rung: Rung): number {
  const { warmStart } = withSettings(presetConfig(rung.preset), { ...rung.stages.sftRl });
  return warmStart.modelSteps * warmStart.batchSize;
}
