// Measures whether agents that imitate demonstrations have mastered the demonstrated dialogue: they end as many of their
// own dialogues properly, and answer as many problems correctly, as the demonstrations. The problems are newly
// drawn training problems, so that this decision uses no held-out problem. In a small world, some were imitated.
import { mean } from '../../base/stats.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { agentPolicies } from '../collect/agentPolicies.ts';
import { examinedTrajectories } from '../evaluation/evaluate.ts';
import type { Network } from '../team/network.ts';
import type { Team } from '../team/team.ts';
import { answered, demonstrate } from './demonstrations.ts';

/** The number of problems of one measurement. */
const problemCount = 128;
/** The share of the demonstrations' results that counts as mastery. */
const masteredShare = 0.9;
/** The share of dialogues that must end properly. */
const endedShare = 0.95;

export interface Mastery {
  /** Mastery is measured after each multiple of this number of steps. */
  every: number;
  isMastered: () => Promise<boolean>;
}

/** Measures whether the networks have mastered the dialogues of the team's warm start. */
export function masteryOf(team: Team, networks: readonly Network[]): Mastery {
  // The draws of this step are not used by any step of the warm start.
  const demonstrations = demonstrate(team, team.config.warmStart.steps, problemCount);
  const problems = demonstrations.map(({ problem }) => problem);
  let demonstrated: Promise<number> | undefined;
  return {
    every: 100,
    isMastered: async () => {
      demonstrated ??= shareRight(team, demonstrations);
      const attempts = await examinedTrajectories(team, problems, { policies: agentPolicies({ team, networks }) });
      return areAsGood(attempts, await demonstrated);
    },
  };
}

/** Whether these attempts are as good as demonstrations of which the share `demonstrated` is right. */
export function areAsGood(
  attempts: readonly Pick<Trajectory, 'finishCode' | 'isRight'>[],
  demonstrated: number,
): boolean {
  const ended = mean(attempts.map(({ finishCode }) => Number(finishCode === 0)));
  const right = mean(attempts.map(({ isRight }) => Number(isRight)));
  return ended >= endedShare && right >= masteredShare * demonstrated;
}

/** The share of the demonstrations whose answer is right. */
async function shareRight(team: Team, demonstrations: readonly Trajectory[]): Promise<number> {
  const { world, protocol } = team;
  const assessed = await Promise.all(
    (await answered(team, demonstrations)).map(({ problem, turns }) => world.assess(problem, turns, protocol)),
  );
  return mean(assessed.map(({ isRight }) => Number(isRight)));
}
