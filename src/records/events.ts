// Events from the worker, which form a single stream of plain records, sent in batches and in order.
import type { ErrorName, Settings } from '../base/errors.ts';
import type { Told } from '../base/spoken.ts';
import type { RunRecord } from './stored/checkpoint.ts';
import type { GroupInspection } from './inspection.ts';
import type { Evaluation, IterationMetrics } from './metrics.ts';
import type { IterationProfile, ProfilePart } from './profile.ts';
import type { Trajectory } from './trajectory.ts';

export type RunState = 'idle' | 'preparing' | 'training' | 'paused' | 'done' | 'failed';

/** The engine that the run computes on. */
export interface EngineNotes {
  /** `webgpu`, `simd` or `wasm`. */
  backend: string;
  /** Adapter or processor in words. */
  adapter: Told;
  /** The reason why this engine was chosen, in one sentence. */
  reason: Told;
  isSoftware: boolean;
}

/** The forecast, measured on this machine before the start. */
export interface Preflight {
  iterationMs: number;
  /**
   * Milliseconds by part, if they were measured; the time of an evaluation is divided among the iterations between two
   * evaluations.
   */
  parts: Partial<Record<ProfilePart, number>>;
  memoryBytes: number;
  parameters: number;
}

/** The remaining work of a warm start that is trained on this machine. */
export interface WarmStartRest {
  /** Share done in [0, 1]. */
  share: number;
  /** Remaining milliseconds on this machine. */
  msLeft: number;
}

export type TrainerEvent =
  /** `remedies`: settings with which a failed preparation would succeed; absent if there are none. */
  | { kind: 'state'; state: RunState; message: string; remedies?: readonly Settings[] }
  /**
   * The share in [0, 1] of a long preparation that is done, the remaining milliseconds if they are known, and the
   * supervised loss if a warm start is being trained.
   */
  | { kind: 'progress'; label: string; share: number; loss: number | null; msLeft?: number }
  /** The engine that a run in preparation will use. */
  | { kind: 'engine'; engine: EngineNotes }
  /** No run is open, because its warm start would take long. The warm start is trained on request. */
  | { kind: 'warmStart'; rest: WarmStartRest }
  | { kind: 'run'; run: RunRecord; engine: EngineNotes }
  /** The open run has a new name. */
  | { kind: 'renamed'; name: string }
  /**
   * The device was lost. The run returned to its last checkpoint, now uses another engine, and continues automatically.
   */
  | { kind: 'revived'; run: RunRecord; engine: EngineNotes }
  /** The reason why nothing is stored at present, in words; empty if everything is stored again. */
  | { kind: 'unstored'; why: string }
  /** A notice for the visitor, in words, which requires no action. */
  | { kind: 'note'; text: string }
  /** A list, in words, of everything that was deleted for lack of space since the run began. */
  | { kind: 'thinned'; text: string }
  | { kind: 'preflight'; preflight: Preflight }
  /** The dialogue that is being sampled now: its trajectory so far, after each turn. */
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
  /** A sentence that says which computation uses a slower path than necessary; empty if there is none any more. */
  | { kind: 'engineNote'; note: string }
  /** Number of imported preference pairs that the run learns from. */
  | { kind: 'pairs'; count: number }
  | { kind: 'evaluation'; evaluation: Evaluation }
  /**
   * A setting was changed or pairs were imported, either now or by a replayed history. The event contains the settings
   * from the next iteration on, the changes so far, the planned changes, and the number of planned changes that are
   * dropped.
   */
  | ({ kind: 'config'; dropped: number } & Pick<RunRecord, 'config' | 'changes' | 'imports' | 'plan'>)
  /**
   * A checkpoint was stored. The event contains the iterations, in ascending order, at which the run now has a
   * checkpoint.
   */
  | { kind: 'checkpoint'; iteration: number; kept: readonly number[] }
  /** A run in progress has failed; `remedies` has the same meaning as for `state`. */
  | {
      kind: 'failed';
      name: ErrorName | 'Error';
      message: string;
      iteration: number;
      remedies?: readonly Settings[];
    };
