// Everything needed to go on exactly where a run stood, and the store that keeps it.
// Taken between iterations only. All arrays are copies, never views into an engine's memory.
import type { Config } from '../config/schema.ts';
import type { CriticMemoryState } from './criticMemory.ts';
import type { Origin, PairImport, RunPlan, SettingChange } from './history.ts';
import type { RunId } from './ids.ts';
import type { GroupInspection } from './inspection.ts';
import type { Evaluation, IterationMetrics } from './metrics.ts';
import type { ReplayState } from './mixing.ts';
import type { PreferenceText } from './preference.ts';
import type { Trajectory } from './trajectory.ts';
import type { RememberedAnswer } from './verifier.ts';

export const checkpointFormat = 1;

/** A named float32 array with its shape; names are Hugging Face's. */
export interface NamedArray {
  name: string;
  shape: number[];
  values: Float32Array;
}

/** One network with its optimiser. */
export interface NetworkState {
  /** Where the checkpoint has a `base`: the adapters to it. */
  weights: NamedArray[];
  /** Value head, where the learner has a critic. */
  critic: NamedArray[];
  /** AdamW moments, parallel to `weights` then `critic`. */
  m: Float32Array[];
  v: Float32Array[];
  /** Optimiser steps taken. */
  updates: number;
}

/** The mixing critic of VDN and QMIX. */
export interface MixingState {
  /** Trunk, and head and mixer where others have a value head. */
  critic: NetworkState;
  /** The slow copy that targets are computed with: trunk, head and mixer. */
  target: NamedArray[];
  replay: ReplayState;
}

export interface Checkpoint {
  format: number;
  runId: RunId;
  /** Iterations done. Randomness is addressed by (seed, stream, iteration, index), so this is its position. */
  iteration: number;
  config: Config;
  /** Engine that trained up to here. */
  backend: string;
  /** One for all agents when parameters are shared, else one for each agent, or for each of its turns: round by round. */
  networks: NetworkState[];
  /** The frozen weights on which the adapters of all networks stand; where there is no other reference, also that. */
  base?: NamedArray[];
  /** The joint critic, where the learner has one: its own trunk and head. */
  critics?: NetworkState[];
  /** The dialogues that the joint critic learns from; absent before its first, and in runs of earlier versions. */
  criticMemory?: CriticMemoryState;
  /** The mixing critic, its slow copy and the dialogues it learns from, where the learner has one. */
  mixing?: MixingState;
  /** Frozen reference of each network, or one for all; none where it is the base. */
  reference: NamedArray[][];
  /** The verifier, where there is one, and the answers it has in mind. */
  verifier?: { network: NetworkState; answers: RememberedAnswer[] };
  /** Imported preference pairs, where the run learns from such. */
  pairs?: PreferenceText[];
  /** Adaptive coefficients. */
  klCoef: number;
  /** Sampled tokens so far. */
  sampledTokens: number;
}

export interface RunRecord {
  format: number;
  id: RunId;
  /** Memorable name, e.g. calm-otter. */
  name: string;
  preset: string;
  /** What it learns by from its next iteration on. */
  config: Config;
  /** What it began with; absent in runs of earlier versions. */
  begun?: Config;
  changes: SettingChange[];
  /** Files of preference pairs that it was given; absent where it was given none. */
  imports?: PairImport[];
  /** What is still to happen where it is made again from a history. */
  plan?: RunPlan;
  backend: string;
  /** Milliseconds since 1970; for sorting only, never in results. */
  createdMs: number;
  /** Iterations done. */
  iteration: number;
  isDone: boolean;
  /** The run that this one goes on from under other parameters, and after which iteration. */
  forkedFrom?: Origin;
  /** How often it was taken up again: a tab that still holds an older state of it knows so that it went on elsewhere. */
  resumed?: number;
}

/** What the session needs of a store. Every method may throw StorageError. */
export interface CheckpointStore {
  saveRun(run: RunRecord): Promise<void>;
  /**
   * `replaced`: iteration of a checkpoint of the same run that goes as this one comes. Answers the iterations, rising, at
   * which the run now has one.
   */
  saveCheckpoint(checkpoint: Checkpoint, replaced: number | null): Promise<number[]>;
  /** Metrics, an evaluation if there was one, and the packed trajectories of one iteration, in one transaction. */
  saveIteration(id: RunId, iteration: StoredIteration): Promise<void>;
  /** An evaluation that belongs to no iteration of its own: the warm start's, or one asked for by hand. */
  saveEvaluation(id: RunId, evaluation: Evaluation): Promise<void>;
}

export interface StoredIteration {
  metrics: IterationMetrics;
  evaluation: Evaluation | null;
  trajectories: Trajectory[];
  /** The group the page shows. */
  shown: GroupInspection | null;
}
