// Predicts the memory of a full microbatch from the few dialogues of a trial. Attention needs memory for every position
// of the rows. If a network computes shared prefixes of rows only once, all other operations need memory only for
// distinct positions. Some distinct positions belong to all dialogues of the trial, some to all dialogues about one
// problem, and the others to single dialogues. The shares of these three kinds determine the number of distinct
// positions in a full microbatch.
import { placesByKey } from '../../base/groups.ts';
import { mean } from '../../base/stats.ts';
import { beginningsOf, sharesBeginnings } from '../../model/network/beginnings.ts';
import { attentionBytes, learningBytes } from '../../model/network/passMemory.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { sumsToCome } from '../rows/memory.ts';
import { updateTokens } from '../rows/microbatches.ts';
import { buildRows } from '../rows/rows.ts';
import type { TrainState } from '../run/trainState.ts';
import type { Network } from '../team/network.ts';

/**
 * The rows from which a network learns: their length, their number per dialogue, and the numbers of distinct positions.
 */
export interface LearnedRows {
  length: number;
  perDialogue: number;
  shares: Shares;
}

/**
 * The numbers of distinct positions: positions that all dialogues have in common, positions that all dialogues about
 * one problem have in common, and positions that occur in only one dialogue.
 */
interface Shares {
  common: number;
  ofProblem: number;
  own: number;
}

/**
 * The memory of a full microbatch of the update, predicted from the memory `triedBytes` that the trial needed for these
 * dialogues, and the memory of gradient sums that will be allocated later.
 */
export function wholeUpdate(
  learning: TrainState,
  rows: readonly LearnedRows[],
  { said, triedBytes }: { said: readonly Trajectory[]; triedBytes: number },
): { transientBytes: number; sumsBytes: number } {
  const { team, networks } = learning;
  const { numMinibatches, problemsPerIteration: problems, groupSize } = team.config.learning;
  const step = (problems * groupSize) / numMinibatches;
  const tried = { dialogues: said.length, problems: byGroup(said).length };
  const passes = rows.map(({ length, perDialogue, shares }, n) => {
    const network = networks[n] as Network;
    const { fixed, each } = learningBytes(network.shape, length, network.adapter !== undefined);
    const attended = attentionBytes(network.shape, length);
    const bytes = (some: { dialogues: number; problems: number }) =>
      attended * some.dialogues * perDialogue * length +
      (each - attended) * (shares.common + shares.ofProblem * some.problems + shares.own * some.dialogues);
    const most = Math.max(1, Math.floor(updateTokens(network, length) / length)) / perDialogue;
    const dialogues = Math.min(step, most);
    const whole = bytes({ dialogues, problems: problemsAmong(dialogues, { problems, groupSize }) });
    return { fixed, tried: bytes({ ...tried, dialogues: Math.min(tried.dialogues, most) }), whole, isCut: step > most };
  });
  const most = (of: 'fixed' | 'tried' | 'whole') => Math.max(...passes.map((pass) => pass[of]));
  const base = Math.min(most('fixed'), triedBytes);
  return {
    transientBytes: base + (triedBytes - base) * Math.max(1, most('whole') / most('tried')),
    // If a step is split into several parts, the sums of their gradients need memory.
    sumsBytes: passes.some(({ isCut }) => isCut) ? sumsToCome(learning) : 0,
  };
}

const byGroup = (said: readonly Trajectory[]): Trajectory[][] =>
  [...placesByKey(said.map(({ group }) => group)).values()].map((places) => places.map((at) => said[at] as Trajectory));

/** For each network, facts about the rows of its agents in these dialogues. */
export function rowsOfTrajectories({ team, networks }: TrainState, said: readonly Trajectory[]): LearnedRows[] {
  return networks.map(({ shape }, n) => {
    const agents = team.agentsOf[n] as number[];
    const rowsOf = (some: readonly Trajectory[]) => buildRows(some, agents, team.tokens);
    const { rows, length } = rowsOf(said);
    // If contexts grow from turn to turn, each agent has one row per dialogue. One row per dialogue is also assumed for
    // agents that did not speak in the few dialogues of the trial.
    const perDialogue = Math.max(agents.length, rows / said.length);
    const distinct = (some: readonly Trajectory[]) => {
      const { ids, rows: count, length: columns, actionMask } = rowsOf(some);
      const to = (row: number) => actionMask.subarray(row * columns, (row + 1) * columns).lastIndexOf(1) + 1;
      return beginningsOf({ ids, rows: count, length: columns, from: () => 0, to }).places.length;
    };
    return {
      length,
      perDialogue,
      shares: sharesBeginnings(shape) ? sharesOf(said, distinct) : allDistinct(perDialogue * length),
    };
  });
}

export const allDistinct = (positions: number): Shares => ({ common: 0, ofProblem: 0, own: positions });

function sharesOf(said: readonly Trajectory[], distinct: (some: readonly Trajectory[]) => number): Shares {
  const groups = byGroup(said);
  const alone = mean(said.map((one) => distinct([one])));
  const pairs = groups.filter(({ length }) => length > 1).map((group) => distinct(group.slice(0, 2)));
  const own = pairs.length > 0 ? mean(pairs) - alone : alone;
  const further = distinct(said) - said.length * own - (alone - own);
  const ofProblem = groups.length > 1 ? Math.max(0, further / (groups.length - 1)) : 0;
  return { common: alone - own - ofProblem, ofProblem, own };
}

/**
 * The expected number of different problems in a sample of dialogues of the given size, drawn at random from all
 * dialogues.
 */
export function problemsAmong(count: number, { problems, groupSize }: { problems: number; groupSize: number }): number {
  const all = problems * groupSize;
  let absent = 1;
  for (let drawn = 0; drawn < Math.min(all, count); drawn++)
    absent *= Math.max(0, all - groupSize - drawn) / (all - drawn);
  return problems * (1 - absent);
}
