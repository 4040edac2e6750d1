// An incorrect GRPO, for the bench of failures only: groups whose members have no question in common. The product
// refuses such groups, so the wrong learner replaces GRPO in this process.
import { groupAdvantage } from '../../src/training/maths/advantage.ts';
import type { Learner } from '../../src/training/learners/learner.ts';
import { learners } from '../../src/training/learners/registry.ts';
import { groupUnits, spread } from '../../src/training/learners/units.ts';

/** The correct learner. */
const { grpo } = learners;

/** Forms groups of the usual size whose members are dialogues about (mostly) different problems. */
const ofDifferentProblems: Learner = {
  ...grpo,
  advantages: (collected) => {
    const { problemsPerIteration } = collected.config.learning;
    const trajectories = collected.trajectories.map((trajectory, index) => ({
      ...trajectory,
      group: index % problemsPerIteration,
    }));
    return grpo.advantages({ ...collected, trajectories });
  },
};

/** Compares each turn with all turns of all agents in the dialogues of its problem. */
const ofDifferentTurns: Learner = {
  ...grpo,
  advantages: (collected) => {
    const units = groupUnits(collected);
    const keys = units.keys.map((_, unit) => problemOf(unit));
    return spread({ ...units, keys }, groupAdvantage(units.rewards, keys, { std: collected.config.learning.groupStd }));

    function problemOf(unit: number): string {
      const row = Math.floor(units.unitOf.indexOf(unit) / collected.batch.length);
      return String(collected.trajectories[collected.batch.trajectoryIds[row] as number]?.group);
    }
  },
};

export const wrongGroups = { ofDifferentProblems, ofDifferentTurns } as const;
export type WrongGroups = keyof typeof wrongGroups;

/** Replaces GRPO in this process by the wrong learner. */
export function takeWrongGroups(kind: WrongGroups): void {
  Object.assign(learners, { grpo: wrongGroups[kind] });
}
