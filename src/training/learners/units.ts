// The units of a group estimator: what is compared with what. With the key `problem` a unit is a
// trajectory, with `problem+agent` an agent's part in it, with `problem+agent+turn` one turn.
import { deadGroups, groupKey } from '../advantage.ts';
import type { Advantages, Collected } from './learner.ts';

export interface Units {
  rewards: Float64Array;
  /** Group of each unit. */
  keys: string[];
  /** [B·T] unit of each action token, −1 elsewhere. */
  unitOf: Int32Array;
}

/** Units of all action tokens; the KL charge of a unit's tokens is summed into its reward. */
export function groupUnits({ config, trajectories, rewards, batch, tokenCharge }: Collected): Units {
  const kind = config.learning.groupKey;
  const unitOf = new Int32Array(batch.ids.length).fill(-1);
  const known = new Map<string, number>();
  const keys: string[] = [];
  const totals: number[] = [];
  for (let at = 0; at < unitOf.length; at++) {
    if (batch.actionMask[at] === 0) continue;
    const row = Math.floor(at / batch.length);
    const index = batch.trajectoryIds[row] as number;
    const agent = batch.agentIds[row] as number;
    const turn = batch.turnIds[at] as number;
    const name = `${index}${kind === 'problem' ? '' : `/${agent}`}${kind === 'problem+agent+turn' ? `/${turn}` : ''}`;
    let unit = known.get(name);
    if (unit === undefined) {
      unit = keys.length;
      known.set(name, unit);
      keys.push(groupKey({ problem: trajectories[index]?.group ?? -1, agent, turn }, kind));
      totals.push(unitReward(rewards[index] ?? [], kind, { agent, turn, whole: trajectories[index]?.reward ?? 0 }));
    }
    unitOf[at] = unit;
    totals[unit] = (totals[unit] as number) - (tokenCharge[at] as number);
  }
  return { rewards: Float64Array.from(totals), keys, unitOf };
}

function unitReward(
  rewards: readonly number[][],
  kind: Collected['config']['learning']['groupKey'],
  { agent, turn, whole }: { agent: number; turn: number; whole: number },
): number {
  if (kind === 'problem') return whole;
  if (kind === 'problem+agent') return rewards.reduce((sum, ofTurn) => sum + (ofTurn[agent] as number), 0);
  return rewards[turn]?.[agent] ?? 0;
}

/** Gives every action token the advantage of its unit. */
export function spread(units: Units, ofUnit: Float64Array): Advantages {
  const { groupCount, deadCount, loneCount } = deadGroups(units.rewards, units.keys);
  return {
    advantages: Float32Array.from(units.unitOf, (unit) => (unit < 0 ? 0 : (ofUnit[unit] as number))),
    returns: new Float32Array(0),
    deadShare: groupCount > 0 ? deadCount / groupCount : 0,
    loneMembers: loneCount,
  };
}
