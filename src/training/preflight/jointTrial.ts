// What a joint critic (MAPPO, HAPPO) adds to an iteration, tried on a copy of it with the longest dialogue of a trial, and
// what its memory will hold: for the pre-flight.
import type { Trajectory } from '../../records/trajectory.ts';
import { CriticMemory, rememberedRows } from '../critics/criticMemory.ts';
import type { Learning } from '../run/learning.ts';
import { updateCritic, witnessOf } from '../critics/jointCritic.ts';
import { updateTokens } from '../rows/microbatchTokens.ts';
import { disposeNetwork, downloadNetwork, uploadNetwork } from '../team/network.ts';
import { buildJointRows } from '../rows/rows.ts';
import { tryTwice, type Cost } from './trial.ts';
import { copyAt, sizeOf } from './trialNetwork.ts';

export interface JointTrial {
  /** Of the steps; the critic's look at the newest dialogues is left out. */
  cost: Cost;
  /** The memory as it is in the end, full or not. */
  memoryBytes: number;
}

/** From some dialogues tried, and how many there will be in an iteration; null without a joint critic. */
export async function tryJoint(
  { team, critics = [], gate }: Learning,
  tried: readonly Trajectory[],
  dialogues: number,
): Promise<JointTrial | null> {
  const [critic] = critics;
  if (!critic) return null;
  const { config, shape, tokens } = team;
  const { criticSteps, criticBatch, criticMemory } = config.learning;
  const nothing = tried.map(({ turns }) => new Float64Array(turns.length));
  const rows = rememberedRows(buildJointRows(tried, witnessOf(team), tokens), nothing);
  const all = new CriticMemory(rows.length);
  all.add(rows);
  // The longest alone, as it sets the length of all rows of a step.
  const longest = new CriticMemory(1);
  longest.add(rows.toSorted((a, b) => a.ids.length - b.ids.length));
  const columns = Math.max(1, ...rows.map(({ ids }) => ids.length));
  const fitting = Math.max(1, Math.floor(updateTokens(critic, columns) / columns));
  const stepped = Math.min(criticBatch, fitting);
  const copy = copyAt(critic, uploadNetwork(await downloadNetwork(critic), shape, config.run.capture));
  try {
    const step = await tryTwice([Math.ceil(stepped / 2), stepped], Number, (batch) => {
      const learning = { ...config.learning, criticSteps: 1, criticBatch: batch };
      return updateCritic(copy, longest, { team: { ...team, config: { ...config, learning } }, gate, iteration: 0 });
    });
    const { ms, transientBytes } = step(stepped);
    return {
      cost: {
        ms: criticSteps * (criticBatch / stepped) * ms,
        transientBytes,
        keptBytes: criticBatch > stepped ? 4 * sizeOf(copy) : 0,
      },
      memoryBytes: Math.min(criticMemory, config.run.iterations * dialogues) * (all.bytes / all.count),
    };
  } finally {
    disposeNetwork(copy);
  }
}
