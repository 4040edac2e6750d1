// Determines which networks learn in an iteration, and updates them on the messages of their agents.
import { hasTurnAdapters } from '../../config/protocols/registry.ts';
import { selectRows, type RowBatch } from '../rows/rows.ts';
import { networkRows } from '../rows/networkRows.ts';
import { stage, type Context, type Parts } from '../stages/stage.ts';
import type { Network } from '../team/network.ts';
import type { Team } from '../team/team.ts';
import { cutObjective, rowsToLearn } from '../update/objectives.ts';
import { expectFinite, learningRate } from '../update/optimiserStep.ts';
import { updateNetwork, type UpdateMetrics } from '../update/update.ts';
import { usesReference } from './collectionFacts.ts';
import { learnsElsewhere } from './updatesElsewhere.ts';

declare module '../stages/stage.ts' {
  interface Parts {
    /** The networks that learn, in the order in which they are updated. */
    due: number[];
    /**
     * [B·T] the advantages that the update uses. The functions in `turns` may change them before the update of each
     * network.
     */
    used: Float32Array;
    /**
     * Functions that are called before and after the update of each network. They are needed if an update takes the
     * earlier updates into account.
     */
    turns: UpdateTurns;
    /** The learning rate of the first optimiser step. */
    stepSize: number;
    /** The metrics of every optimiser step of the iteration. */
    updates: UpdateMetrics[];
    /** The networks that learned from the team's own rows. */
    learned: number[];
  }
}

/** The work to do before and after the update of each network. */
interface UpdateTurns {
  before: (network: number) => void;
  /** `rows` contains the rows from which the network learned. */
  after: (network: number, rows: RowBatch) => Promise<void>;
}

/**
 * The networks that are updated in this iteration, in order. If agents or turns learn alternately, the list contains
 * the networks of one agent or turn; otherwise it contains all networks that are not frozen.
 */
export function networksToUpdate({ config, networkOf }: Team, iteration: number): number[] {
  const all = [...new Set(networkOf.flat())];
  const { switchEvery, switchOver, startAgent, frozen } = config.learning;
  const free = all.filter((n) => !networkOf.some((own, agent) => own.includes(n) && frozen.includes(agent)));
  if (switchEvery === 0 || all.length === 1) return free;
  // Agents whose weights are frozen are skipped.
  const turns =
    switchOver === 'turn' && hasTurnAdapters(config.agents)
      ? (networkOf[0] ?? []).map((_, round) => networkOf.map((own) => own[round] as number))
      : networkOf.map((_, i) => networkOf[(startAgent + i) % networkOf.length] as number[]);
  const taking = turns.filter((own) => own.some((n) => free.includes(n)));
  return [...new Set(taking[Math.floor(iteration / switchEvery) % taking.length])].filter((n) => free.includes(n));
}

export const orderStage = stage({
  name: 'networks that learn',
  phase: 'order',
  reads: ['advantages'],
  run: ({ team, iteration, advantages }) => ({ due: networksToUpdate(team, iteration), used: advantages }),
});

export const stepSizeStage = stage({
  name: 'learning rate',
  phase: 'update',
  reads: ['due'],
  run: ({ config, networks, due: [first = -1] }) => ({
    stepSize: learningRate(config, networks[first]?.updates ?? 0),
  }),
});

const read = ['paid', 'batch', 'before', 'estimate', 'due', 'used'] as const;

/** Updates each network on the messages of its agents. Returns the metrics of each optimiser step. */
async function updatePolicies(context: Context & Pick<Parts, (typeof read)[number]>): Promise<UpdateMetrics[]> {
  const { team, config, iteration, networks, gate, klCoef, ledger } = context;
  const { paid, batch, before, estimate, due, used, turns } = context;
  const { objective, returns } = estimate;
  const isReferred = config.kl.place === 'loss' || usesReference(config);
  const updates: UpdateMetrics[] = [];
  for (const n of due) {
    const network = networks[n] as Network;
    turns?.before(n);
    const said = networkRows(n, team, { batch, trajectories: paid.trajectories });
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
      maxActionTokens: team.maxActionTokens,
      ...(objective && { objective: cutObjective(objective, own) }),
      onTrained: (trained) => ledger?.count({ trained }),
    });
    await turns?.after(n, cut.batch);
    updates.push(...steps);
  }
  return updates;
}

export const updateStage = stage({
  name: 'update',
  phase: 'update',
  when: (config) => !learnsElsewhere({ config }),
  reads: read,
  run: async (context) => ({ updates: await updatePolicies(context), learned: context.due }),
});

/** Throws NumericsError if a loss of the agents or of their critics is not finite. */
export const finiteStage = stage({
  name: 'finite losses',
  phase: 'count',
  reads: ['updates'],
  run: ({ iteration, updates, criticSteps = [] }) => {
    const rate = 'optimiser.learningRate';
    for (const step of [...updates, ...criticSteps])
      for (const [name, value] of Object.entries(step)) expectFinite(name, value, { iteration, rate });
    return {};
  },
});
