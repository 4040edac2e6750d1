// The events that the worker sends to the page. Events are plain records, which are sent in batches and in order.
import type { ErrorName, Settings } from '../base/errors.ts';
import type { Told } from '../base/spoken.ts';
import type { RunRecord } from './stored/checkpoint.ts';
import type { GroupInspection } from './inspection.ts';
import type { Evaluation, IterationMetrics } from './metrics.ts';
import type { IterationProfile, ProfilePart } from './profile.ts';
import type { Trajectory } from './trajectory.ts';

export type RunState = 'idle' | 'preparing' | 'training' | 'paused' | 'done' | 'failed';

/** The engine on which the run is computed. */
export interface EngineNotes {
  /** `webgpu`, `simd` or `wasm`. */
  backend: string;
  /** Adapter or processor in words. */
  adapter: Told;
  /** The reason why this engine was chosen, in one sentence. */
  reason: Told;
  isSoftware: boolean;
}

/** The expected duration and memory of a run, estimated from a measurement on this machine before the start. */
export interface Preflight {
  iterationMs: number;
  /**
   * The milliseconds of each part of an iteration, if they were measured. The time of an evaluation is divided by the
   * number of iterations between two evaluations.
   */
  parts: Partial<Record<ProfilePart, number>>;
  memoryBytes: number;
  parameters: number;
}

/** The progress of a warm start that is trained on this machine. */
export interface WarmStartRest {
  /** Share done in [0, 1]. */
  share: number;
  /** Remaining milliseconds on this machine; absent if this is not known before the first step. */
  msLeft?: number;
}

/** A dialogue that is shown while a warm start is trained: an example, or an attempt of the agents. */
export interface Glimpse {
  /** The number of supervised steps before the attempt; null for an example dialogue, which the agents imitate. */
  after: number | null;
  trajectory: Trajectory;
}

export type TrainerEvent =
  /** `remedies`: changes of settings, each of which would avoid the failure; absent if there are none. */
  | { kind: 'state'; state: RunState; message: string; remedies?: readonly Settings[] }
  /**
   * The progress of a long preparation: the share in [0, 1] that is done, the remaining milliseconds if they are known,
   * and the supervised loss if a warm start is being trained.
   */
  | { kind: 'progress'; label: string; share: number; loss: number | null; msLeft?: number }
  /** The engine that a run in preparation will use. */
  | { kind: 'engine'; engine: EngineNotes }
  /**
   * No run was opened, because its warm start must be trained first, which would take a long time. The warm start is
   * trained only if the visitor requests this.
   */
  | { kind: 'warmStart'; rest: WarmStartRest }
  | { kind: 'run'; run: RunRecord; engine: EngineNotes }
  /** The open run has a new name. */
  | { kind: 'renamed'; name: string }
  /** The device was lost. The run automatically continues from its last checkpoint on another engine. */
  | { kind: 'revived'; run: RunRecord; engine: EngineNotes }
  /** The reason why nothing can be stored at present; empty as soon as everything is stored again. */
  | { kind: 'unstored'; why: string }
  /** A notice for the visitor. The notice requires no action. */
  | { kind: 'note'; text: string }
  /** Describes everything that was deleted for lack of space since the run was opened. */
  | { kind: 'thinned'; text: string }
  | { kind: 'preflight'; preflight: Preflight }
  /** A dialogue that is shown while a warm start is trained. */
  | { kind: 'glimpse'; glimpse: Glimpse }
  /** Sent after each turn of the dialogue that is being sampled, with its trajectory so far. */
  | { kind: 'turn'; iteration: number; trajectory: Trajectory }
  | {
      kind: 'iteration';
      metrics: IterationMetrics;
      shown: GroupInspection | null;
      iterationsLeft: number;
      msLeft: number;
    }
  /**
   * The profile, which says how the time of an iteration was spent. This is the last event of an iteration, after its
   * evaluation.
   */
  | { kind: 'profile'; iteration: number; profile: IterationProfile }
  /**
   * A sentence about a computation that is slower than it could be; empty when there is no such computation any more.
   */
  | { kind: 'engineNote'; note: string }
  /** Number of imported preference pairs that the run learns from. */
  | { kind: 'pairs'; count: number }
  /** Number of imported chats that adapters imitate before the first iteration. */
  | { kind: 'chats'; count: number }
  | { kind: 'evaluation'; evaluation: Evaluation }
  /**
   * A setting was changed or pairs were imported, either by the visitor or because a history is replayed. The event
   * contains the settings from the next iteration on, the changes so far, the changes that are still planned, and the
   * number of planned changes that were discarded.
   */
  | ({ kind: 'config'; dropped: number } & Pick<RunRecord, 'config' | 'changes' | 'imports' | 'plan'>)
  /**
   * A checkpoint was stored. The event contains the iterations, in ascending order, at which the run now has a
   * checkpoint.
   */
  | { kind: 'checkpoint'; iteration: number; kept: readonly number[] }
  /** A run in progress has failed; `remedies` has the same meaning as in the event `state`. */
  | {
      kind: 'failed';
      name: ErrorName | 'Error';
      message: string;
      iteration: number;
      remedies?: readonly Settings[];
    };
