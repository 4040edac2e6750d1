// Measures how often the agents of a team would choose the same token. At each position where an agent sampled a token,
// the token that each other agent would choose is computed. The network of this other agent reads the same words with
// the headers of the two roles exchanged, as if this agent had been the speaker. Two agents agree at a position if
// their most likely tokens are equal. In a team that shares one network, only the effect of the role is measured. Two
// agents with the same role and network are one policy and agree everywhere.
import * as tf from '@tensorflow/tfjs-core';
import { mean } from '../../base/stats.ts';
import type { Config } from '../../config/schema.ts';
import { hasTurnAdapters } from '../../config/protocols/registry.ts';
import type { Role } from '../../records/ids.ts';
import { trunksOf } from '../../records/branch.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { headerOf } from '../../rollout/view.ts';
import { rowTable, rowTopTokens, type DeviceRows } from '../rows/forward.ts';
import { scoreRows } from '../rows/oldFacts.ts';
import { buildRows, type RowBatch } from '../rows/rows.ts';
import { stage } from '../stages/stage.ts';
import type { Gate } from '../team/gate.ts';
import type { Network } from '../team/network.ts';
import type { Team } from '../team/team.ts';

declare module '../stages/stage.ts' {
  interface Parts {
    /** The agreement of the agents; undefined unless at least two of them have separate networks. */
    agreement: number | undefined;
  }
}

/** The number of dialogues in which agreement is measured. */
const watchedDialogues = 16;

/**
 * Whether agreement is measured in iteration number `iteration` (from 0). The agreement is measured together with each
 * evaluation.
 */
const isAgreementDue = ({ evaluation }: Pick<Config, 'evaluation'>, iteration: number): boolean =>
  (iteration + 1) % evaluation.every === 0;

/**
 * The share of positions at which two agents choose the same token, over all pairs of agents and all positions where
 * the first agent of the pair sampled a token. `chosen[i][j]` contains the choices of agent j at the positions of agent
 * i. Undefined if there is no position or no second agent.
 */
export function agreementOf(chosen: readonly (readonly ArrayLike<number>[])[]): number | undefined {
  const same = chosen.flatMap((own, i) =>
    own.flatMap((other, j) => (j === i ? [] : Array.from(other, (token, at) => (token === own[i]?.[at] ? 1 : 0)))),
  );
  return same.length === 0 ? undefined : mean(same);
}

/** The rows that another agent reads in the speaker's place. The headers of the two roles are exchanged. */
export function exchanged(batch: RowBatch, one: readonly number[], other: readonly number[]): RowBatch {
  const ids = batch.ids.slice();
  const { length } = one;
  if (length !== other.length) return batch;
  const stands = (header: readonly number[], at: number) => header.every((token, i) => batch.ids[at + i] === token);
  for (let at = 0; at + length <= ids.length; at++) {
    if (stands(one, at)) ids.set(other, at);
    else if (stands(other, at)) ids.set(one, at);
  }
  return { ...batch, ids };
}

interface Speakers {
  team: Team;
  networks: readonly Network[];
  gate: Gate;
}

/**
 * Agreement of the agents, in [0, 1]; undefined for a single agent, for agents with different vocabularies, and if each
 * turn has its own adapter.
 */
export async function policyAgreement(
  { team, networks, gate }: Speakers,
  trajectories: readonly Trajectory[],
): Promise<number | undefined> {
  const { protocol, tokens, config } = team;
  const agents = [...protocol.roles.keys()];
  if (agents.length < 2 || tokens.ofAgents || hasTurnAdapters(config.agents)) return undefined;
  const header = (agent: number) => headerOf(tokens, agent, protocol.roles[agent] as Role);
  const chosen: Float32Array[][] = [];
  for (const i of agents) {
    const batch = buildRows(trajectories.slice(0, watchedDialogues), [i], tokens);
    const ofAgents: Float32Array[] = [];
    for (const j of agents) {
      const network = networks[team.networkOf[j]?.[0] as number] as Network;
      const read = j === i ? batch : exchanged(batch, header(i), header(j));
      const [found] = await scoreRows(read, [(rows) => likeliest(network, rows)], { network, gate });
      ofAgents.push((found as Float32Array).filter((_, at) => batch.actionMask[at] === 1));
    }
    chosen.push(ofAgents);
  }
  return agreementOf(chosen);
}

/** [B, T] the id of the likeliest token at each requested position, as a float. */
function likeliest({ tree, shape }: Network, rows: DeviceRows): tf.Tensor {
  const { topIds } = rowTopTokens({ tree, shape }, rows, { temperature: 1, k: 1 });
  return rowTable(tf.cast(topIds, 'float32'), rows);
}

export const agreementStage = stage({
  name: 'agreement of policies',
  phase: 'measure',
  when: isAgreementDue,
  reads: ['paid'],
  run: async (context) => ({ agreement: await policyAgreement(context, trunksOf(context.paid.trajectories)) }),
});
