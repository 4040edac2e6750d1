// What an iteration on imported preference pairs costs, tried on a copy of one network with the longest of the pairs.
import { withSettings } from '../../config/parse.ts';
import { tryElsewhere } from './elsewhereTrial.ts';
import { learnsFromImports, preferenceOf } from '../imitation/importedPairs.ts';
import { learningNetworks } from '../run/iteration.ts';
import type { Learning } from '../run/learning.ts';
import { referenceOf, usesReference } from '../run/lookBack.ts';
import type { Network } from '../team/network.ts';
import { oldFacts, rowLogprobs } from '../rows/oldFacts.ts';
import { pairRows, type PairRow } from '../imitation/pairRows.ts';
import { layRows } from '../rows/rows.ts';
import type { Cost } from './trial.ts';
import { updateNetwork } from '../update/update.ts';

type Pair = readonly [PairRow, PairRow];

/** What learning from the pairs takes; null where a run learns from none, or has none yet. Changes nothing of the run. */
export async function tryPairs(learning: Learning): Promise<Cost | null> {
  const { team, pairs = [] } = learning;
  if (!learnsFromImports(team) || pairs.length === 0) return null;
  const { learning: settings } = team.config;
  const all = pairs.map((pair, i) => pairRows(pair, team, `pair ${i + 1}`));
  const drawn = Math.min(all.length, Math.max(1, Math.floor((settings.problemsPerIteration * settings.groupSize) / 2)));
  const of = learningNetworks(team, 0)
    .map((n) => ({ n, own: all.filter((pair) => isOf(pair, team, n)) }))
    .filter(({ own }) => own.length > 0)
    .map(({ n, own }) => ({ n, own, perIteration: (drawn * own.length) / all.length }));
  return tryElsewhere(learning, {
    of,
    lengths: (pair) => pair.map(({ view }) => view.ids.length - 1),
    score: (at, some) => score(learning, at, some),
    learn: ({ copy }, some) => learn(learning, copy, some),
  });
}

/** Whether a network speaks in the role of a pair. */
function isOf([{ agent }]: Pair, { agentsOf, protocol }: Learning['team'], n: number): boolean {
  return agentsOf[n]?.some((own) => protocol.roles[own] === protocol.roles[agent]) ?? false;
}

const rowsOf = (pairs: readonly Pair[]) => layRows(pairs.flat().map(({ agent, view }, index) => ({ index, agent, view }))); // prettier-ignore

/** As an iteration looks at its pairs before it learns from them. */
async function score(
  { team, references, gate }: Learning,
  { copy, n }: { copy: Network; n: number },
  some: readonly Pair[],
) {
  // prettier-ignore
  const batch = rowsOf(some);
  const { temperature } = team.config.agents;
  await rowLogprobs(batch, { network: copy, temperature, gate });
  const reference = usesReference(team.config) ? referenceOf({ references }, n) : null;
  await oldFacts(batch, { network: { ...copy, head: null }, reference, temperature, gate });
}

/** One step over all. */
function learn({ team, gate }: Learning, copy: Network, some: readonly Pair[]) {
  const batch = rowsOf(some);
  const single = withSettings(team.config, { 'learning.numMinibatches': 1, 'learning.updateEpochs': 1 });
  const none = new Float32Array(0);
  const facts = {
    advantages: new Float32Array(batch.ids.length),
    ...{ returns: none, oldValues: none },
    refLogprobs: usesReference(team.config) ? new Float32Array(batch.ids.length) : none,
  };
  const objective = preferenceOf(team.config, batch.rows / 2);
  const { maxActionTokens } = team;
  return updateNetwork(copy, batch, facts, {
    config: single,
    iteration: 0,
    gate,
    klCoef: 0,
    maxActionTokens,
    objective,
  });
}
