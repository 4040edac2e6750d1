// What a mixing critic (VDN, QMIX) adds to an iteration, tried on a copy of it with the dialogues of a trial: steps and
// looks, the steps that will be recorded, and the dialogues that the replay will hold when it is full.
import * as tf from '@tensorflow/tfjs-core';
import { mean } from '../../base/stats.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { bucketOf } from '../rows/buckets.ts';
import type { Learning } from '../run/learning.ts';
import { witnessOf } from '../critics/jointCritic.ts';
import { scoringTokens, updateTokens } from '../rows/microbatchTokens.ts';
import { mixingKind } from '../critics/mixingCritic.ts';
import { MixingReplay } from '../critics/mixingReplay.ts';
import { episodeOf, type Episode } from '../critics/mixingRows.ts';
import { lookMixed, mixingStep, type Learned } from '../critics/mixingStep.ts';
import { disposeTarget, downloadTarget, uploadTarget } from '../critics/mixingTarget.ts';
import { disposeNetwork, downloadNetwork, uploadNetwork } from '../team/network.ts';
import { bucketed, drawnShapes, recordedBytes, type Shape } from './recordedMemory.ts';
import { tryTwice, type Cost } from './trial.ts';
import { copyAt, isOnDevice, sizeOf, trialUnits } from './trialNetwork.ts';

export interface MixingTrial {
  cost: Cost;
  /** The replay when the run ends, or when it is full. */
  replayBytes: number;
}

/** How often an iteration looks at its dialogues: before its steps, and after them. */
const looks = 2;

/** The part of the mixing critic in an iteration of so many dialogues; null without one. Changes nothing of the run. */
export async function tryMixing(
  { mixing, team, gate }: Pick<Learning, 'mixing' | 'team' | 'gate'>,
  trajectories: readonly Trajectory[],
  { dialogues }: { dialogues: number },
): Promise<MixingTrial | null> {
  if (!mixing) return null;
  const { config, protocol, shape, tokens } = team;
  const { mixingBatch, mixingSteps, replaySize } = config.learning;
  const context = { config, kind: mixingKind(config, protocol.roles.length), gate };
  const heard = { witness: witnessOf(team), tokens };
  const episodes = trajectories
    .map((trajectory) =>
      episodeOf(
        trajectory,
        trajectory.turns.map(() => [0]),
        heard,
      ),
    ) // prettier-ignore
    .sort((a, b) => b.ids.length - a.ids.length);
  const longest = Math.max(1, episodes[0]?.ids.length ?? 1);
  const fitting = (most: number) => Math.max(1, Math.floor(most / longest));
  const { critic } = mixing;
  const most = { update: fitting(updateTokens(critic, longest)), scoring: fitting(scoringTokens(critic, longest)) };
  const stepped = Math.min(mixingBatch, most.update);
  const scored = Math.min(Math.max(mixingBatch, dialogues), most.scoring);
  const replayBytes = Math.min(replaySize, config.run.iterations * dialogues) * mean(episodes.map(bytesOf));

  const copy: Learned = {
    critic: copyAt(critic, uploadNetwork(await downloadNetwork(critic), shape, config.run.capture)),
    target: uploadTarget(await downloadTarget(mixing.target), shape),
  };
  try {
    const { replays } = copy.critic;
    const pick = trialUnits(episodes, stepped, 1);
    const count = (some: readonly Episode[]) => some.length;
    const step = await tryTwice(pick, count, async (some) => (await mixingStep(copy, some, context)).dispose());
    const steppedBytes = replays.bytes;
    const look = await tryTwice(pick, count, (some) => lookMixed(copy, 'critic', some, context));
    const isSummed = mixingBatch > stepped;
    const recorded = {
      lengths: episodes.map(({ ids }) => ids.length),
      pick: pick.map((some) => ({ rows: some.length, columns: longest })),
      stepped: { bytes: steppedBytes, fixedBytes: 4 * sizeOf(copy.critic), copies: isSummed ? 2 : 1 },
      looked: { bytes: replays.bytes - steppedBytes, fixedBytes: 0, copies: 1 },
      fitting: most,
    };
    const cost = {
      ms: mixingSteps * Math.max(1, mixingBatch / stepped) * step(stepped).ms + looks * look(dialogues).ms,
      transientBytes: Math.max(step(stepped).transientBytes, look(scored).transientBytes),
      keptBytes: (isSummed ? 4 * sizeOf(copy.critic) : 0) + (isOnDevice() ? recordedOf(recorded, team, dialogues) : 0),
    };
    return { cost, replayBytes };
  } finally {
    disposeNetwork(copy.critic);
    disposeTarget(copy.target);
  }
}

interface Recorded {
  /** Tokens of each dialogue tried. */
  lengths: number[];
  /** Shapes that were recorded. */
  pick: Shape[];
  stepped: { bytes: number; fixedBytes: number; copies: number };
  looked: { bytes: number; fixedBytes: number; copies: number };
  /** Dialogues of a microbatch. */
  fitting: { update: number; scoring: number };
}

/** Bytes of the critic's steps and looks that will have been recorded. */
function recordedOf(
  { lengths, pick, stepped, looked, fitting }: Recorded,
  { config }: Learning['team'],
  dialogues: number,
): number {
  // prettier-ignore
  const { run, learning } = config;
  const bucket = bucketOf(tf.getBackend());
  const tried = pick.map((shape) => bucketed(shape, bucket));
  const known = lengths.map((length) => [length]);
  const drawing = { seed: run.seed, bucket };
  const steps = drawnShapes(known, {
    ...drawing,
    updates: learning.mixingSteps * run.iterations,
    trajectories: learning.mixingBatch,
    fittingRows: fitting.update,
  });
  const all = drawnShapes(known, {
    ...drawing,
    updates: looks * run.iterations,
    trajectories: dialogues,
    fittingRows: fitting.scoring,
  });
  return recordedBytes(steps, { ...stepped, tried }) + recordedBytes(all, { ...looked, tried });
}

/** What one dialogue takes in the replay. */
function bytesOf(episode: Episode): number {
  const replay = new MixingReplay(1);
  replay.add([episode]);
  return replay.bytes;
}
