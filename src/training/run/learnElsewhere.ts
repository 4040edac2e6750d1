// Runs that learn from something else than what their agents said in the iteration: pairs of a file, or demonstrations.
import type { ParameterTree } from '../../model/network/parameters.ts';
import type { PreferenceText } from '../../records/preference.ts';
import type { Gate } from '../team/gate.ts';
import { learnFromDemonstrations, learnsFromDemonstrations } from '../imitation/imitatedDemonstrations.ts';
import { learnFromPairs, learnsFromImports } from '../imitation/importedPairs.ts';
import { referenceOf, usesReference } from './lookBack.ts';
import type { Network } from '../team/network.ts';
import type { Team } from '../team/team.ts';
import type { UpdateMetrics } from '../update/update.ts';

/** Whether what the team says is only measured. */
export const learnsElsewhere = (team: Pick<Team, 'config'>) =>
  learnsFromImports(team) || learnsFromDemonstrations(team);

interface Elsewhere {
  team: Team;
  networks: readonly Network[];
  references: ParameterTree[];
  /** As they were when the iteration began. */
  pairs: readonly PreferenceText[];
  gate: Gate;
  /** Networks that learn in this iteration. */
  learning: readonly number[];
}

/** The updates of one iteration (from 0) of such a run; metrics of each optimiser step. */
export function learnElsewhere(given: Elsewhere, iteration: number): Promise<UpdateMetrics[]> {
  const { team } = given;
  if (learnsFromDemonstrations(team)) return learnFromDemonstrations(given, iteration);
  const reference = (n: number) => (usesReference(team.config) ? referenceOf(given, n) : null);
  return learnFromPairs({ ...given, reference }, iteration);
}
