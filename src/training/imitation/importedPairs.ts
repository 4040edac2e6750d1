// DPO (2305.18290) on imported pairs. In each iteration, some of the pairs are drawn, and each agent is trained on the
// pairs of its role. If several agents have the same role, the text of a pair does not show which of these agents
// spoke. The team's own messages are only measured and not used for learning.
import { ConfigError, FormatError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { Draws, streams } from '../../base/random.ts';
import { factsOf, learnerWhere } from '../../config/learners/registry.ts';
import { hasTurnAdapters } from '../../config/protocols/registry.ts';
import type { PreferenceText } from '../../records/stored/preference.ts';
import { cutObjective, preferenceOptions, type Objective } from '../update/objectives.ts';
import type { ImitationBatch } from './lesson.ts';
import { pairRows } from './pairRows.ts';
import { layRows, selectRows, type RowBatch } from '../rows/rows.ts';
import { turnsOf } from '../rows/networkRows.ts';
import type { Team } from '../team/team.ts';

/** Whether a run is trained on imported pairs. */
export const learnsFromImports = ({ config }: Pick<Team, 'config'>) =>
  factsOf(config).loss === 'preference' && config.learning.pairsFrom === 'imported';

declare module '../stages/stage.ts' {
  interface Parts {
    /** The imported preference pairs on which the run is trained. */
    pairs: readonly PreferenceText[];
  }
}

/**
 * Checks whether this team can be trained on the pairs. Throws FormatError with the number of the pair (from 1) if a
 * pair cannot be used with this team.
 */
export function expectPairs(pairs: readonly PreferenceText[], team: Team): void {
  const { roundLimit } = team.settings;
  pairs.forEach((pair, i) => {
    const turns = Math.max(...pairRows(pair, team, `pair ${i + 1}`).flatMap(({ view }) => view.turnIds)) + 1;
    if (!hasTurnAdapters(team.config.agents) || turns <= roundLimit) return;
    throw new FormatError(
      spoken`pair ${i + 1}: this pair contains ${turns} turns of one role, but there are adapters for only ${roundLimit} turns; leave the pair out, or use agents.adapterPer = role.`,
    );
  });
}

/** A run's team and its imported pairs. */
interface Holder {
  team: Team;
  pairs?: readonly PreferenceText[];
}

/**
 * Sets the pairs on which a run is trained. Throws ConfigError if the run does not use imported pairs, and FormatError
 * if a pair cannot be used with its team.
 */
export function takePairs(holder: Holder, pairs: readonly PreferenceText[]): void {
  if (!learnsFromImports(holder.team))
    throw new ConfigError(
      spoken`learning.pairsFrom: this run does not learn from imported pairs; use learning.learner = ${learnerWhere(({ loss }) => loss === 'preference')} with learning.pairsFrom = imported.`,
    );
  expectPairs(pairs, holder.team);
  refuseWithoutPairs({ team: holder.team, pairs });
  holder.pairs = [...pairs];
}

/** Throws ConfigError if the settings require imported pairs, but the run has none. */
export function refuseWithoutPairs({ team, pairs }: Holder): void {
  if (!learnsFromImports(team) || (pairs?.length ?? 0) > 0) return;
  throw new ConfigError(
    spoken`learning.pairsFrom: no pairs have been imported; import a file of pairs, or use learning.pairsFrom = rollouts.`,
  );
}

export interface PairedRows {
  batch: RowBatch;
  objective: Objective & { kind: 'preference' };
}

/**
 * Draws the pairs of one iteration without replacement and returns their rows. The number of pairs is half the number
 * of dialogues in an iteration.
 */
export function rowsOfPairs(pairs: readonly PreferenceText[], team: Team, iteration: number): PairedRows {
  const { learning, run } = team.config;
  const count = Math.max(1, Math.floor((learning.problemsPerIteration * learning.groupSize) / 2));
  const draws = new Draws(run.seed, streams.pairs, iteration);
  const chosen = draws.shuffle([...pairs.keys()]).slice(0, count);
  const rows = chosen.flatMap((i) => pairRows(pairs[i] as PreferenceText, team, `pair ${i + 1}`));
  const batch = layRows(rows.map(({ agent, view }, index) => ({ index, agent, view })));
  return { batch, objective: preferenceOf(team.config, chosen.length) };
}

/**
 * The preference objective for this many pairs. The two rows of a pair are adjacent, and the preferred row comes first.
 */
function preferenceOf(config: Team['config'], pairs: number): PairedRows['objective'] {
  const rows = Array.from({ length: 2 * pairs }, (_, row) => row);
  return {
    kind: 'preference',
    options: preferenceOptions(config),
    pairIds: rows.map((row) => row >> 1),
    sides: rows.map((row) => (row % 2 === 0 ? 1 : -1)),
  };
}

/**
 * For each network, the pairs on which it is trained in an iteration. These are the pairs whose speaker has the role of
 * one of the network's agents.
 */
export function pairedLessons(
  pairs: readonly PreferenceText[],
  team: Team,
  iteration: number,
): (n: number) => ImitationBatch {
  const { agentsOf, protocol } = team;
  const { batch, objective } = rowsOfPairs(pairs, team, iteration);
  return (n) => {
    const said = new Set(agentsOf[n]?.map((agent) => protocol.roles[agent]));
    const ofRoles = [...batch.agentIds.keys()].filter((b) => said.has(protocol.roles[batch.agentIds[b] as number]));
    const { own, ...ofTurns } = turnsOf(n, team, { batch, own: ofRoles, roundOf: (_, turn) => turn });
    return { batch: selectRows(ofTurns.batch, own, {}).batch, objective: cutObjective(objective, own) };
  };
}
