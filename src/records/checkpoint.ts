// Everything needed to go on exactly where a run stood, and the store that keeps it.
// Taken between iterations only. All arrays are copies, never views into an engine's memory.
import { Sha256 } from '../base/sha256.ts';
import type { Config } from '../config/schema.ts';
import type { CriticMemoryState, ReplayState } from './criticMemory.ts';
import type { Origin, PairImport, RunHistory, RunPlan, SettingChange } from './history.ts';
import type { RunId } from './ids.ts';
import type { GroupInspection } from './inspection.ts';
import type { Evaluation, IterationMetrics } from './metrics.ts';
import type { PreferenceText } from './preference.ts';
import type { Trajectory } from './trajectory.ts';
import type { RememberedAnswer } from './verifier.ts';

export const checkpointFormat = 2;

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

/** Where a checkpoint holds a number that is not finite, as `networks.0.m.3`; null where all are. */
export function spoiltPart({ networks, critics = [], base = [], mixing, verifier, klCoef }: Checkpoint): string | null {
  const parts: [string, NetworkState][] = [
    ...networks.map((network, n): [string, NetworkState] => [`networks.${n}`, network]),
    ...critics.map((network, n): [string, NetworkState] => [`critics.${n}`, network]),
  ];
  if (mixing) parts.push(['mixing.critic', mixing.critic]);
  if (verifier) parts.push(['verifier.network', verifier.network]);
  for (const [where, network] of parts) {
    const spoilt = spoiltOf(network);
    if (spoilt) return `${where}.${spoilt}`;
  }
  const arrays = [...base, ...(mixing?.target ?? [])];
  return spoiltName(arrays) ?? (Number.isFinite(klCoef) ? null : 'klCoef');
}

function spoiltOf({ weights, critic, m, v }: NetworkState): string | null {
  const moment = (name: string, arrays: readonly Float32Array[]) => {
    const at = arrays.findIndex(isSpoilt);
    return at < 0 ? null : `${name}.${at}`;
  };
  return spoiltName([...weights, ...critic]) ?? moment('m', m) ?? moment('v', v);
}

const spoiltName = (arrays: readonly NamedArray[]) => arrays.find(({ values }) => isSpoilt(values))?.name ?? null;

/** Zero times a finite number is zero, and times any other is NaN, which stays in the sum. */
function isSpoilt(values: Float32Array): boolean {
  let sum = 0;
  for (const value of values) sum += value * 0;
  return Number.isNaN(sum);
}

/** SHA-256 of the weights of all networks, in order. */
export function weightsDigest({ networks }: Pick<Checkpoint, 'networks'>): string {
  const digest = new Sha256();
  for (const { weights, critic } of networks)
    for (const { values } of [...weights, ...critic])
      digest.add(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  return digest.hex();
}

/**
 * The history of a run up to an iteration, what is still planned included. Where an earlier version did not note what it
 * began with, it begins with its settings of today, and its changes, which they hold, are left out.
 */
export function historyOf(run: RunRecord, until = Infinity): RunHistory {
  const isBefore = ({ iteration }: { iteration: number }) => iteration <= until;
  const { preset, config, begun, plan, forkedFrom } = run;
  const { iteration = 0, mode, digest, parent } = forkedFrom ?? {};
  return {
    preset,
    config: begun ?? config,
    changes: begun ? [...run.changes, ...(plan?.changes ?? [])].filter(isBefore) : [],
    imports: [...(run.imports ?? []), ...(plan?.imports ?? [])].filter(isBefore),
    ...(mode && parent && { fork: { iteration, mode, ...(digest && { digest }), parent } }),
  };
}

/** What of a run a link cannot hold, in words: `its 2 changes and its fork`; empty where it holds all. */
export function beyondLink({ changes, imports = [], forkedFrom }: RunRecord): string {
  const parts = [
    changes.length > 0 && (changes.length === 1 ? 'its change' : `its ${changes.length} changes`),
    forkedFrom && `what it learned before its fork from ${forkedFrom.name}`,
    imports.length > 0 && 'its imported pairs',
  ].filter((part) => typeof part === 'string');
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}
