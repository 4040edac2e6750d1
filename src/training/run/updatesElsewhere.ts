// Updates the networks of runs that learn from imported pairs or demonstrations instead of the team's own messages.
import { demonstratedLessons, learnsFromDemonstrations } from '../imitation/imitatedDemonstrations.ts';
import { learnsFromImports, pairedLessons } from '../imitation/importedPairs.ts';
import { learnLesson } from '../imitation/lesson.ts';
import { learnsFromSelfPlay, selfPlayLessons } from '../imitation/selfPlay.ts';
import { stage, type Context, type Parts } from '../stages/stage.ts';
import type { Network } from '../team/network.ts';
import { referenceOf } from '../team/reference.ts';
import type { Team } from '../team/team.ts';
import type { UpdateMetrics } from '../update/update.ts';
import { usesReference } from './collectionFacts.ts';

/** Whether a run learns from imported pairs or demonstrations instead of the team's own messages. */
export const learnsElsewhere = (team: Pick<Team, 'config'>): boolean =>
  learnsFromImports(team) || learnsFromDemonstrations(team) || learnsFromSelfPlay(team);

/** Updates each network. Returns the metrics of each optimiser step. */
async function updateElsewhere(context: Context & Pick<Parts, 'due' | 'paid'>): Promise<UpdateMetrics[]> {
  const { team, iteration, networks, gate, pairs = [], due, paid } = context;
  const lessonOf = learnsFromDemonstrations(team)
    ? await demonstratedLessons(team, iteration)
    : learnsFromSelfPlay(team)
      ? await selfPlayLessons(team, iteration, paid.trajectories)
      : pairedLessons(pairs, team, iteration);
  const updates: UpdateMetrics[] = [];
  for (const n of due) {
    const reference = usesReference(team.config) ? referenceOf(context, n) : null;
    updates.push(...(await learnLesson(networks[n] as Network, lessonOf(n), { team, gate, iteration, reference })));
  }
  return updates;
}

export const elsewhereStage = stage({
  name: 'update on other rows',
  phase: 'update',
  when: (config) => learnsElsewhere({ config }),
  reads: ['due', 'paid'],
  run: async (context) => ({ updates: await updateElsewhere(context), learned: [] }),
});
