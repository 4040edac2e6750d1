// The critic of a team (MAPPO 2103.01955): a network of its own, a copy of the trunk with a value head, that reads the
// joint transcript and says before each turn what it is worth. It learns by the value loss alone: of the terms of an
// update all others have weight 0.
// Deviations: the paper takes as many steps on a collection as the actors do, and clips the value loss. The dialogues of
// one iteration are about few problems, which the critic soon knows by heart; so it draws its minibatches from a memory,
// as in the auxiliary phase of PPG (2009.04416), where the loss is not clipped either.
import { ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import type { Config } from '../../config/schema.ts';
import { memoryFault, type CriticMemoryState } from '../../records/criticMemory.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { Ring, type Packing } from './ring.ts';
import type { Gate } from '../team/gate.ts';
import type { Network } from '../team/network.ts';
import { oldFacts } from '../rows/oldFacts.ts';
import { buildJointRows, eachAction, emptyBatch, type RowBatch } from '../rows/rows.ts';
import type { Team } from '../team/team.ts';
import { updateNetwork, type UpdateMetrics } from '../update/update.ts';

/** One trajectory that it learns from, with the returns its values were to foretell when it was said. */
export interface Remembered {
  /** The joint transcript up to the last column that has a value. */
  ids: Uint16Array;
  /** Columns that have a value, rising: one for each turn. */
  columns: Uint16Array;
  /** What followed, parallel to `columns`. */
  returns: Float64Array;
}

const packing: Packing<Remembered, 'returns'> = {
  numbers: 'returns',
  write: ({ ids, columns, returns }) => ({ facts: [ids.length, ...ids, columns.length, ...columns], numbers: returns }),
  read: ({ facts, number }) => {
    const [ids, columns] = [facts(), facts()];
    return { ids, columns, returns: Float64Array.from(columns, number) };
  },
};

export type CriticMemory = Ring<Remembered, 'returns'>;

/** The memory of so many trajectories that gave this state; empty without one. Throws ShapeError when the numbers do not add up. */
export function criticMemory(size: number, state?: CriticMemoryState): CriticMemory {
  const fault = state && memoryFault(state, size);
  if (fault)
    throw new ShapeError(
      `memory of the joint critic: expected ${fault}; is the checkpoint of a run with another learning.criticMemory?`,
    );
  return new Ring(size, packing, state);
}

export interface JointLook {
  /** Joint rows, one a trajectory; `actionMask` is 1 where a value stands. */
  batch: RowBatch;
  /** [B·T] */
  values: Float32Array;
  /** [trajectory][turn] V before each turn. */
  ofTurn: Float64Array[];
}

interface JointContext {
  team: Team;
  gate: Gate;
}

/** The agent whose prompt opens a joint row: the first of those who see most of what is hidden. */
export function witnessOf({ protocol }: Pick<Team, 'protocol'>): number {
  const counts = protocol.sees.map(({ length }) => length);
  return counts.indexOf(Math.max(...counts));
}

/** The critic on the joint transcripts. */
export async function lookJointly(
  critic: Network,
  trajectories: readonly Trajectory[],
  { team, gate }: JointContext,
): Promise<JointLook> {
  const batch = buildJointRows(trajectories, witnessOf(team), team.tokens);
  const { values } = await oldFacts(batch, { network: critic, reference: null, temperature: 1, gate });
  const ofTurn = trajectories.map(({ turns }) => new Float64Array(turns.length));
  eachAction(batch, ({ at, trajectory, turn }) => {
    (ofTurn[trajectory] as Float64Array)[turn] = values[at] as number;
  });
  return { batch, values, ofTurn };
}

/** The steps of an iteration towards the returns of remembered dialogues; metrics of each. */
export function updateCritic(
  critic: Network,
  memory: CriticMemory,
  { team, gate, iteration }: JointContext & { iteration: number },
): Promise<UpdateMetrics[]> {
  const { run, learning } = team.config;
  const draws = new Draws(run.seed, streams.criticMemory, iteration);
  const { batch, returns } = recallRows(memory.sample(learning.criticSteps * learning.criticBatch, draws));
  const config = criticConfig(team.config);
  return updateNetwork(
    critic,
    batch,
    { returns },
    {
      ...{ config, iteration, gate },
      klCoef: 0,
      maxActionTokens: team.maxActionTokens,
    },
  );
}

/** A bound of a value step that no step reaches: the loss is half the squared distance, whatever the old values. */
const unclipped = 1e9;

/** The settings under which only the value loss is left, on minibatches that have been drawn already. */
function criticConfig(config: Config): Config {
  const { learning, kl, optimiser } = config;
  return {
    ...config,
    learning: {
      ...learning,
      ...{ ratioLevel: 'token', aggregation: 'token', entCoef: 0, valueClip: unclipped },
      ...{ updateEpochs: 1, numMinibatches: learning.criticSteps },
    },
    kl: { ...kl, place: 'off', targetKl: 0 },
    optimiser: {
      ...optimiser,
      ...{ method: 'adamW', learningRate: optimiser.criticRate || optimiser.learningRate },
    },
  };
}

/** Joint rows as they are stored; `returns` [trajectory][turn]. */
export function rememberedRows(batch: RowBatch, returns: readonly Float64Array[]): Remembered[] {
  if (batch.length > 2 ** 16)
    throw new ShapeError(
      `memory of the joint critic: expected transcripts of ${2 ** 16} tokens at most, got ${batch.length}; use learning.learner = ppo, whose critics read what one agent does.`,
    );
  return Array.from(batch.trajectoryIds, (trajectory, b) => {
    const row = (of: Float32Array | Int32Array) => of.subarray(b * batch.length, (b + 1) * batch.length);
    const columns = Array.from(row(batch.actionMask).keys()).filter((t) => row(batch.actionMask)[t] === 1);
    return {
      ids: Uint16Array.from(row(batch.ids).subarray(0, (columns.at(-1) ?? -1) + 1)),
      columns: Uint16Array.from(columns),
      returns: Float64Array.from(columns, (t) => returns[trajectory]?.[row(batch.turnIds)[t] as number] as number),
    };
  });
}

/** Stored dialogues as rows, each a trajectory of its own; `returns` [B·T], 0 where no value stands. */
export function recallRows(dialogues: readonly Remembered[]): { batch: RowBatch; returns: Float32Array } {
  const length = Math.max(1, ...dialogues.map(({ ids }) => ids.length));
  const indices = Int32Array.from(dialogues.keys());
  const batch = emptyBatch(length, indices, new Int32Array(indices.length));
  const targets = new Float32Array(batch.ids.length);
  dialogues.forEach(({ ids, columns, returns }, b) => {
    batch.ids.set(ids, b * length);
    batch.targets.set(ids.subarray(1), b * length);
    columns.forEach((column, place) => {
      const at = b * length + column;
      batch.actionMask[at] = 1;
      batch.turnIds[at] = place;
      targets[at] = returns[place] as number;
    });
  });
  return { batch, returns: targets };
}
