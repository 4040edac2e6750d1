// The part of an iteration in which agents are updated one after another (HAPPO 2109.11251). This code determines the
// order of the agents, and the factors by which the advantages of each agent are multiplied after the updates of the
// agents before it.
import { Draws, streams } from '../../../base/random.ts';
import type { SequentialRatio } from '../../../config/names.ts';
import type { Trajectory } from '../../../records/trajectory.ts';
import type { Gate } from '../../../training/team/gate.ts';
import { happoAdvantages, turnLogratios, updateOrder } from '../../../training/maths/happoWeights.ts';
import type { Network } from '../../../training/team/network.ts';
import { rowLogprobs } from '../../../training/rows/oldFacts.ts';
import { byTurns, eachAction, type RowBatch } from '../../../training/rows/rows.ts';
import { stage } from '../../../training/stages/stage.ts';
import type { Team } from '../../../training/team/team.ts';

interface Given {
  trajectories: readonly Trajectory[];
  /** All rows of all agents. */
  batch: RowBatch;
  /**
   * [B·T] the joint advantages, which are already whitened if the settings require this. The products of advantages and
   * factors are not whitened again.
   */
  advantages: Float32Array;
}

export class SequentialUpdates {
  /** The agents in the order of their updates. Agents that speak but are not updated in this iteration are left out. */
  readonly order: readonly number[];
  readonly #given: Given;
  readonly #ratio: SequentialRatio;
  readonly #updated = new Set<number>();
  /** [trajectory][turn] */
  readonly #advantages: Float64Array[];
  readonly #logratios: Float64Array[];

  /** `due` contains the networks that are updated in this iteration; if it is absent, all networks are updated. */
  constructor({ config, networkOf }: Team, iteration: number, given: Given, due: readonly number[] = networkOf.flat()) {
    const { run, learning } = config;
    const order = updateOrder(networkOf.length, new Draws(run.seed, streams.updateOrder, iteration));
    this.order = order.filter((agent) => networkOf[agent]?.some((network) => due.includes(network)));
    this.#given = given;
    this.#ratio = learning.sequentialRatio;
    const perTurn = () => given.trajectories.map(({ turns }) => new Float64Array(turns.length));
    [this.#advantages, this.#logratios] = [perTurn(), perTurn()];
    const { batch, advantages } = given;
    eachAction(batch, ({ at, trajectory, turn }) => {
      (this.#advantages[trajectory] as Float64Array)[turn] = advantages[at] as number;
    });
  }

  /**
   * [B·T] the current factor for each of the agent's tokens, and 0 for all other tokens. Throws ShapeError if the agent
   * was already updated.
   */
  weightsOf(agent: number): Float32Array {
    const { trajectories, batch } = this.#given;
    const weights = trajectories.map(({ turns }, i) =>
      happoAdvantages(turns, {
        advantages: this.#advantages[i] as Float64Array,
        logratios: this.#logratios[i] as Float64Array,
        updated: [...this.#updated],
        agent,
      }),
    );
    return byTurns(batch, weights);
  }

  /**
   * Records how much the update of a network has changed the probabilities of the agent's turns in these rows. After
   * the last agent, nothing is computed, because these changes are not needed.
   */
  async note(
    agent: number,
    network: Network,
    { rows, temperature, gate }: { rows: RowBatch; temperature: number; gate: Gate },
  ): Promise<void> {
    this.#updated.add(agent);
    if (this.#updated.size === this.order.length) return;
    const logprobs = await rowLogprobs(rows, { network, temperature, gate });
    const changed = turnLogratios({ ...rows, shape: [rows.rows, rows.length], logprobs }, this.#ratio);
    for (const [trajectory, ofTurns] of changed) {
      for (const [turn, logratio] of ofTurns) (this.#logratios[trajectory] as Float64Array)[turn] = logratio;
    }
  }
}

/**
 * Sorts the networks by the order of their agents, and gives each network the factors that apply when it is updated.
 */
export const sequentialStage = stage({
  name: 'sequential updates',
  phase: 'order',
  reads: ['paid', 'batch', 'advantages', 'due'],
  run: ({ team, config, iteration, networks, gate, paid, batch, advantages, due: free }) => {
    const { trajectories } = paid;
    const sequence = new SequentialUpdates(team, iteration, { trajectories, batch, advantages }, free);
    const due = sequence.order.flatMap((agent) => free.filter((n) => team.networkOf[agent]?.includes(n)));
    const used = new Float32Array(advantages.length);
    const agentOf = (n: number) => team.agentsOf[n]?.[0] as number;
    const turns = {
      before: (n: number) => {
        const agent = agentOf(n);
        if (due.find((other) => team.networkOf[agent]?.includes(other)) !== n) return;
        sequence.weightsOf(agent).forEach((weight, at) => weight !== 0 && (used[at] = weight));
      },
      after: (n: number, rows: RowBatch) =>
        sequence.note(agentOf(n), networks[n] as Network, { rows, temperature: config.agents.temperature, gate }),
    };
    return { due, used, turns };
  },
});
