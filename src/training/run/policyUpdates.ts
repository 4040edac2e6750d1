// Who learns in an iteration, and the updates of their networks: on what their agents said, or, in runs that learn from
// something else, on imported pairs or demonstrations.
import { hasTurnAdapters } from '../../config/protocols/registry.ts';
import { demonstratedLessons, learnsFromDemonstrations } from '../imitation/imitatedDemonstrations.ts';
import { learnsFromImports, pairedLessons } from '../imitation/importedPairs.ts';
import { learnLesson } from '../imitation/lesson.ts';
import { learnsFromSelfPlay, selfPlayLessons } from '../imitation/selfPlay.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import type { Advantages } from '../learners/learner.ts';
import { selectRows, type RowBatch } from '../rows/rows.ts';
import { networkRows } from '../rows/networkRows.ts';
import type { Network } from '../team/network.ts';
import type { Team } from '../team/team.ts';
import { cutObjective, rowsToLearn } from '../update/objectives.ts';
import type { SequentialUpdates } from '../update/sequentialUpdates.ts';
import { updateNetwork, type UpdateMetrics } from '../update/update.ts';
import { referenceOf, usesReference, type CollectionFacts } from './collectionFacts.ts';
import type { TrainState } from './trainState.ts';

/** The networks that are due, in order: all, or those of one agent or turn where they alternate. */
export function networksToUpdate({ config, networkOf }: Team, iteration: number): number[] {
  const all = [...new Set(networkOf.flat())];
  const { switchEvery, switchOver, startAgent, frozen } = config.learning;
  const free = all.filter((n) => !networkOf.some((own, agent) => own.includes(n) && frozen.includes(agent)));
  if (switchEvery === 0 || all.length === 1) return free;
  // Agents that only speak are skipped.
  const turns =
    switchOver === 'turn' && hasTurnAdapters(config.agents)
      ? (networkOf[0] ?? []).map((_, round) => networkOf.map((own) => own[round] as number))
      : networkOf.map((_, i) => networkOf[(startAgent + i) % networkOf.length] as number[]);
  const taking = turns.filter((own) => own.some((n) => free.includes(n)));
  return [...new Set(taking[Math.floor(iteration / switchEvery) % taking.length])].filter((n) => free.includes(n));
}

interface Collection {
  iteration: number;
  trajectories: readonly Trajectory[];
  /** All rows of all agents. */
  batch: RowBatch;
  before: CollectionFacts;
  estimate: Advantages;
  /** Where networks are updated one after another. */
  sequence: SequentialUpdates | null;
  /** [B·T] advantages to learn from; in a sequence, filled in agent by agent. */
  used: Float32Array;
}

/** Updates each network on what its agents said; metrics of each optimiser step. */
export async function updatePolicies(
  { team, networks, gate, klCoef, ledger }: TrainState,
  due: readonly number[],
  { iteration, trajectories, batch, before, estimate, sequence, used }: Collection,
): Promise<UpdateMetrics[]> {
  const { config, maxActionTokens } = team;
  const { objective, returns } = estimate;
  const isReferred = config.kl.place === 'loss' || usesReference(config);
  const updates: UpdateMetrics[] = [];
  for (const n of due) {
    const network = networks[n] as Network;
    const [agent = 0] = team.agentsOf[n] as number[];
    if (due.find((other) => team.networkOf[agent]?.includes(other)) === n)
      sequence?.weightsOf(agent).forEach((weight, at) => weight !== 0 && (used[at] = weight));
    const said = networkRows(n, team, { batch, trajectories });
    const own = rowsToLearn(objective, batch, said.own);
    if (own.length === 0) continue;
    const cut = selectRows(said.batch, own, {
      advantages: used,
      ...(returns && { returns, oldValues: before.values }),
      ...(isReferred && { refLogprobs: before.refLogprobs }),
    });
    const steps = await updateNetwork(network, cut.batch, cut.columns, {
      config,
      iteration,
      gate,
      klCoef: config.kl.place === 'loss' ? klCoef : 0,
      maxActionTokens,
      ...(objective && { objective: cutObjective(objective, own) }),
      onTrained: (trained) => ledger?.count({ trained }),
    });
    await sequence?.note(agent, network, { rows: cut.batch, temperature: config.agents.temperature, gate });
    updates.push(...steps);
  }
  return updates;
}

/** Whether rows of pairs or demonstrations are learned from, and not those of what the team says. */
export const learnsElsewhere = (team: Pick<Team, 'config'>): boolean =>
  learnsFromImports(team) || learnsFromDemonstrations(team) || learnsFromSelfPlay(team);

/** The updates of one iteration (from 0) of such a run; metrics of each optimiser step. */
export async function updateElsewhere(
  state: TrainState,
  due: readonly number[],
  { iteration, trajectories }: Pick<Collection, 'iteration' | 'trajectories'>,
): Promise<UpdateMetrics[]> {
  const { team, networks, gate, pairs = [] } = state;
  const lessonOf = learnsFromDemonstrations(team)
    ? await demonstratedLessons(team, iteration)
    : learnsFromSelfPlay(team)
      ? await selfPlayLessons(team, iteration, trajectories)
      : pairedLessons(pairs, team, iteration);
  const updates: UpdateMetrics[] = [];
  for (const n of due) {
    const reference = usesReference(team.config) ? referenceOf(state, n) : null;
    updates.push(...(await learnLesson(networks[n] as Network, lessonOf(n), { team, gate, iteration, reference })));
  }
  return updates;
}
